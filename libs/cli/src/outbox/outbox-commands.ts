import { outputOption } from '@plant-store/command/command-line';
import type { Command } from 'commander';
import { type CommandContext, databaseVariable, helpEnd, type OutputValues } from '../context.js';
import { wholeNumber } from '../send/sender-options.js';
import type { ListValues, SettleValues } from './run-outbox.js';

/** Adds the commands of `plant-store outbox`. */
export function addOutboxCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('outbox')
    .summary('create an outbox, and look after its parked entries')
    .description(
      `Looks after the outbox in the PostgreSQL database that the environment variable ${databaseVariable} names, such as postgres://user:password@host/database.`,
    )
    .addHelpText('after', helpEnd(['outbox status', 'outbox list']));
  const command = (name: string, summary: string, example = ''): Command =>
    group
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', helpEnd([`outbox ${name} ${example}`.trim()]));
  const load = () => import('./run-outbox.js');
  const id = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const ids = (text: string, others: readonly number[] = []): number[] => [...others, id(text)];

  command('migrate', 'create the tables, or bring them to the version that this package needs').action(
    async () => (await load()).migrate(context),
  );
  command('status', 'count the entries that wait, are being sent, and are parked')
    .addOption(outputOption())
    .action(async (values: OutputValues) => (await load()).status(values, context));
  command('list', 'list parked entries, the oldest first')
    .option('--limit <count>', 'at most so many entries, up to 500', wholeNumber(1, 500), 50)
    .option('--after <id>', 'the page that follows the one that ends with this id', id)
    .addOption(outputOption())
    .action(async (values: ListValues) => (await load()).list(values, context));
  command('show', 'show an entry: state, last error, content', '17')
    .argument('<id>', 'of the entry', id)
    .addOption(outputOption('raw'))
    .action(async (entry: number, values: OutputValues) => (await load()).show(entry, values, context));
  for (const [name, summary] of [
    ['replay', 'let relays send parked entries again'],
    ['discard', 'give parked entries up'],
  ] as const)
    command(name, summary, '17 18')
      .argument('[ids...]', 'of parked entries', ids)
      .option('--all', 'all parked entries')
      .addOption(outputOption())
      .action(async (chosen: number[], values: SettleValues) =>
        (await load()).settle(name, chosen, values, context),
      );
}
