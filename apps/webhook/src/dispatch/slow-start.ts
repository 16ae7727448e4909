import type { Logger } from 'pino';

import { shownSource } from '../config/handler-source.js';

/** How often the log says that a handler still starts, in milliseconds. */
const INTERVAL = 10_000;

/**
 * Waits for the start of a handler, and says in the log how long that takes. A module may wait for what never comes, and
 * nothing else would say why the receiver doesn't listen.
 *
 * @param source what HANDLER names
 */
export async function sayWhileItStarts<Started>(
  starting: Promise<Started>,
  source: string,
  logger: Pick<Logger, 'warn'>,
  interval = INTERVAL,
): Promise<Started> {
  let waited = 0;
  const timer = setInterval(() => {
    waited += interval;
    const fields = { handler: shownSource(source), waitedMs: waited };
    logger.warn(fields, 'the handler has not started; the receiver waits for its module and what it injects');
  }, interval);
  try {
    return await starting;
  } finally {
    clearInterval(timer);
  }
}
