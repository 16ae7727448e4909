import type { Socket } from 'node:net';

import type { Logger } from 'pino';

import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { NO_OBSERVER, type Observer, type RefusalReason } from '../observer.js';

/** Shortest time between two lines for the same status and reason, in milliseconds. */
const INTERVAL = 10_000;

/**
 * Sees each response, and logs those that refuse a request: why, and to whom. Nothing of the request is logged. Strangers
 * can't fill the log: there are few statuses and reasons, and each pair has a line of its own.
 */
export class RefusalLog implements Pick<Observer, 'responded'> {
  readonly #lines = new Map<string, WriteLine>();

  /** @param observer sees each response too */
  constructor(
    private readonly logger: Logger,
    private readonly observer: Pick<Observer, 'responded'> = NO_OBSERVER,
  ) {}

  responded(status: number, socket: Pick<Socket, 'remoteAddress'>, reason?: RefusalReason): void {
    this.observer.responded(status, socket, reason);
    if (reason !== undefined)
      this.#lineOf(`${status} ${reason}`)({ status, reason, peer: socket.remoteAddress });
  }

  #lineOf(kind: string): WriteLine {
    const known = this.#lines.get(kind);
    if (known !== undefined) return known;
    const line = throttledLog((fields) => this.logger.warn(fields, 'a request was refused'), INTERVAL);
    this.#lines.set(kind, line);
    return line;
  }
}
