import { inspect } from 'node:util';
import { acceptFaults, answerFaults } from '@plant-store/contract/check';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { type CompletedCommand, completion, shells } from './completion.js';
import { type ParsedArguments, parseArguments } from './command-line/arguments.js';
import { BadInput } from './command-line/bad-input.js';
import { type Command, type CommandContext, printJson, refuse } from './command-line/command.js';
import { exitCodes } from './command-line/exit-codes.js';
import { help, version } from './help.js';
import { sendLines } from './lines/send-lines.js';
import { helpOption, type OutboxCommand, outboxCommands } from './outbox/outbox-commands.js';
import { sendOne } from './send/send-one.js';
import { sendOptionsUnder, versionOption } from './send/send-options.js';

/** The commands besides `send`. What a command needs is imported when it runs. */
const otherCommands: Readonly<Record<string, Command>> = {
  completion: async (args, context) => completion(args, completedCommands(context), context),
  outbox: async (args, context) => (await import('./outbox/run-outbox.js')).runOutbox(args, context),
};

/** What can be completed of the command line. */
function completedCommands({ given, accepts }: CommandContext): CompletedCommand {
  const answered = answeredSettingsOf(given, accepts);
  const ofOutbox = Object.entries<OutboxCommand>(outboxCommands).map(([name, { help: text, options }]) => [
    name,
    { help: text, options: new Map([...options, helpOption]) },
  ]);
  return {
    help: '',
    options: new Map([helpOption, versionOption]),
    commands: {
      send: { help: 'send plants', options: sendOptionsUnder(answered), takesFiles: true },
      completion: { help: 'print a completion script', options: new Map(), words: shells },
      outbox: {
        help: 'set up an outbox and look after its parked entries',
        options: new Map([helpOption]),
        commands: Object.fromEntries(ofOutbox) as Record<string, CompletedCommand>,
      },
    },
  };
}

/** Runs a command line and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const faults = [...answerFaults(context.given), ...acceptFaults(context.accepts, context.given)];
  try {
    if (faults.length > 0) throw new BadInput(...faults.map(invalidAnswer));
    const [name = '', ...rest] = args;
    if (!Object.hasOwn(otherCommands, name)) return await runSend(args, context);
    return await otherCommands[name]!(rest, context);
  } catch (error) {
    const isJson = args.includes('--json');
    if (error instanceof BadInput) return refuse(error, isJson, context);
    const isInterrupted = context.signal.aborted && error === context.signal.reason;
    return isInterrupted ? reportInterrupt(isJson, context) : reportInternalError(error, isJson, context);
  }
}

function reportInterrupt(isJson: boolean, context: CommandContext): number {
  context.stderr.write('plant-store: not sent: interrupted.\n');
  const exitCode = exitCodes.notSent;
  if (isJson) printJson({ exitCode, outcome: 'not-sent', message: 'interrupted.' }, context);
  return exitCode;
}

/** A fault of this program, so nobody knows what was sent. */
function reportInternalError(error: unknown, isJson: boolean, context: CommandContext): number {
  const problem = 'internal error. Please report it with this stack:';
  context.stderr.write(`plant-store: ${problem} ${inspect(error)}\n`);
  const exitCode = exitCodes.unknown;
  const message = error instanceof Error ? error.message : inspect(error);
  if (isJson) printJson({ exitCode, outcome: 'unknown', message: `internal error: ${message}` }, context);
  return exitCode;
}

function invalidAnswer(fault: string): string {
  return `An answer of @plant-store/contract cannot be carried out: ${fault}`;
}

/** Runs `plant-store send`, whose options may come before the name of the command. */
async function runSend(args: readonly string[], context: CommandContext): Promise<number> {
  const answered = answeredSettingsOf(context.given, context.accepts);
  const parsed = parseArguments(args, sendOptionsUnder(answered));
  if (parsed.values.help !== undefined) return print(help(answered), context);
  if (parsed.values.version !== undefined) return print(`${version()}\n`, context);
  const [name, ...operands] = parsed.operands;
  if (name !== 'send') throw new BadInput(...parsed.faults, ...commandFaults(parsed));
  const send = parsed.values.ndjson === undefined ? sendOne : sendLines;
  return send({ ...parsed, operands }, context);
}

function commandFaults({ operands: [command], isIncomplete, faults }: ParsedArguments): string[] {
  const names = Object.keys(otherCommands).join(', ');
  const usage = `The commands are send, ${names}. See plant-store --help.`;
  if (command === undefined) return faults.length > 0 ? [] : [`The command is missing. ${usage}`];
  // What follows an unknown option may be a secret, and isn't repeated.
  return [isIncomplete ? usage : `${command} is not a command. ${usage}`];
}

function print(text: string, { stdout }: CommandContext): number {
  stdout.write(text);
  return exitCodes.acknowledged;
}
