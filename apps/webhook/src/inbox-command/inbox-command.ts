import { parseArgs } from 'node:util';

import { ReceiverError } from '../errors.js';
import { type Command, type CommandArguments, CommandError } from './command.js';
import { exportInbox } from './export-inbox.js';
import { importInbox } from './import-inbox.js';

const HELP = `Usage: plant-inbox <command>

  export FOLDER [FILE]
      Writes every delivery that can be read from the files of an inbox, damaged or not, one JSON object a line, to a
      new file or to standard output. It changes nothing in the folder. Stop the receiver before.

  import FOLDER [FILE] [--handled]
      Stores exported deliveries, from a file or from standard input, in a new inbox: FOLDER must be empty or not exist.
      They get new ids and times, and all of them wait for the handler. Without --handled, those that were handled are
      left out.

What was done is reported on standard error.
Exit code: 0 if it is complete, 1 if something is missing or failed, 2 if the arguments are wrong.
`;

const COMMANDS: Readonly<Record<string, Command>> = { export: exportInbox, import: importInbox };

/** Runs a command. Returns the exit code. */
export async function runInboxCommand(args: readonly string[]): Promise<number> {
  try {
    const given = parse(args);
    if (given !== undefined) return await given.command(given);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    process.stderr.write(`plant-inbox: ${describe(error)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Undefined if help is wanted. */
function parse(args: readonly string[]): (CommandArguments & { command: Command }) | undefined {
  const { values, positionals } = split(args);
  const [name, folder, file, ...more] = positionals;
  if (values.help || name === undefined) return undefined;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw mistake(`there is no command ${name}`);
  if (folder === undefined) throw mistake(`${name} needs the folder of an inbox`);
  if (more.length > 0) throw mistake(`${name} takes a folder and a file, not ${more.join(' ')}`);
  if (values.handled && name !== 'import') throw mistake(`--handled is an option of import, not of ${name}`);
  return { command, folder, file, handled: values.handled };
}

function split(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        handled: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw mistake((error as Error).message);
  }
}

const mistake = (message: string): CommandError =>
  new CommandError(`${message}. "plant-inbox --help" lists the commands.`, 2);

/** One line for what somebody can fix, and the stack for anything else. */
function describe(error: unknown): string {
  if (error instanceof ReceiverError) return `${error.message} [${error.code}]`;
  if (error instanceof CommandError || (error as NodeJS.ErrnoException).syscall !== undefined)
    return (error as Error).message;
  return (error as Error).stack ?? String(error);
}
