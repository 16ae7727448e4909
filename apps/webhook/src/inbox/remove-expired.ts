import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import { throttledLog } from '../logging/throttled-log.js';
import type { Inbox } from './inbox.js';
import type { Retention } from './inbox-operations.js';

/** How often it looks for what has expired, in milliseconds. */
const INTERVAL = 5_000;

/** The pause after each transaction, in milliseconds: deliveries are accepted meanwhile. */
const PAUSE = 10;

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

  const removeAll = async (): Promise<void> => {
    let total = 0;
    for (let removed = 1; removed > 0 && !signal.aborted; total += removed) {
      removed = await inbox.removeExpired(retention);
      if (removed > 0) await delay(PAUSE);
    }
    if (total > 0) logger.debug({ removed: total }, 'deleted expired deliveries');
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await removeAll().catch((err: unknown) => logFailure({ err }));
      await delay(INTERVAL, undefined, { signal }).catch(() => undefined);
    }
  };

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
