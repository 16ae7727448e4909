import { setImmediate } from 'node:timers/promises';

import type { DeliveryFilter } from '../inbox/inbox-operations.js';
import { MAX_LIMIT } from '../operations/parameters.js';
import type { Connection } from './connection.js';
import { CommandError, type Terminal } from './terminal.js';

/** A filter that leaves out what comes later. */
export type FixedFilter = DeliveryFilter & { readonly lastId: number };

/** The deliveries that a filter selects now: one filter, or none if there are none. */
export async function upToNow({ get }: Connection, filter: DeliveryFilter): Promise<FixedFilter[]> {
  const found = await get<{ deliveries: { id: number }[] }>('/deliveries', { ...filter, limit: 1 });
  return found.deliveries.map(({ id }) => ({ ...filter, lastId: id }));
}

/** What became of a batch: how many deliveries it had, and where the next one begins; null after the last. */
export interface BatchResult {
  readonly changed: number;
  readonly next: number | null;
}

/**
 * Does something to many deliveries in batches, one selection after the other, and shows how far it has come. Ctrl-C
 * stops it between two batches. If it stops or fails, it reports how many were done and how to go on.
 *
 * @param words what is done, such as `Replaying` and `replayed`
 * @param doBatch gets a part of a selection as the routes take it
 * @returns to how many deliveries of each selection it was done
 * @throws CommandError if it is stopped, or what `doBatch` throws
 */
export async function inBatches(
  terminal: Terminal,
  filters: readonly FixedFilter[],
  { doing, done }: { readonly doing: string; readonly done: string },
  doBatch: (filter: FixedFilter, part: { after: number; limit: number }) => Promise<BatchResult>,
): Promise<number[]> {
  const interrupted = terminal.interruption();
  const counts = filters.map(() => 0);
  let after = 0;
  try {
    for (const [index, filter] of filters.entries())
      for (let next: number | null = 0; next !== null && next < filter.lastId;) {
        after = next;
        if (interrupted.aborted) throw new CommandError('Interrupted.');
        const result = await doBatch(filter, { after, limit: MAX_LIMIT });
        counts[index]! += result.changed;
        next = result.next;
        terminal.showProgress(`${doing}: ${deliveries(sumOf(counts))}`);
        // An inbox that is open here waits for nothing. A signal needs its turn.
        await setImmediate();
      }
    return counts;
  } catch (error) {
    const [filter, ...others] = filters;
    const from = Math.max(after + 1, filter?.firstId ?? 1);
    const rest = filter && others.length === 0 ? ` To go on, add --id ${from}..${filter.lastId}.` : '';
    if (!isClosed(error)) terminal.report(`${deliveries(sumOf(counts))} ${done}.${rest}`);
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
