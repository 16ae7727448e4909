import { PassThrough, Readable, type Writable } from 'node:stream';

import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

import { isOpening } from '../errors.js';
import type { Inbox } from '../inbox/inbox.js';
import type { InboxStats } from '../inbox/inbox-operations.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { atMostEvery } from './look-up.js';
import { RequestFault } from './request-fault.js';
import { reading } from './validation.js';

/** Most listeners at a time. */
export const MAX_LISTENERS = 32;

/** Shortest time between two looks at the inbox, in milliseconds. */
const INTERVAL = 1_000;

/** What is sent, by the name of the event. */
interface Events {
  /** Without the time, which always changes. */
  readonly stats: Omit<InboxStats, 'now'> & { readonly now: undefined };
  /** Tells that deliveries were accepted. */
  readonly deliveries: { readonly newestId: number | null };
}

/**
 * Tells listeners how the inbox changes, as server-sent events. It looks at the inbox at most once a second while
 * somebody listens, and never otherwise. A listener that doesn't read is dropped.
 */
export class EventStream {
  /** What each listener was sent last, by the name of the event. */
  readonly #listeners = new Map<Writable, Map<string, string>>();
  readonly #look: () => Promise<Events>;
  readonly #logFailure: WriteLine;
  #timer: NodeJS.Timeout | undefined;

  /** @param interval shortest time between two looks, in milliseconds */
  constructor(
    inbox: Pick<Inbox, 'list' | 'stats'>,
    logger: Logger,
    private readonly interval = INTERVAL,
  ) {
    this.#logFailure = throttledLog((fields) =>
      logger.error(fields, 'failed to read the inbox for listeners'),
    );
    this.#look = atMostEvery(interval, async () => {
      const [newest] = await inbox.list({}, { order: 'newest first', limit: 1 });
      const stats = { ...(await inbox.stats()), now: undefined };
      return { stats, deliveries: { newestId: newest?.id ?? null } };
    });
  }

  /** Serves the events at `/events`. */
  route(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.close());
    app.get('/events', reading(), async (request, reply) => {
      // A response that waits behind another one on its connection isn't told when that closes.
      const isBehindAnother = reply.raw.socket === null;
      if (isBehindAnother || this.#listeners.size >= MAX_LISTENERS) {
        void reply.header('connection', 'close');
        throw new RequestFault('TOO_MANY_LISTENERS', `There are ${MAX_LISTENERS} listeners already.`);
      }
      void reply.type('text/event-stream');
      // Of text, Fastify would send the length, which the response to GET has not (RFC 9110 §8.6).
      if (request.method === 'HEAD') return Readable.from([]);
      const listener = new PassThrough();
      // Nothing moves on the connection while nothing changes.
      request.socket.setTimeout(0);
      this.add(listener);
      return listener;
    });
  }

  /** Sends events until the listener closes or is dropped. */
  add(listener: Writable): void {
    this.#listeners.set(listener, new Map());
    listener.once('close', () => this.#remove(listener)).on('error', () => undefined);
    void this.#tell();
    this.#timer ??= setInterval(() => void this.#tell(), this.interval);
  }

  close(): void {
    for (const listener of this.#listeners.keys()) {
      this.#remove(listener);
      listener.end();
    }
  }

  #remove(listener: Writable): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tell(): Promise<void> {
    try {
      const events = Object.entries(await this.#look()).map(
        ([name, data]) => [name, JSON.stringify(data)] as const,
      );
      for (const [listener, sent] of this.#listeners) {
        const changed = events.filter(([name, data]) => sent.get(name) !== data);
        if (changed.length > 0 && listener.writableNeedDrain) listener.destroy();
        else changed.forEach(([name, data]) => void listener.write(`event: ${name}\ndata: ${data}\n\n`));
        for (const [name, data] of changed) sent.set(name, data);
      }
    } catch (err) {
      if (!isOpening(err)) this.#logFailure({ err });
    }
  }
}
