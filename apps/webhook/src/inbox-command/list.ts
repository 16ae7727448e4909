import type { DeliveryFilter, DeliverySummary, InboxOperations } from '../inbox/inbox-operations.js';
import type { Command } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { deliveryTable, summaryJson } from './delivery-text.js';
import { ABOUT_TIMES, filterOf, FILTERS, numberOf } from './selection.js';
import { report, standardOutput, terminalWidth } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

/** Most deliveries that are asked for at a time. */
const PAGE = 500;

export const list: Command = {
  operands: '',
  summary: 'Lists deliveries, the newest first.',
  details: ABOUT_TIMES,
  options: [...FILTERS, 'limit', 'after', 'json'],
  async run(given) {
    const filter = filterOf(given);
    const limit = numberOf(given, 'limit', MAX_LIMIT) ?? DEFAULT_LIMIT;
    const after = numberOf(given, 'after');
    const inbox = await openOperations(given.inbox);
    try {
      const found = await newestOf(inbox.operations, filter, limit + 1, after);
      const shown = found.slice(0, limit);
      if (given.has('json'))
        for (const delivery of shown) await standardOutput.write(jsonLine(summaryJson(delivery)));
      else if (shown.length === 0) report('No deliveries.');
      else await standardOutput.write(deliveryTable(shown, terminalWidth()));
      if (found.length > limit) report(`There are more: --after ${shown.at(-1)!.id} lists them.`);
      return 0;
    } finally {
      await inbox.close();
    }
  },
};

/** The newest deliveries, in this order. */
export async function newestOf(
  operations: InboxOperations,
  filter: DeliveryFilter,
  limit: number,
  after?: number,
): Promise<DeliverySummary[]> {
  const found: DeliverySummary[] = [];
  for (let last = after, isEnd = false; !isEnd; last = found.at(-1)?.id) {
    const asked = Math.min(limit - found.length, PAGE);
    const page = await operations.list(filter, {
      order: 'newest first',
      limit: asked,
      ...(last === undefined ? {} : { after: last }),
    });
    found.push(...page);
    isEnd = page.length < asked || found.length === limit;
  }
  return found;
}
