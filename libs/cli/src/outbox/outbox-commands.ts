import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import type { Outbox, OutboxEntry, OutboxEntryWithContent } from '@plant-store/sdk/outbox';
import type { Command } from 'commander';
import { BadInput, type CommandContext, CommandFailed, oneLine } from '../context.js';
import { wholeNumber } from '../send/sender-options.js';
import { databaseVariable, openOutbox } from './database.js';

/** What a command does with the outbox. It yields what is printed. */
type Work = (outbox: Outbox<unknown>) => AsyncIterable<string>;

interface FormatValues {
  readonly json?: true;
}

/** Exit codes of the commands that aren't about one plant, for their help. */
export const COMMAND_EXIT_CODES = `
Exit codes:
  0  done, or stopped in order
  1  failed: standard error says why
  2  the command line or the environment is wrong; nothing was done`;

/** Adds the commands of `plant-store outbox`. */
export function addOutboxCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('outbox')
    .summary('create an outbox, and look after its parked entries')
    .description(
      `Looks after the outbox in the PostgreSQL database that the environment variable ${databaseVariable} names, such as postgres://user:password@host/database.`,
    );
  const command = (name: string, summary: string): Command =>
    group
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', COMMAND_EXIT_CODES);
  const use = (work: Work): Promise<void> => withOutbox(context, work);
  const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const ids = (text: string, others: readonly number[] = []): number[] => [...others, id(text)];

  command('migrate', 'create the tables, or bring them to the version that this package needs').action(() =>
    use(async function* (outbox) {
      const before = await outbox.migrate();
      yield before === 0 ? 'The outbox was created.' : `The outbox is up to date; it had version ${before}.`;
    }),
  );

  command('status', 'count the entries that wait, are being sent, and are parked')
    .option('--json', 'print JSON')
    .action(({ json }: FormatValues) =>
      use(async function* (outbox) {
        const status = await outbox.status();
        const { waiting, sending, parked } = status;
        yield json ? JSON.stringify(status) : `waiting ${waiting}, sending ${sending}, parked ${parked}`;
      }),
    );

  command('list', 'list the parked entries, each on a line')
    .option('--json', 'print each entry as JSON')
    .action(({ json }: FormatValues) =>
      use(async function* (outbox) {
        for (let after = 0; ;) {
          const entries = await outbox.listParked({ after });
          if (entries.length === 0) return;
          yield entries.map((entry) => (json ? JSON.stringify(entry) : asLine(entry))).join('\n');
          after = entries.at(-1)!.id;
        }
      }),
    );

  command('show', 'show an entry with its content')
    .argument('<id>', 'as list shows it', id)
    .option('--json', 'print JSON, with the content in base64')
    .action((entry: number, { json }: FormatValues) =>
      use(async function* (outbox) {
        const found = await outbox.find(entry);
        if (found === undefined) throw new CommandFailed(`There is no entry ${entry}.`);
        yield json ? asJson(found) : asText(found);
      }),
    );

  const select = (name: 'replay' | 'discard', summary: string): Command =>
    command(name, summary)
      .argument('[ids...]', 'of parked entries, as list shows them', ids)
      .option('--all', 'all parked entries')
      .action((chosen: number[], { all }: { readonly all?: true }) => {
        if ((all === true) !== (chosen.length === 0))
          throw new BadInput(`Name the ids to ${name}, or pass --all (and not both).`);
        return use(async function* (outbox) {
          yield `${name}ed ${await outbox[name](all ? 'all' : chosen)}`;
        });
      });
  select('replay', 'let relays send parked entries again');
  select('discard', 'give parked entries up');
}

async function withOutbox(context: CommandContext, work: Work): Promise<void> {
  const { signal, stdout } = context;
  const { outbox, close } = openOutbox(context, signal);
  async function* lines(): AsyncGenerator<string> {
    for await (const text of work(outbox)) yield `${text}\n`;
  }
  try {
    await pipeline(lines, stdout, { end: false, signal });
  } catch (error) {
    if (signal.aborted)
      throw new CommandFailed('interrupted. The database may still finish what it has begun.');
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    // A reader such as head ends early.
    if (code === 'EPIPE') return;
    throw syscall === 'write' ? new CommandFailed(`Standard output can't be written: ${message}.`) : error;
  } finally {
    await close();
  }
}

function asLine({ id, settledAt, attempts, outcome, code, error = '' }: OutboxEntry): string {
  return `${id}  ${settledAt?.toISOString()}  attempts ${attempts}  ${outcome}  ${code}  ${oneLine(error)}`;
}

function asJson(entry: OutboxEntryWithContent): string {
  return JSON.stringify({ ...entry, content: Buffer.from(entry.content).toString('base64') });
}

function asText({ content, ...entry }: OutboxEntryWithContent): string {
  const isText = isUtf8(content);
  const text = isText ? Buffer.from(content).toString() : `${content.length} bytes that are not text`;
  return Object.entries({ ...entry, content: text })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const shown = value instanceof Date ? value.toISOString() : oneLine(String(value));
      return `${name.padEnd(12)}${shown}`;
    })
    .join('\n');
}
