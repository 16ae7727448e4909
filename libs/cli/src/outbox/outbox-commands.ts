import type { Outbox } from '@plant-store/sdk/outbox';
import type { Command } from 'commander';
import {
  BadInput,
  type CommandContext,
  CommandFailed,
  databaseVariable,
  EXIT_CODES,
  examplesText,
  type OutputValues,
  outputOption,
  say,
} from '../context.js';
import { wholeNumber } from '../send/sender-options.js';
import { headOf, jsonOf, statusText, tableOf, textOf } from './print-entries.js';

/** What a command does with the outbox. @returns what is printed */
type Work = (outbox: Outbox<unknown>) => Promise<string | Uint8Array>;

/** Adds the commands of `plant-store outbox`. */
export function addOutboxCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('outbox')
    .summary('create an outbox, and look after its parked entries')
    .description(
      `Looks after the outbox in the PostgreSQL database that the environment variable ${databaseVariable} names, such as postgres://user:password@host/database.`,
    );
  group.addHelpText('after', `${examplesText(['outbox status', 'outbox list'])}\n${EXIT_CODES}`);
  const command = (name: string, summary: string, example = ''): Command =>
    group
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', `${examplesText([`outbox ${name} ${example}`.trim()])}\n${EXIT_CODES}`);
  const use = (work: Work): Promise<void> => withOutbox(context, work);
  const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const ids = (text: string, others: readonly number[] = []): number[] => [...others, id(text)];

  command('migrate', 'create the tables, or bring them to the version that this package needs').action(() =>
    use(async (outbox) => {
      const before = await outbox.migrate();
      return before === 0
        ? 'The outbox was created.\n'
        : `The outbox is up to date; it had version ${before}.\n`;
    }),
  );

  command('status', 'count the entries that wait, are being sent, and are parked')
    .addOption(outputOption())
    .action(({ output }: OutputValues) =>
      use(async (outbox) => {
        const status = await outbox.status();
        return output === 'json' ? jsonOf(status) : statusText(status);
      }),
    );

  command('list', 'list parked entries, the oldest first')
    .option('--limit <count>', 'at most so many entries, up to 500', wholeNumber(1, 500), 50)
    .option('--after <id>', 'the page that follows the one that ends with this id', id)
    .addOption(outputOption())
    .action(({ limit, after, output }: OutputValues & { limit: number; after?: number }) =>
      use(async (outbox) => {
        const entries = await outbox.listParked({ after, limit });
        if (entries.length === 0) say('No parked entries.', context);
        if (entries.length === limit) say(`For newer ones: --after ${entries.at(-1)!.id}`, context);
        if (output === 'json') return entries.map((entry) => jsonOf(entry, 0)).join('');
        return entries.length === 0 ? '' : tableOf(entries, context.stdout);
      }),
    );

  command('show', 'show an entry: state, last error, content', '17')
    .argument('<id>', 'of the entry', id)
    .addOption(outputOption('raw'))
    .action((entry: number, { output }: OutputValues) => {
      if (output === 'raw' && context.stdout.isTTY)
        throw new BadInput('-o raw writes to a file or a pipe, not to a terminal: add > FILE.');
      return use(async (outbox) => {
        const found = await outbox.find(entry);
        if (found === undefined) throw new CommandFailed(`There is no entry ${entry}.`);
        const content = Buffer.from(found.content);
        if (output === 'raw') return content;
        if (output === 'json') return jsonOf({ ...found, content: content.toString('base64') });
        const text = textOf(content);
        if (text === undefined) say('the content is not text. To see its bytes, add -o raw | xxd', context);
        return headOf(found, context.stdout) + (text ?? '');
      });
    });

  const select = (name: 'replay' | 'discard', summary: string): Command =>
    command(name, summary, '17 18')
      .argument('[ids...]', 'of parked entries', ids)
      .option('--all', 'all parked entries')
      .addOption(outputOption())
      .action((chosen: number[], { all, output }: OutputValues & { readonly all?: true }) => {
        if ((all === true) !== (chosen.length === 0))
          throw new BadInput(`Name the ids to ${name}, or pass --all (and not both).`);
        return use(async (outbox) => {
          const count = await outbox[name](all ? 'all' : chosen);
          const others = all ? 0 : new Set(chosen).size - count;
          const asJson = jsonOf({ [`${name}ed`]: count, left: others });
          if (output === 'json' && others === 0) return asJson;
          if (output === 'json') context.stdout.write(asJson);
          const done = `${count} ${count === 1 ? 'entry' : 'entries'} ${name}ed.`;
          const verb = others === 1 ? 'is not that of a parked entry' : 'are not those of parked entries';
          if (others > 0) throw new CommandFailed(`${done} ${others} of the ids ${verb}.`);
          return `${done}\n`;
        });
      });
  select('replay', 'let relays send parked entries again');
  select('discard', 'give parked entries up');
}

async function withOutbox(context: CommandContext, work: Work): Promise<void> {
  const { signal, stdout } = context;
  const { failureOf, openOutbox } = await import('./database.js');
  const { outbox, close } = openOutbox(context, signal);
  try {
    stdout.write(await work(outbox));
  } catch (error) {
    if (!signal.aborted) throw failureOf(error);
    throw new CommandFailed('interrupted. The database may still finish what it has begun.');
  } finally {
    await close();
  }
}
