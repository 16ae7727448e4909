import type { Failure } from '@plant-store/contract';
import type { Logger } from 'pino';

import type { Counters } from '../counters.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import type { OnResponse } from './connection.js';
import type { PreparedResponse } from './message.js';

/** Thrown to refuse a request: why, and the header fields that HTTP or RFC 6750 requires beside the status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly failure: Failure,
    readonly fields?: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    super(failure, options);
  }
}

/** The response to each failure. */
export type Refusals = Readonly<Record<Failure, PreparedResponse>>;

/** Shortest time between two lines for the same status and reason, in milliseconds. */
const INTERVAL = 10_000;

/**
 * Counts responses, and logs which requests are refused, why and to whom. Nothing of a request is logged. Strangers can't
 * fill the log: there are few statuses and reasons, and each pair has a line of its own.
 */
export function recordResponses(counters: Counters, logger: Logger): OnResponse {
  const lines = new Map<string, WriteLine>();
  return (status, reason, peer) => {
    counters.responded(status);
    if (reason === undefined) return;
    counters.refused(status, reason, peer);
    const kind = `${status} ${reason}`;
    const line =
      lines.get(kind) ?? throttledLog((fields) => logger.warn(fields, 'a request was refused'), INTERVAL);
    lines.set(kind, line);
    line({ status, reason, peer });
  };
}
