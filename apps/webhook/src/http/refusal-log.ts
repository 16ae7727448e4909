import type { Logger } from 'pino';

import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import type { ResponseObserver } from './connection.js';

/** Shortest time between two lines for the same status and reason, in milliseconds. */
const INTERVAL = 10_000;

/**
 * Logs why requests are refused, and to whom. Nothing of a request is logged. Strangers can't fill the log: there are few
 * statuses and reasons, and each pair has a line of its own.
 */
export function logRefusals(logger: Logger): ResponseObserver['refused'] {
  const lines = new Map<string, WriteLine>();
  return (status, reason, { remoteAddress: peer }) => {
    const kind = `${status} ${reason}`;
    const line =
      lines.get(kind) ?? throttledLog((fields) => logger.warn(fields, 'a request was refused'), INTERVAL);
    lines.set(kind, line);
    line({ status, reason, peer });
  };
}
