import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import type { Clock } from '../clock.js';
import { throttledLog } from '../logging/throttled-log.js';
import type { Inbox } from './inbox.js';
import type { Retention } from './inbox-operations.js';

/** How far a wall clock may be ahead of the time that has passed, in milliseconds: clocks are corrected by and by. */
const TOLERANCE = 60_000;

/**
 * A wall clock that doesn't believe a jump forward until it has lasted as long as the retention: whatever was stored
 * before the jump has expired by then. So a clock that is wrong deletes nothing.
 */
export class CautiousClock {
  /** A time that is believed, by the wall clock and by the monotonic one. */
  #wall: number | undefined;
  #monotonic = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * @param wall the time by the wall clock, in milliseconds since 1970
   * @param maxAge the retention, in milliseconds
   */
  now(wall: number, maxAge: number): number {
    const monotonic = this.clock.now();
    const elapsed = monotonic - this.#monotonic;
    const expected = (this.#wall ?? wall) + elapsed;
    if (this.#wall !== undefined && wall > expected + TOLERANCE && elapsed < maxAge) return expected;
    this.#wall = wall;
    this.#monotonic = monotonic;
    return wall;
  }
}

/** How often it looks for what has expired, in milliseconds. */
const INTERVAL = 5_000;

/**
 * The pause after each transaction is so many times as long as that took: deliveries are accepted meanwhile. Deleting
 * takes a third of the time then, whatever else the machine does.
 */
const PAUSE_RATIO = 2;

/** Shortest and longest pause, in milliseconds. */
const MIN_PAUSE = 5;
const MAX_PAUSE = 1_000;

const pauseAfter = (milliseconds: number): number =>
  Math.min(Math.max(PAUSE_RATIO * milliseconds, MIN_PAUSE), MAX_PAUSE);

/**
 * Deletes what the retention doesn't keep, until it is stopped.
 *
 * @returns stops it, and resolves when it doesn't use the inbox any more
 */
export function startRemovingExpired(
  inbox: Pick<Inbox, 'removeExpired'>,
  retention: Retention,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const logFailure = throttledLog((fields) => logger.error(fields, 'failed to delete expired deliveries'));

  const pause = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal }).catch(() => undefined);
  const removeAll = async (): Promise<void> => {
    let total = 0;
    for (let removed = 1; removed > 0 && !signal.aborted; total += removed) {
      const start = performance.now();
      removed = await inbox.removeExpired(retention);
      if (removed > 0) await pause(pauseAfter(performance.now() - start));
    }
    if (total > 0) logger.debug({ removed: total }, 'deleted expired deliveries');
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await removeAll().catch((err: unknown) => logFailure({ err }));
      await pause(INTERVAL);
    }
  };

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
