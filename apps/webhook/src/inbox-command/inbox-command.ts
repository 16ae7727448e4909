import { ReceiverError } from '../errors.js';
import { backup, check } from './backup.js';
import { type Command, CommandError, help, parse, row, sentence, wrongUsage } from './command-line.js';
import { discard } from './discard.js';
import { exportDeliveries } from './export.js';
import { importDeliveries } from './import.js';
import { list } from './list.js';
import { pause, resume } from './pause.js';
import { replay } from './replay.js';
import { show } from './show.js';
import { stats } from './stats.js';
import { OutputError, report, standardOutput } from './terminal/output.js';

/** The commands of `plant-inbox`, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  list,
  show,
  stats,
  replay,
  discard,
  pause,
  resume,
  export: exportDeliveries,
  import: importDeliveries,
  backup,
  check,
};

/**
 * Runs a command line, and reports on standard error if it fails.
 *
 * @returns the exit code: 0 if it was done, 1 if it failed or was done in part, 2 if the command line is wrong
 */
export async function runInboxCommand(
  args: readonly string[],
  environment = process.env,
): Promise<0 | 1 | 2> {
  try {
    return await runCommand(args, environment);
  } catch (error) {
    return fail(error, Object.hasOwn(COMMANDS, args[0] ?? '') ? ` ${args[0]}` : '');
  }
}

/** @throws CommandError, ReceiverError, OutputError */
export async function runCommand(
  [name, ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<0 | 1> {
  if (name === undefined) throw wrongUsage('the command is missing');
  if (name === '--help' || name === '-h') return print(overview());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw wrongUsage(`there is no command ${JSON.stringify(name)}`);
  const given = parse(name, command, args, environment);
  return given === undefined ? print(help(name, command)) : command.run(given);
}

/** The text of `plant-inbox --help`. */
export function overview(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => row(name, summary, 10));
  return `Usage: plant-inbox COMMAND [options]

Looks at the deliveries of a receiver and acts on them. The receiver may be running
or stopped.

Commands:
${rows.join('')}
plant-inbox COMMAND --help says more about a command.

The inbox is the one that --inbox names, or else the variable INBOX_URL, or else
file:./data/inbox. A folder may be named without file: in front.

Exit codes:
  0  done
  1  failed, or done in part: standard error says why
  2  the command line is wrong; nothing was done
`;
}

async function print(text: string): Promise<0> {
  await standardOutput.write(text);
  return 0;
}

/** @param command its name after a space; empty if there is no such command */
function fail(error: unknown, command: string): 1 | 2 {
  // Nobody reads the output any more.
  if (error instanceof OutputError && error.isClosed) return 1;
  const isWrongUsage = error instanceof CommandError && error.exitCode === 2;
  report(`plant-inbox: ${describe(error)}${isWrongUsage ? ` See plant-inbox${command} --help.` : ''}`);
  return isWrongUsage ? 2 : 1;
}

/** One line for what somebody can fix, and the stack for anything else. */
function describe(error: unknown): string {
  if (error instanceof ReceiverError) return `${error.message} [${error.code}]`;
  const { message, stack, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof CommandError || error instanceof OutputError || syscall !== undefined)
    return sentence(message);
  return `internal error. Please report it with this stack: ${stack ?? String(error)}`;
}
