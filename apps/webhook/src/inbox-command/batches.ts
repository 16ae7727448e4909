import { setImmediate } from 'node:timers/promises';

import type { DeliveryFilter } from '../inbox/inbox-operations.js';
import { MAX_LIMIT } from '../operations/parameters.js';
import type { Connection } from './connection.js';
import { CommandError, type Terminal } from './terminal.js';

/** A filter that leaves out what comes later. */
export type FixedFilter = DeliveryFilter & { readonly lastId: number };

/** The deliveries that a filter selects now; undefined if there are none. */
export async function upToNow({ get }: Connection, filter: DeliveryFilter): Promise<FixedFilter | undefined> {
  const found = await get<{ deliveries: { id: number }[] }>('/deliveries', { ...filter, limit: 1 });
  const [newest] = found.deliveries;
  return newest && { ...filter, lastId: newest.id };
}

/** What became of a batch: how many deliveries it had, and where the next one begins; null after the last. */
export interface BatchResult {
  readonly count: number;
  readonly next: number | null;
}

/**
 * Does something with many deliveries in batches, and shows how far it has come. Ctrl-C stops it between two batches. If it
 * stops or fails, it reports how many were done and how to go on.
 *
 * @param filter undefined if there are none
 * @param words what is done, such as `Exporting` and `exported`
 * @param doBatch gets the query of a batch
 * @returns with how many deliveries it was done
 * @throws CommandError if it is stopped, or what `doBatch` throws
 */
export async function inBatches(
  terminal: Terminal,
  filter: FixedFilter | undefined,
  { doing, done }: { readonly doing: string; readonly done: string },
  doBatch: (query: DeliveryFilter & { after: number; limit: number }) => Promise<BatchResult>,
): Promise<number> {
  if (filter === undefined) return 0;
  const interrupted = terminal.interruption();
  let [total, after] = [0, 0];
  try {
    for (let begin: number | null = 0; begin !== null && begin < filter.lastId;) {
      after = begin;
      if (interrupted.aborted) throw new CommandError('Interrupted.');
      const { count, next }: BatchResult = await doBatch({ ...filter, after, limit: MAX_LIMIT });
      total += count;
      begin = next;
      terminal.showProgress(`${doing}: ${deliveries(total)}`);
      // An inbox that is open here waits for nothing. A signal needs its turn.
      await setImmediate();
    }
    return total;
  } catch (error) {
    const from = Math.max(after + 1, filter.firstId ?? 1);
    const rest = `To go on, add --id ${from}..${filter.lastId}.`;
    if (!isClosed(error)) terminal.report(`${deliveries(total)} ${done}. ${rest}`);
    throw error;
  } finally {
    terminal.showProgress('');
  }
}

/** Whether nobody reads the output any more, as with `| head`. */
export const isClosed = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

/** The sum of numbers. */
export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** A number of deliveries, for people, such as `1,200 parked deliveries`. */
export const deliveries = (count: number, state = ''): string =>
  [count.toLocaleString('en-US'), state, count === 1 ? 'delivery' : 'deliveries'].filter(Boolean).join(' ');
