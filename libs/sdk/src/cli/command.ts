import type { Writable } from 'node:stream';
import { acceptFaults, answerFaults } from '@plant-store/contract';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import { openSender } from '../new-plant-sender.js';
import { type ParsedArguments, parseArguments } from './arguments.js';
import { describeFailure } from './describe-failure.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { help, version } from './help.js';
import { BadInput } from './input.js';
import { type CommandInput, prepare } from './prepare.js';

/** What the command reads from and writes to, instead of the process. `signal` is aborted when the user interrupts. */
export interface CommandContext extends CommandInput {
  readonly stdout: Writable;
}

/** Runs a command line and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const faults = [...answerFaults(context.given), ...acceptFaults(context.accepts, context.given)];
  if (faults.length > 0) return complain(faults.map(invalidAnswer), exitCodes.badInput, context);
  const answered = answeredSettingsOf(context.given, context.accepts);
  const parsed = parseArguments(args, answered);
  if (parsed.values.help !== undefined) return print(help(answered), context);
  if (parsed.values.version !== undefined) return print(`${version()}\n`, context);
  try {
    if (parsed.operands[0] !== 'send') throw new BadInput(...parsed.faults, ...commandFaults(parsed));
    return await send(parsed, context);
  } catch (error) {
    if (error instanceof BadInput) return complain(error.faults, exitCodes.badInput, context);
    if (context.signal.aborted) return complain(['not sent: interrupted.'], exitCodes.notSent, context);
    throw error;
  }
}

function invalidAnswer(fault: string): string {
  return `An answer of @plant-store/contract cannot be carried out: ${fault}`;
}

function commandFaults({ operands: [command], isIncomplete, faults }: ParsedArguments): string[] {
  const usage = 'The only command is send: plant-store send FILE|-. See plant-store --help.';
  if (command === undefined) return faults.length > 0 ? [] : [`The command is missing. ${usage}`];
  // What follows an unknown option may be a secret, and isn't repeated.
  return [isIncomplete ? usage : `${command} is not a command. ${usage}`];
}

async function send(parsed: ParsedArguments, context: CommandContext): Promise<number> {
  const { settings, content, eventId, secrets } = await prepare(parsed, context);
  const { method, target } = settings;
  const sender = openSender(settings);
  try {
    // The content has the fields of the event already.
    const { status } = await sender.send(content, { signal: context.signal, eventId, event: {} });
    const what = `${content.byteLength} bytes sent with ${method} to ${target.url}`;
    context.stdout.write(`acknowledged: ${status}, ${what}\n`);
    return exitCodes.acknowledged;
  } catch (error) {
    if (!(error instanceof PlantStoreError)) throw error;
    context.stderr.write(`plant-store: ${describeFailure(error, secrets)}\n`);
    return exitCodeOf(error);
  } finally {
    await sender.close();
  }
}

function print(text: string, { stdout }: CommandContext): number {
  stdout.write(text);
  return exitCodes.acknowledged;
}

function complain(lines: readonly string[], code: number, { stderr }: CommandContext): number {
  stderr.write(lines.map((line) => `plant-store: ${line}\n`).join(''));
  return code;
}
