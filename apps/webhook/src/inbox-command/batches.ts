import { setImmediate } from 'node:timers/promises';

import { ReceiverError } from '../errors.js';
import type { Batch, DeliveryFilter, DeliveryState, InboxOperations } from '../inbox/inbox-operations.js';
import { CommandError, sentence } from './command-line.js';
import { OutputError } from './terminal/output.js';
import { startProgress } from './terminal/progress.js';

/** Most deliveries of one batch. */
const BATCH = 500;

/** What is done to many deliveries, for people. */
export interface Work {
  /** Such as `Replaying`. */
  readonly doing: string;
  /** Such as `replayed`. */
  readonly done: string;
  /** What is left if it isn't done to the end, such as `saved.ndjson is partial.` */
  readonly leaves?: string;
}

/** What became of one batch. */
interface Part {
  /** How many deliveries it was done to. */
  readonly count: number;
  readonly next: number | undefined;
}

/**
 * Does something to all deliveries that a filter selects now, in batches, with a progress bar. Ctrl-C stops it between
 * two batches. What is accepted meanwhile is left out.
 *
 * @returns how many deliveries it was done to
 * @throws CommandError if it was stopped or fails after the first batch: it says how far it came and how to go on
 */
export async function inBatches(
  operations: InboxOperations,
  filter: DeliveryFilter,
  work: Work,
  doPart: (batch: Batch) => Promise<Part>,
): Promise<number> {
  const [oldest] = await operations.list(filter, { order: 'oldest first', limit: 1 });
  const [newest] = await operations.list(filter, { order: 'newest first', limit: 1 });
  if (oldest === undefined || newest === undefined) return 0;
  const [firstId, lastId] = [oldest.id, newest.id];
  const interruption = listenForInterruption();
  const progress = startProgress(work.doing, lastId - firstId + 1);
  let count = 0;
  let after = firstId - 1;
  try {
    for (let next: number | undefined = after; next !== undefined && next < lastId;) {
      after = next;
      interruption.throwIfThere();
      const part = await doPart({ filter: { ...filter, firstId, lastId }, after, limit: BATCH });
      count += part.count;
      next = part.next;
      progress.update((next ?? lastId) - firstId + 1, count);
      // An inbox that is open here waits for nothing. A signal and the bar need their turn.
      await setImmediate();
    }
    return count;
  } catch (error) {
    throw stopped(error, work, count, `--id ${after + 1}..${lastId}`);
  } finally {
    progress.stop();
    interruption.ignore();
  }
}

class Interrupted extends Error {}

/** Notices the first Ctrl-C or SIGTERM. A second one ends the process. */
function listenForInterruption(): { throwIfThere(): void; ignore(): void } {
  let isThere = false;
  const onSignal = (): void => {
    isThere = true;
    ignore();
  };
  const ignore = (): void => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    throwIfThere: () => {
      if (isThere) throw new Interrupted('Interrupted.');
    },
    ignore,
  };
}

/**
 * What work that fails throws.
 *
 * @param count how many deliveries it was done to before
 * @param rest the arguments that select what is left
 */
export function stopped(error: unknown, { done, leaves }: Work, count: number, rest: string): unknown {
  const isExpected =
    error instanceof Interrupted ||
    error instanceof ReceiverError ||
    (error instanceof OutputError && !error.isClosed);
  if (!isExpected) return error;
  if (count === 0 && leaves === undefined && !(error instanceof Interrupted)) return error;
  const far = `${deliveries(count)} ${count === 1 ? 'was' : 'were'} ${done} before.`;
  const message = [
    sentence(error.message),
    far,
    ...(leaves === undefined || error instanceof OutputError ? [] : [leaves]),
    `To go on, run it again with ${rest}.`,
  ].join(' ');
  return error instanceof ReceiverError
    ? new ReceiverError(error.code, message, { cause: error })
    : new CommandError(message, 1);
}

/** A number of deliveries, for people, such as `1,200 parked deliveries`. */
export const deliveries = (count: number, state?: DeliveryState): string =>
  [count.toLocaleString('en-US'), state, count === 1 ? 'delivery' : 'deliveries'].filter(Boolean).join(' ');
