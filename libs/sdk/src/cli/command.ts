import { acceptFaults, answerFaults } from '@plant-store/contract';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { type ParsedArguments, parseArguments } from './command-line/arguments.js';
import { BadInput } from './command-line/bad-input.js';
import { type Command, type CommandContext, refuse } from './command-line/command.js';
import { exitCodes } from './command-line/exit-codes.js';
import { help, version } from './help.js';
import { send } from './send/send.js';
import { sendOptionsUnder } from './send/send-options.js';

/** The commands besides `send`. Each is loaded when it is called. */
const otherCommands: Readonly<Record<string, () => Promise<Command>>> = {
  outbox: async () => (await import('../outbox/command.js')).outbox,
};

/** Runs a command line and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const faults = [...answerFaults(context.given), ...acceptFaults(context.accepts, context.given)];
  try {
    if (faults.length > 0) throw new BadInput(...faults.map(invalidAnswer));
    const [name = '', ...rest] = args;
    if (!Object.hasOwn(otherCommands, name)) return await runSend(args, context);
    const command = await otherCommands[name]!();
    return await command(rest, context);
  } catch (error) {
    if (error instanceof BadInput) return refuse(error, context);
    throw error;
  }
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
  return send({ ...parsed, operands }, context);
}

function commandFaults({ operands: [command], isIncomplete, faults }: ParsedArguments): string[] {
  const usage = 'The only command is send: plant-store send FILE|-. See plant-store --help.';
  if (command === undefined) return faults.length > 0 ? [] : [`The command is missing. ${usage}`];
  // What follows an unknown option may be a secret, and isn't repeated.
  return [isIncomplete ? usage : `${command} is not a command. ${usage}`];
}

function print(text: string, { stdout }: CommandContext): number {
  stdout.write(text);
  return exitCodes.acknowledged;
}
