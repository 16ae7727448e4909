import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from 'pino';

import { DELIVERY_STATES, type InboxStats } from '../inbox/inbox-operations.js';
import { throttledLog } from '../logging/throttled-log.js';
import type { Observer } from '../observer.js';
import { atMostEvery, INBOX_TIMEOUT, within } from './look-up.js';

/** Shortest time between two texts, in milliseconds. */
const INTERVAL = 1_000;

/** From half a millisecond, about a flush of a fast disk, to ten seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** An attempt may be as long as HANDLER_TIMEOUT_MS. */
const ATTEMPT_SECONDS = [...SECONDS, 30, 60, 300];

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

const RESULTS = ['handled', 'failed', 'parked'] as const;

/** The metrics of one receiver, for Prometheus. */
export class Metrics implements Omit<Observer, 'refused'> {
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

  readonly #deliveries = this.#gauge('plant_store_deliveries', 'Deliveries in the inbox by state.', [
    'state',
  ]);
  readonly #oldestWaiting = this.#gauge(
    'plant_store_oldest_waiting_seconds',
    'Age of the oldest delivery that waits; 0 if none waits.',
  );
  readonly #bytes = this.#gauge('plant_store_inbox_bytes', 'Space that the inbox takes on its disk.');
  readonly #paused = this.#gauge('plant_store_handler_paused', '1 while the handler is paused, otherwise 0.');
  readonly #text: () => Promise<string>;

  /**
   * @param stats of the inbox
   * @param timeout of the stats, in milliseconds
   */
  constructor(stats: () => Promise<InboxStats>, logger: Logger, timeout = INBOX_TIMEOUT) {
    const logFailure = throttledLog((fields) =>
      logger.error(fields, 'failed to read the inbox for the metrics'),
    );
    const look = atMostEvery<InboxStats | undefined>(INTERVAL, () =>
      stats().catch((err: unknown) => {
        logFailure({ err });
        return undefined;
      }),
    );
    this.#text = atMostEvery(INTERVAL, async () => {
      this.#setGauges(await within(timeout, look(), undefined));
      return this.#registry.metrics();
    });
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
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }

  /** In Prometheus's text format. However often it is asked for, it is made once a second. */
  text(): Promise<string> {
    return this.#text();
  }

  responded(status: number): void {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
  }

  acknowledged(milliseconds: number): void {
    this.#acknowledgement.observe(milliseconds / 1_000);
  }

  committed(deliveries: number, milliseconds: number): void {
    this.#commit.observe(milliseconds / 1_000);
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

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  /** Gauges of an inbox that can't be read have no value. */
  #setGauges(found: InboxStats | undefined): void {
    if (found === undefined) {
      this.#deliveries.reset();
      for (const gauge of [this.#oldestWaiting, this.#bytes, this.#paused]) gauge.remove();
      return;
    }
    const { oldestWaitingAt, bytes, isPaused } = found;
    for (const state of DELIVERY_STATES) this.#deliveries.set({ state }, found[state]);
    const age = oldestWaitingAt === null ? 0 : Math.max(0, Date.now() - oldestWaitingAt);
    this.#oldestWaiting.set(age / 1_000);
    this.#bytes.set(bytes);
    this.#paused.set(isPaused ? 1 : 0);
  }
}
