import type {
  Batch,
  BatchResult,
  DeliveryFilter,
  DeliverySummary,
  InboxOperations,
} from '../inbox/inbox-operations.js';
import { deliveries, inBatches, stopped, type Work } from './batches.js';
import { type Given, wrongUsage } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { filterOf, hasFilter, idsIn } from './selection.js';
import { report, standardOutput } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';

/** Deliveries that somebody names one by one, or selects. */
export type Choice = { readonly ids: readonly number[] } | { readonly filter: DeliveryFilter };

/** A change of deliveries. */
export interface Change extends Work {
  /** Whether it is done after all, asked before the first one is changed. */
  readonly isWanted?: (choice: Choice, operations: InboxOperations) => Promise<boolean>;
  readonly change: (operations: InboxOperations, batch: Batch) => Promise<BatchResult>;
  /** Why a delivery that exists wasn't changed, as a clause. */
  readonly whyNot: (delivery: DeliverySummary) => string;
}

/**
 * The deliveries that a command line names or selects.
 *
 * @throws CommandError
 */
export function choiceOf(given: Given): Choice {
  const ids = [...new Set(idsIn(given.operands))];
  const filter = filterOf(given);
  const isSelection = hasFilter(given) || given.has('all-parked');
  if (ids.length > 0 && isSelection)
    throw wrongUsage('name deliveries by id or select them with options, not both');
  if (ids.length === 0 && !isSelection)
    throw wrongUsage('name deliveries by id, or select them with options');
  if (ids.length > 0) return { ids };
  if (!given.has('all-parked')) return { filter };
  if (filter.state !== undefined && filter.state !== 'parked')
    throw wrongUsage(`--all-parked and --state ${filter.state} exclude each other`);
  return { filter: { ...filter, state: 'parked' } };
}

/** Changes deliveries, and says how many. Returns 1 if one that was named by its id wasn't changed, or else 0. */
export async function changeDeliveries(given: Given, choice: Choice, change: Change): Promise<0 | 1> {
  const { operations, close } = await openOperations(given.inbox);
  try {
    if (change.isWanted !== undefined && !(await change.isWanted(choice, operations))) {
      report(`Nothing was ${change.done}.`);
      return 1;
    }
    const { count, left } =
      'ids' in choice
        ? await changeEach(operations, choice.ids, change)
        : { count: await changeAll(operations, choice.filter, change), left: [] };
    for (const { id, why } of left) report(`Delivery ${id} was not ${change.done}: ${why}.`);
    const isJson = given.has('json');
    await standardOutput.write(
      isJson ? jsonLine({ [change.done]: count, left }) : `${deliveries(count)} ${change.done}.\n`,
    );
    return left.length === 0 ? 0 : 1;
  } finally {
    await close();
  }
}

const changeAll = (operations: InboxOperations, filter: DeliveryFilter, change: Change): Promise<number> =>
  inBatches(operations, filter, change, async (batch) => {
    const { changed, next } = await change.change(operations, batch);
    return { count: changed, next };
  });

interface Left {
  readonly id: number;
  readonly why: string;
}

async function changeEach(
  operations: InboxOperations,
  ids: readonly number[],
  change: Change,
): Promise<{ count: number; left: Left[] }> {
  const left: Left[] = [];
  for (const [index, id] of ids.entries()) {
    try {
      const batch = { filter: { firstId: id, lastId: id }, after: 0, limit: 1 };
      if ((await change.change(operations, batch)).changed === 1) continue;
      const delivery = await operations.find(id);
      left.push({ id, why: delivery === undefined ? 'there is none' : change.whyNot(delivery) });
    } catch (error) {
      throw stopped(error, change, index - left.length, ids.slice(index).join(' '));
    }
  }
  return { count: ids.length - left.length, left };
}
