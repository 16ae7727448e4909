import { isUtf8 } from 'node:buffer';
import type { Outbox, OutboxEntry, ParkedEntry } from '@plant-store/sdk/outbox';
import type { Command } from 'commander';
import { BadInput, type CommandContext, CommandFailed, oneLine } from '../context.js';
import { wholeNumber } from '../send/sender-options.js';
import { databaseVariable, openOutbox } from './database.js';

type Run = (outbox: Outbox<unknown>, print: Print) => Promise<unknown>;

/** Resolves when the text is written, to whether somebody still reads the output: `| head` ends early. */
type Print = (text: string) => Promise<boolean>;

/** Adds the commands of `plant-store outbox`. */
export function addOutboxCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('outbox')
    .summary('create an outbox, and look after its parked entries')
    .description(
      `Looks after the outbox in the PostgreSQL database that the environment variable ${databaseVariable} names, such as postgres://user:password@host/database.`,
    );
  const command = (name: string, summary: string, more = ''): Command =>
    group
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.${more}`)
      .addHelpText('after', EXIT_CODES);
  const use = (run: Run): Promise<void> => withOutbox(context, run);
  const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const ids = (text: string, others: readonly number[] = []): number[] => [...others, id(text)];

  command('migrate', 'create the tables, or bring them to the version that this package needs').action(() =>
    use(async (outbox, print) => {
      const before = await outbox.migrate();
      return print(
        before === 0 ? 'The outbox was created.\n' : `The outbox is up to date; it had version ${before}.\n`,
      );
    }),
  );

  command('status', 'count the entries that wait, are being sent, and are parked')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) =>
      use(async (outbox, print) => {
        const status = await outbox.status();
        const { waiting, sending, parked } = status;
        return print(
          json ? `${JSON.stringify(status)}\n` : `waiting ${waiting}, sending ${sending}, parked ${parked}\n`,
        );
      }),
    );

  command('list', 'list the parked entries, each on a line')
    .option('--json', 'print each entry as JSON')
    .action(({ json }: { json?: true }) =>
      use((outbox, print) => list(outbox, print, json ? asJson : asLine)),
    );

  command('show', 'show an entry with its content')
    .argument('<id>', 'as list shows it', id)
    .option('--json', 'print JSON, with the content in base64')
    .action((entry: number, { json }: { json?: true }) =>
      use(async (outbox, print) => {
        const found = await outbox.find(entry);
        if (found === undefined) throw new CommandFailed(`There is no entry ${entry}.`);
        return print(`${json ? entryAsJson(found) : asText(found)}\n`);
      }),
    );

  const select = (name: 'replay' | 'discard', summary: string, done: string): void =>
    void command(name, summary)
      .argument('[ids...]', 'of parked entries, as list shows them', ids)
      .option('--all', 'all parked entries')
      .action((chosen: number[], { all }: { all?: true }) => {
        if ((all === true) !== (chosen.length === 0))
          throw new BadInput(`Name the ids to ${name}, or pass --all (and not both).`);
        return use(async (outbox, print) => print(`${done} ${await outbox[name](all ? 'all' : chosen)}\n`));
      });
  select('replay', 'let relays send parked entries again', 'replayed');
  select('discard', 'give parked entries up', 'discarded');
}

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed: standard error says why
  2  the command line or the environment is wrong; nothing was done`;

const INTERRUPTED = 'interrupted. The database may still finish what it has begun.';

async function withOutbox(context: CommandContext, run: Run): Promise<void> {
  const { outbox, close } = openOutbox(context, context.signal);
  try {
    await run(outbox, (text) => printTo(context, text));
  } catch (error) {
    throw context.signal.aborted ? new CommandFailed(INTERRUPTED) : error;
  } finally {
    await close();
  }
}

/** @throws CommandFailed if the output can't be written; the reason of the signal if it is aborted while a reader is slow */
function printTo({ signal, stdout }: CommandContext, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const interrupt = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', interrupt);
    stdout.write(text, (cause) => {
      signal.removeEventListener('abort', interrupt);
      if (!cause) resolve(true);
      else if ((cause as NodeJS.ErrnoException).code === 'EPIPE') resolve(false);
      else reject(new CommandFailed(`Standard output can't be written: ${cause.message}.`));
    });
  });
}

async function list(
  outbox: Outbox<unknown>,
  print: Print,
  format: (entry: ParkedEntry) => string,
): Promise<void> {
  for (let after = 0, isRead = true; isRead;) {
    const entries = await outbox.listParked({ after });
    if (entries.length === 0) return;
    isRead = await print(entries.map((entry) => `${format(entry)}\n`).join(''));
    after = entries.at(-1)!.id;
  }
}

const asJson = (entry: ParkedEntry): string => JSON.stringify(entry);

function asLine({ id, parkedAt, attempts, outcome, code, error }: ParkedEntry): string {
  return `${id}  ${parkedAt.toISOString()}  attempts ${attempts}  ${outcome}  ${code}  ${oneLine(error)}`;
}

function entryAsJson(entry: OutboxEntry): string {
  return JSON.stringify({ ...entry, content: Buffer.from(entry.content).toString('base64') });
}

function asText({ content, ...entry }: OutboxEntry): string {
  const text = isUtf8(content)
    ? Buffer.from(content).toString()
    : `${content.length} bytes that are not text`;
  return Object.entries({ ...entry, content: text })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name.padEnd(12)}${value instanceof Date ? value.toISOString() : oneLine(String(value))}`,
    )
    .join('\n');
}
