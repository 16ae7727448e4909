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
import { newestOf } from './list.js';
import { filterOf, hasFilter, idsIn } from './selection.js';
import { asksPeople, confirm } from './terminal/confirm.js';
import { report, standardOutput } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';

/** Most deliveries that are counted before they are changed. */
const MAX_COUNT = 10_000;

/** Deliveries that somebody names one by one, or selects. */
export type Choice = { readonly ids: readonly number[] } | { readonly filter: DeliveryFilter };

/** A change of deliveries. */
export interface Change extends Work {
  /**
   * What somebody is asked before the first one is changed. Undefined if nobody is.
   *
   * @param what such as `12 parked deliveries`
   */
  readonly question?: ((what: string) => string) | undefined;
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

/**
 * Whether somebody is asked before a change.
 *
 * @param rule such as `handled deliveries are only replayed`
 * @throws CommandError if nobody is there to be asked
 */
export function mustAsk(given: Given, rule: string): boolean {
  if (given.has('yes')) return false;
  if (!asksPeople()) throw wrongUsage(`without a terminal to ask, ${rule} with --yes`);
  return true;
}

/**
 * Changes deliveries, and says how many: those of a selection before, and all after.
 *
 * @returns 1 if one that was named by its id was not changed, or if somebody said no, or else 0
 */
export async function changeDeliveries(given: Given, choice: Choice, change: Change): Promise<0 | 1> {
  const { operations, close } = await openOperations(given.inbox);
  try {
    const wanted = 'ids' in choice ? named(choice.ids) : await select(operations, choice.filter);
    if (!(await isWanted(wanted, change))) {
      report(`Nothing was ${change.done}.`);
      return 1;
    }
    const { count, left } =
      'ids' in wanted
        ? await changeEach(operations, wanted.ids, change)
        : { count: await changeAll(operations, wanted.filter, change), left: [] };
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

/** Deliveries of a choice, and how many they are, such as `12 parked deliveries`; undefined if there are none. */
type Wanted = Choice & { readonly what: string | undefined };

const named = (ids: readonly number[]): Wanted => ({
  ids,
  what: ids.length === 1 ? `delivery ${ids[0]}` : deliveries(ids.length),
});

/** Selects the deliveries that are there now. Those that wait for their first attempt are left out of the number. */
async function select(operations: InboxOperations, filter: DeliveryFilter): Promise<Wanted> {
  const found = await newestOf(operations, filter, MAX_COUNT);
  const [newest] = found;
  if (newest === undefined) return { filter, what: undefined };
  const { length } = found.filter(({ state, failures }) => state !== 'waiting' || failures > 0);
  const least = found.length < MAX_COUNT ? '' : 'at least ';
  return { filter: { ...filter, lastId: newest.id }, what: least + deliveries(length, filter.state) };
}

/** Says what a change of a selection is about, or asks. */
async function isWanted(wanted: Wanted, { question, doing }: Change): Promise<boolean> {
  if (wanted.what === undefined) return true;
  if (question !== undefined) return confirm(question(wanted.what));
  if ('filter' in wanted) report(`${doing} ${wanted.what}.`);
  return true;
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
