import { Socket } from 'node:net';
import type { OutboxDatabase } from '../../outbox/database.js';
import { OutboxError, toOutboxError } from '../../outbox/outbox-error.js';
import {
  discardParked,
  listParked,
  type ParkedEntry,
  readStatus,
  replayParked,
  type Selection,
} from '../../outbox/parked.js';
import { migrate, SCHEMA_VERSION } from '../../outbox/schema.js';
import { type CommandOptions, type ParsedArguments, parseArguments } from '../command-line/arguments.js';
import { BadInput } from '../command-line/bad-input.js';
import type { CommandContext } from '../command-line/command.js';
import { WriteError } from '../command-line/write-error.js';
import {
  databaseVariable,
  helpOption,
  outboxCommands,
  outboxHelp,
  type OutboxCommand,
  type OutboxCommandName,
  type OutboxOption,
} from './outbox-commands.js';

/** Exit codes of the command, for scripts. It exits with 2 for bad input, as every command. */
const exitCodes = Object.freeze({ done: 0, failed: 1 });

const HELP = `Usage: plant-store outbox COMMAND

Looks after the outbox in the PostgreSQL database that the environment variable ${databaseVariable} names, such as
postgres://user:password@host/database. It needs the package pg.

Commands:
${outboxHelp}
Exit codes:
  0                           done
  1                           the database has no outbox, refused, or was lost; the output could not be written; or
                              the command was interrupted
  2                           bad input: an argument or the environment is wrong; nothing was done
`;

/** Runs `plant-store outbox` with the arguments after its name, and returns the exit code. */
export async function runOutbox(args: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseArguments(args, allOptions);
  if (parsed.values.help !== undefined) {
    context.stdout.write(HELP);
    return exitCodes.done;
  }
  const run = readCommand(parsed);
  const { signal, stderr } = context;
  try {
    await withDatabase(context, (database) => run(database, (text) => printTo(context, text)));
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof OutboxError || error instanceof WriteError || signal.aborted)) throw error;
    stderr.write(`plant-store: ${signal.aborted ? 'interrupted.' : (error as Error).message}\n`);
    return exitCodes.failed;
  }
}

const allOptions: CommandOptions<OutboxOption> = new Map([
  helpOption,
  ...Object.values<OutboxCommand>(outboxCommands).flatMap(({ options }) => [...options]),
]);

type Run = (database: OutboxDatabase, print: Print) => Promise<unknown>;

/** Resolves when the text is written, to whether somebody still reads the output: `| head` ends early. */
type Print = (text: string) => Promise<boolean>;

/** @throws WriteError, or the reason of the signal if it is aborted while a reader is slow */
function printTo({ signal, stdout }: CommandContext, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const interrupt = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', interrupt);
    stdout.write(text, (cause) => {
      signal.removeEventListener('abort', interrupt);
      if (!cause) resolve(true);
      else if ((cause as NodeJS.ErrnoException).code === 'EPIPE') resolve(false);
      else reject(new WriteError('Standard output', cause));
    });
  });
}

/**
 * The command that the arguments ask for.
 *
 * @throws BadInput with every fault.
 */
function readCommand({ values, operands: [name, ...ids], faults }: ParsedArguments<OutboxOption>): Run {
  if (name === undefined || !isCommand(name)) {
    const usage = `The commands of the outbox are ${Object.keys(outboxCommands).join(', ')}.`;
    const problem = name === undefined ? 'The command is missing.' : `${name} is not a command.`;
    throw new BadInput(...faults, `${problem} ${usage} See plant-store --help.`);
  }
  const { options, takesIds }: OutboxCommand = outboxCommands[name];
  const wrong = [...allOptions.keys()].filter(
    (option) => values[option] !== undefined && !options.has(option),
  );
  const found = [...faults, ...wrong.map((option) => `${name} does not take --${option}.`)];
  if (takesIds) found.push(...idFaults(name, ids, values.all !== undefined));
  else if (ids.length > 0) found.push(`${name} takes no ids.`);
  if (found.length > 0) throw new BadInput(...found);
  return commandOf(name, values.all === undefined ? ids.map(Number) : 'all', values.json !== undefined);
}

function isCommand(name: string): name is OutboxCommandName {
  return Object.hasOwn(outboxCommands, name);
}

function idFaults(name: string, ids: readonly string[], all: boolean): string[] {
  if (all !== (ids.length === 0)) return [`Name the ids to ${name}, or pass --all (and not both).`];
  const wrong = ids.find((id) => !/^[1-9]\d{0,14}$/.test(id));
  return wrong === undefined ? [] : [`An id must be a whole number as list shows it (got ${wrong}).`];
}

function commandOf(name: OutboxCommandName, selection: Selection, isJson: boolean): Run {
  const commands: Readonly<Record<OutboxCommandName, Run>> = {
    migrate: async (database, print) => print(migrated(await migrate(database))),
    async status(database, print) {
      const { waiting, sending, parked } = await readStatus(database);
      return print(`waiting ${waiting}, sending ${sending}, parked ${parked}\n`);
    },
    list: (database, print) => list(database, print, isJson ? asJson : asLine),
    replay: async (database, print) => print(`replayed ${await replayParked(database, selection)}\n`),
    discard: async (database, print) => print(`discarded ${await discardParked(database, selection)}\n`),
  };
  return commands[name];
}

function migrated(before: number): string {
  if (before === SCHEMA_VERSION) return `The outbox has version ${SCHEMA_VERSION} already.\n`;
  return before === 0
    ? `The outbox was created, with version ${SCHEMA_VERSION}.\n`
    : `The outbox was brought from version ${before} to ${SCHEMA_VERSION}.\n`;
}

async function list(
  database: OutboxDatabase,
  print: Print,
  format: (entry: ParkedEntry) => string,
): Promise<void> {
  for (let after = 0, isRead = true; isRead;) {
    const entries = await listParked(database, { after });
    if (entries.length === 0) return;
    isRead = await print(entries.map((entry) => `${format(entry)}\n`).join(''));
    after = entries.at(-1)!.id;
  }
}

const asJson = (entry: ParkedEntry): string => JSON.stringify(entry);

function asLine({ id, parkedAt, attempts, outcome, code, error }: ParkedEntry): string {
  // A terminal would act on control characters.
  const message = error.replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return `${id}  ${parkedAt.toISOString()}  attempts ${attempts}  ${outcome}  ${code}  ${message}`;
}

async function withDatabase(
  { environment, signal }: CommandContext,
  run: (database: OutboxDatabase) => Promise<unknown>,
): Promise<void> {
  const url = environment[databaseVariable];
  if (!url) {
    throw new BadInput(
      `There is no database. Set ${databaseVariable}, such as postgres://user:password@host/database.`,
    );
  }
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new BadInput(`${databaseVariable} must be a URL such as postgres://user:password@host/database.`);
  }
  const { default: pg } = await loadPg();
  // After an interrupt, a new connection would not be destroyed.
  signal.throwIfAborted();
  const stream = (): Socket => {
    const socket = new Socket();
    // PostgreSQL rolls back what runs.
    signal.addEventListener('abort', () => socket.destroy());
    return socket;
  };
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 10_000, stream });
  pool.on('error', () => {});
  try {
    await run(pool);
  } catch (error) {
    throw error instanceof WriteError || signal.aborted ? error : toOutboxError(error);
  } finally {
    await pool.end();
  }
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new OutboxError(
      'PLANT_STORE_OUTBOX_DATABASE_UNUSABLE',
      'The command needs the package pg. Install it with: npm install pg.',
      cause,
    );
  }
}
