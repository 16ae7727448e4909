import { answeredSettingsOf } from '../answers/answered-settings-of.js';
import { BadInput } from './bad-input.js';
import type { CommandContext } from './command-context.js';
import { exitCodes } from './exit-codes.js';
import { help } from './help.js';
import { parseArguments } from './parse-arguments.js';
import { send } from './send.js';
import { version } from './version.js';

/** Carries out a command line and gives its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const answered = answeredSettingsOf(context.given);
  const parsed = parseArguments(args, answered);
  if (parsed.values.help !== undefined) return print(help(answered), context);
  if (parsed.values.version !== undefined) return print(`${version()}\n`, context);
  try {
    if (parsed.operands[0] !== 'send') {
      throw new BadInput(...parsed.faults, 'The command is missing: plant-store send FILE|-. See --help.');
    }
    return await send(parsed, context);
  } catch (error) {
    if (error instanceof BadInput) return complain(error.faults, exitCodes.badInput, context);
    if (context.signal.aborted) return complain(['not sent: interrupted.'], exitCodes.notSent, context);
    throw error;
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
