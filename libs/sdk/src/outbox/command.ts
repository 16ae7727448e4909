import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { OutboxDatabase } from './database.js';
import { OutboxError, toOutboxError } from './outbox-error.js';
import {
  discardParked,
  listParked,
  type ParkedEntry,
  readStatus,
  replayParked,
  type Selection,
} from './parked.js';
import { migrate, SCHEMA_VERSION } from './schema.js';

/** What the command reads from and writes to, instead of the process. */
interface Context {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Exit codes of the command, for scripts. */
const exitCodes = Object.freeze({ done: 0, databaseFailed: 1, badInput: 2 });

/** The environment variable with the address of the database. It may have a password, so it is never an argument. */
const VARIABLE = 'PLANT_STORE_OUTBOX_URL';

const HELP = `Usage: plant-store outbox COMMAND

Looks after the outbox in the PostgreSQL database that the environment variable ${VARIABLE} names, such as
postgres://user:password@host/database. It needs the package pg.

Commands:
  migrate               create the tables, or bring them to the version that this package needs
  status                count the entries that wait, are being sent, and are parked
  list [--json]         list the parked entries, each on a line; with --json as JSON
  replay ID...|--all    let relays send parked entries again
  discard ID...|--all   give parked entries up

Exit codes:
  0                     done
  1                     the database has no outbox, refused, or was lost
  2                     bad input: an argument or the environment is wrong; nothing was done
`;

class BadInput extends Error {}

/** Runs `plant-store outbox` with the arguments after its name, and returns the exit code. */
export async function outbox(args: readonly string[], context: Context): Promise<number> {
  try {
    const run = readCommand(args);
    if (run === undefined) context.stdout.write(HELP);
    else await withDatabase(context.environment, (database) => run(database, context.stdout));
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof BadInput || error instanceof OutboxError)) throw error;
    context.stderr.write(`plant-store: ${error.message}\n`);
    return error instanceof BadInput ? exitCodes.badInput : exitCodes.databaseFailed;
  }
}

type Run = (database: OutboxDatabase, stdout: Writable) => Promise<unknown>;

/** The command that the arguments ask for; `undefined` for the help text. */
function readCommand(args: readonly string[]): Run | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [name = '', ...operands] = positionals;
  const takes = takenBy[name];
  if (takes === undefined) {
    const problem = name === '' ? 'The command is missing.' : `${name} is not a command of the outbox.`;
    throw new BadInput(`${problem} See plant-store outbox --help.`);
  }
  const wrong = Object.keys(values).find((option) => !takes.includes(option));
  if (wrong !== undefined) throw new BadInput(`${name} does not take --${wrong}.`);
  if (operands.length > 0 && !takes.includes('all')) throw new BadInput(`${name} takes no ids.`);
  switch (name) {
    case 'migrate':
      return async (database, stdout) => stdout.write(migrated(await migrate(database)));
    case 'status':
      return async (database, stdout) => {
        const { waiting, sending, parked } = await readStatus(database);
        stdout.write(`waiting ${waiting}, sending ${sending}, parked ${parked}\n`);
      };
    case 'list':
      return (database, stdout) => list(database, stdout, values.json === true ? asJson : asLine);
    default: {
      const selection = readSelection(name, operands, values.all === true);
      const change = name === 'replay' ? replayParked : discardParked;
      const done = name === 'replay' ? 'replayed' : 'discarded';
      return async (database, stdout) => stdout.write(`${done} ${await change(database, selection)}\n`);
    }
  }
}

/** The options that each command takes. */
const takenBy: Readonly<Record<string, readonly string[]>> = {
  migrate: [],
  status: [],
  list: ['json'],
  replay: ['all'],
  discard: ['all'],
};

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const options = { help: { ...flag, short: 'h' }, json: flag, all: flag };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const [problem] = (error as Error).message.split('. ', 1);
    throw new BadInput(`${problem!.replace(/\.$/, '')}. See plant-store outbox --help.`);
  }
}

function readSelection(name: string, operands: readonly string[], all: boolean): Selection {
  if (all !== (operands.length === 0))
    throw new BadInput(`Name the ids to ${name}, or pass --all (and not both).`);
  const wrong = operands.find((id) => !/^[1-9]\d{0,15}$/.test(id));
  if (wrong !== undefined)
    throw new BadInput(`An id must be a whole number as list shows it (got ${wrong}).`);
  return all ? 'all' : operands.map(Number);
}

function migrated(before: number): string {
  if (before === SCHEMA_VERSION) return `The outbox has version ${SCHEMA_VERSION} already.\n`;
  return before === 0
    ? `The outbox was created, with version ${SCHEMA_VERSION}.\n`
    : `The outbox was brought from version ${before} to ${SCHEMA_VERSION}.\n`;
}

async function list(
  database: OutboxDatabase,
  stdout: Writable,
  format: (entry: ParkedEntry) => string,
): Promise<void> {
  let after = 0;
  for (;;) {
    const entries = await listParked(database, { after });
    if (entries.length === 0) return;
    stdout.write(entries.map((entry) => `${format(entry)}\n`).join(''));
    after = entries.at(-1)!.id;
  }
}

const asJson = (entry: ParkedEntry): string => JSON.stringify(entry);

function asLine({ id, parkedAt, attempts, outcome, code, error }: ParkedEntry): string {
  const message = error.replaceAll(/\s+/g, ' ');
  return `${id}  ${parkedAt.toISOString()}  attempts ${attempts}  ${outcome}  ${code}  ${message}`;
}

async function withDatabase(
  environment: NodeJS.ProcessEnv,
  run: (database: OutboxDatabase) => Promise<unknown>,
): Promise<void> {
  const url = environment[VARIABLE];
  if (!url)
    throw new BadInput(
      `There is no database. Set ${VARIABLE}, such as postgres://user:password@host/database.`,
    );
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new BadInput(`${VARIABLE} must be a URL such as postgres://user:password@host/database.`);
  }
  const { default: pg } = await loadPg();
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => {});
  try {
    await run(pool);
  } catch (error) {
    throw error instanceof BadInput ? error : toOutboxError(error);
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
