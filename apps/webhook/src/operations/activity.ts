import type { FastifyInstance } from 'fastify';

import type { Counters, Histogram, RefusedKind, RefusedRequest } from '../counters.js';
import type { InboxStats } from '../inbox/inbox-operations.js';

const MINUTE = 60_000;
const MINUTES = 60;

/** One minute of the receiver. Times are in milliseconds. */
export interface Minute {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Deliveries that were acknowledged. */
  readonly received: number;
  /** Attempts that ended, and how long half and 95 of 100 of them took at most; null without any. */
  readonly attempts: number;
  readonly p50: number | null;
  readonly p95: number | null;
  /** Deliveries in the inbox at its first moment; null if nobody looked. */
  readonly waiting: number | null;
  readonly retrying: number | null;
  readonly parked: number | null;
}

type Backlog = Pick<InboxStats, 'waiting' | 'retrying' | 'parked'>;

/** A minute that isn't over, and the counters as they were when it began. */
interface PresentMinute {
  readonly startedAt: number;
  readonly acknowledged: number;
  readonly durations: Histogram;
  backlog: Backlog | undefined;
}

/**
 * What this receiver did in the last hour, and which requests it refused since its start. It is in memory, and bounded.
 * It reads the counters once a minute: what they have more than a minute before is what happened in it.
 */
export class Activity {
  /** Those that are over, the oldest first. */
  readonly #minutes: Minute[] = [];
  #present: PresentMinute;

  /**
   * @param counters of the receiver
   * @param stats of the inbox
   * @param now the time, in milliseconds since 1970
   */
  constructor(
    private readonly counters: Counters,
    private readonly stats: () => Promise<Backlog>,
    private readonly now: () => number = Date.now,
  ) {
    this.#present = this.#begin(startOf(now()));
  }

  /** Looks at the counters and the backlog at the start of each minute from now on, until the listener closes. */
  begin(app: FastifyInstance): void {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(
        () => {
          void this.look();
          wait();
        },
        MINUTE - (this.now() % MINUTE),
      ).unref();
    };
    wait();
    app.addHook('preClose', async () => clearTimeout(timer));
  }

  /** Looks at the counters, and at the backlog unless that of this minute is known. An inbox that can't be read has none. */
  async look(): Promise<void> {
    const present = this.#turnOver();
    present.backlog ??= await this.stats().catch(() => undefined);
  }

  /** The minutes of the last hour, the oldest first, and the refused requests, the last first. */
  read(): { minutes: Minute[]; refused: RefusedKind[]; lastRefused: RefusedRequest[] } {
    const present = this.#turnOver();
    const { refusedKinds: refused, lastRefused } = this.counters;
    return { minutes: [...this.#minutes, this.#measure(present)], refused, lastRefused };
  }

  /** Begins a minute if the present one is over. Those that are older than an hour are forgotten. */
  #turnOver(): PresentMinute {
    const startedAt = startOf(this.now());
    // A clock that is set back goes on with the last minute.
    if (startedAt <= this.#present.startedAt) return this.#present;
    this.#minutes.push(this.#measure(this.#present));
    this.#present = this.#begin(startedAt);
    const oldest = startedAt - MINUTES * MINUTE;
    while (this.#minutes.length > 0 && this.#minutes[0]!.startedAt <= oldest) this.#minutes.shift();
    return this.#present;
  }

  #begin(startedAt: number): PresentMinute {
    const { acknowledgements, attemptDurations } = this.counters;
    return {
      startedAt,
      acknowledged: acknowledgements.count,
      durations: attemptDurations.copy(),
      backlog: undefined,
    };
  }

  #measure({ startedAt, acknowledged, durations: before, backlog }: PresentMinute): Minute {
    const durations = this.counters.attemptDurations.since(before);
    return {
      startedAt,
      received: this.counters.acknowledgements.count - acknowledged,
      attempts: durations.count,
      p50: durations.percentile(0.5),
      p95: durations.percentile(0.95),
      waiting: backlog?.waiting ?? null,
      retrying: backlog?.retrying ?? null,
      parked: backlog?.parked ?? null,
    };
  }
}

function startOf(time: number): number {
  return time - (time % MINUTE);
}
