import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Logger } from 'pino';

import type { Counters, Histogram } from '../counters.js';
import { isOpening } from '../errors.js';
import { DELIVERY_STATES, type InboxStats } from '../inbox/inbox-operations.js';
import { throttledLog } from '../logging/throttled-log.js';
import { atMostEvery, INBOX_TIMEOUT, within } from './look-up.js';

/** Shortest time between two texts, in milliseconds. */
const INTERVAL = 1_000;

/** From half a millisecond, about a flush of a fast disk, to ten seconds. */
const DURATIONS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/** An attempt may be as long as HANDLER_TIMEOUT_MS. */
const ATTEMPT_DURATIONS = [...DURATIONS, 30_000, 60_000, 300_000];

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** What the metrics look at, beside what is counted. */
export interface Measured {
  readonly stats: () => Promise<InboxStats>;
  /** Why the receiver isn't ready; empty if it is. */
  readonly reasons: () => Promise<readonly string[]>;
  /** Space that is left on the disk of the inbox and in its file; undefined if it isn't on a disk of this machine. */
  readonly freeBytes: () => Promise<number | undefined>;
  /** Whether the accepted tokens are those of their file as it is now. */
  readonly areTokensCurrent: () => boolean;
}

/** Statuses of alerts. They begin with 0: from its first sample, Prometheus can't tell how much a count has risen. */
const ALERTED: readonly number[] = [500, 503];

/** The metrics of one receiver, for Prometheus. They are read from its counters and its inbox when somebody asks. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #deliveries = this.#gauge('plant_store_deliveries', 'Deliveries in the inbox by state.', [
    'state',
  ]);
  readonly #oldestWaiting = this.#gauge(
    'plant_store_oldest_waiting_seconds',
    'Age of the oldest delivery that waits; 0 if none waits.',
  );
  readonly #bytes = this.#gauge('plant_store_inbox_bytes', 'Space that the inbox takes on its disk.');
  readonly #freeBytes = this.#gauge(
    'plant_store_disk_free_bytes',
    'Space left for deliveries, on the disk of the inbox and in its file.',
  );
  readonly #paused = this.#gauge('plant_store_handler_paused', '1 while the handler is paused, otherwise 0.');
  readonly #ready = this.#gauge('plant_store_ready', '1 while deliveries can be accepted, otherwise 0.');
  readonly #areTokensCurrent = this.#gauge(
    'plant_store_access_tokens_current',
    '1 while the tokens of ACCESS_TOKENS_FILE are accepted, 0 while the file cannot be used and earlier ones stay.',
  );
  readonly #text: () => Promise<string>;

  /**
   * @param counters of the receiver
   * @param timeout of what is looked at, in milliseconds
   */
  constructor(counters: Counters, measured: Measured, logger: Logger, timeout = INBOX_TIMEOUT) {
    const logFailure = throttledLog((fields) =>
      logger.error(fields, 'failed to read the inbox for the metrics'),
    );
    const look = atMostEvery<InboxStats | undefined>(INTERVAL, () =>
      measured.stats().catch((err: unknown) => {
        if (!isOpening(err)) logFailure({ err });
        return undefined;
      }),
    );
    this.#text = atMostEvery(INTERVAL, async () => {
      const [found, free, reasons] = await Promise.all([
        within(timeout, look(), undefined),
        within(timeout, measured.freeBytes(), undefined).catch(() => undefined),
        measured.reasons(),
      ]);
      this.#setGauges(found);
      if (free === undefined) this.#freeBytes.remove();
      else this.#freeBytes.set(free);
      this.#ready.set(reasons.length === 0 ? 1 : 0);
      this.#areTokensCurrent.set(measured.areTokensCurrent() ? 1 : 0);
      return [...histogramsOf(counters), await this.#registry.metrics()].join('\n\n');
    });
    collectDefaultMetrics({ register: this.#registry });
    this.#counter('plant_store_http_requests_total', 'Requests that got a response.', 'status', () =>
      [...counters.responses.entries()].filter(([status, count]) => count > 0 || ALERTED.includes(status)),
    );
    this.#counter('plant_store_handler_attempts_total', 'Attempts of the handler that ended.', 'result', () =>
      Object.entries(counters.attempts),
    );
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }

  /** In Prometheus's text format. However often it is asked for, it is made once a second. */
  text(): Promise<string> {
    return this.#text();
  }

  #counter(
    name: string,
    help: string,
    label: string,
    counts: () => (readonly [value: string | number, count: number])[],
  ): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, count] of counts()) this.inc({ [label]: String(value) }, count);
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
    const { oldestWaitingAt, now, bytes, isPaused } = found;
    for (const state of DELIVERY_STATES) this.#deliveries.set({ state }, found[state]);
    const age = oldestWaitingAt === null ? 0 : Math.max(0, now - oldestWaitingAt);
    this.#oldestWaiting.set(age / 1_000);
    this.#bytes.set(bytes);
    this.#paused.set(isPaused ? 1 : 0);
  }
}

function histogramsOf(counters: Counters): string[] {
  return [
    exposed(
      'plant_store_acknowledgement_seconds',
      'Time from the head of a delivery to its acknowledgement.',
      counters.acknowledgements,
      DURATIONS,
    ),
    exposed(
      'plant_store_commit_seconds',
      'Duration of a commit of the inbox that stored deliveries, its flush included.',
      counters.commits,
      DURATIONS,
    ),
    exposed(
      'plant_store_commit_deliveries',
      'Deliveries that one commit stored.',
      counters.commitDeliveries,
      BATCH_SIZES,
      1,
    ),
    exposed(
      'plant_store_handler_attempt_seconds',
      'Duration of an attempt of the handler.',
      counters.attemptDurations,
      ATTEMPT_DURATIONS,
    ),
  ];
}

/**
 * One histogram in Prometheus's text format. The library exposes only histograms that it counts itself.
 *
 * @param bounds of its buckets, of those of {@link Histogram}
 * @param unit what is exposed as 1: by default a second, of values in milliseconds
 */
function exposed(
  name: string,
  help: string,
  histogram: Histogram,
  bounds: readonly number[],
  unit = 1_000,
): string {
  const { count, sum } = histogram;
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...bounds.map((bound) => `${name}_bucket{le="${bound / unit}"} ${histogram.atMost(bound)}`),
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${sum / unit}`,
    `${name}_count ${count}`,
  ].join('\n');
}
