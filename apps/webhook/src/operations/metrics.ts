import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from 'pino';

import type { InboxStats } from '../inbox/inbox-operations.js';
import { throttledLog } from '../logging/throttled-log.js';
import type { Observer } from '../observer.js';
import { seldom } from './seldom.js';

/** Shortest time between two looks at the inbox, in milliseconds. */
const INTERVAL = 1_000;

/** From half a millisecond, about a flush of a fast disk, to ten seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** An attempt may be as long as HANDLER_TIMEOUT_MS. */
const ATTEMPT_SECONDS = [...SECONDS, 30, 60, 300];

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

const STATES = ['waiting', 'handled', 'parked', 'discarded'] as const;
const RESULTS = ['handled', 'failed', 'parked'] as const;

/** The metrics of one receiver, for Prometheus. What needs the inbox is read when they are asked for. */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  /** Counted here and not by the library, whose labels take longer than anything else of a count. */
  readonly #responses = new Map<number, number>();
  readonly #attempts = new Map<string, number>(RESULTS.map((result) => [result, 0]));
  readonly #acknowledgement = this.#histogram(
    'plant_store_acknowledgement_seconds',
    'Time from the head of a delivery to its acknowledgement.',
    SECONDS,
  );
  readonly #commit = this.#histogram(
    'plant_store_commit_seconds',
    'Duration of a commit of the inbox that stored deliveries, its flush included.',
    SECONDS,
  );
  readonly #flush = this.#histogram(
    'plant_store_flush_seconds',
    'The part of such a commit in which it is written to the log and flushed.',
    SECONDS,
  );
  readonly #batch = this.#histogram(
    'plant_store_commit_deliveries',
    'Deliveries that one commit stored.',
    BATCH_SIZES,
  );
  readonly #attempt = this.#histogram(
    'plant_store_handler_attempt_seconds',
    'Duration of an attempt of the handler.',
    ATTEMPT_SECONDS,
  );

  constructor(stats: () => Promise<InboxStats>, logger: Logger) {
    collectDefaultMetrics({ register: this.#registry });
    this.#counter(
      'plant_store_http_requests_total',
      'Requests that got a response.',
      'status',
      this.#responses,
    );
    this.#counter(
      'plant_store_handler_attempts_total',
      'Attempts of the handler that ended.',
      'result',
      this.#attempts,
    );
    this.#addInbox(stats, logger);
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  responded(status: number): void {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
  }

  acknowledged(milliseconds: number): void {
    this.#acknowledgement.observe(milliseconds / 1_000);
  }

  committed(deliveries: number, milliseconds: number, flush: number): void {
    this.#commit.observe(milliseconds / 1_000);
    this.#flush.observe(flush / 1_000);
    this.#batch.observe(deliveries);
  }

  attempted(result: (typeof RESULTS)[number], milliseconds: number): void {
    this.#attempts.set(result, (this.#attempts.get(result) ?? 0) + 1);
    this.#attempt.observe(milliseconds / 1_000);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] });
  }

  #counter(name: string, help: string, label: string, counts: ReadonlyMap<unknown, number>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, count] of counts) this.inc({ [label]: String(value) }, count);
      },
    });
  }

  /** If the inbox can't be read, its gauges have no value. */
  #addInbox(stats: () => Promise<InboxStats>, logger: Logger): void {
    const logFailure = throttledLog((fields) =>
      logger.error(fields, 'failed to read the inbox for the metrics'),
    );
    const look = seldom(INTERVAL, async () => {
      try {
        return await stats();
      } catch (err) {
        logFailure({ err });
        return undefined;
      }
    });
    const gauge = (
      name: string,
      help: string,
      set: (gauge: Gauge, found: InboxStats) => void,
      labelNames: string[] = [],
    ): void => {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [this.#registry],
        async collect() {
          const found = await look();
          if (found !== undefined) set(this, found);
          else if (labelNames.length > 0) this.reset();
          else this.remove();
        },
      });
    };
    gauge(
      'plant_store_deliveries',
      'Deliveries in the inbox by state.',
      (one, found) => STATES.forEach((state) => one.set({ state }, found[state])),
      ['state'],
    );
    gauge(
      'plant_store_oldest_waiting_seconds',
      'Age of the oldest delivery that waits; 0 if none waits.',
      (one, { oldestWaitingAt }) =>
        one.set(oldestWaitingAt === null ? 0 : Math.max(0, Date.now() - oldestWaitingAt) / 1_000),
    );
    gauge('plant_store_inbox_bytes', 'Space that the inbox takes on its disk.', (one, { bytes }) =>
      one.set(bytes),
    );
    gauge('plant_store_handler_paused', '1 while the handler is paused, otherwise 0.', (one, { isPaused }) =>
      one.set(isPaused ? 1 : 0),
    );
  }
}
