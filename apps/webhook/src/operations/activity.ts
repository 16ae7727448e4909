import type { FastifyInstance } from 'fastify';

import type { InboxStats } from '../inbox/inbox-operations.js';
import type { Observer, RefusalReason } from '../observer.js';
import { NOTHING } from './parameters.js';

const MINUTE = 60_000;
const MINUTES = 60;

/** Most refused requests that are remembered one by one. */
const MAX_REFUSED = 50;

/** Durations are counted in steps, four for each doubling: a percentile is at most a fifth too long. */
const STEPS = 96;
const STEPS_IN_DOUBLING = 4;
/** The shortest step, in milliseconds. */
const SHORTEST = 1 / 16;

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

/** Requests that got the same response for the same reason. */
export interface RefusedKind {
  readonly status: number;
  readonly reason: RefusalReason;
  readonly count: number;
  /** In milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A request that was refused. */
export interface RefusedRequest {
  readonly status: number;
  readonly reason: RefusalReason;
  readonly at: number;
  /** The address of the peer. */
  readonly peer: string | null;
}

/** What is counted during a minute. */
interface Counts {
  readonly startedAt: number;
  received: number;
  readonly durations: Uint32Array;
  backlog: Backlog | undefined;
}

type Backlog = Pick<InboxStats, 'waiting' | 'retrying' | 'parked'>;

/**
 * What this receiver did in the last hour, and which requests it refused since its start. It is in memory, and bounded:
 * the minutes of an hour, a count for each status and reason, and the last requests. Nothing of a request is kept.
 */
export class Activity implements Pick<Observer, 'acknowledged' | 'attempted' | 'refused'> {
  readonly #minutes: Counts[] = [];
  readonly #refused = new Map<string, RefusedKind>();
  readonly #lastRefused: RefusedRequest[] = [];

  /**
   * @param stats of the inbox
   * @param now the time, in milliseconds since 1970
   */
  constructor(
    private readonly stats: () => Promise<Backlog>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Serves it at `/activity`, and looks at the backlog once a minute from now on. */
  route(app: FastifyInstance): void {
    const timer = setInterval(() => void this.look(), MINUTE).unref();
    app.addHook('preClose', async () => clearInterval(timer));
    app.get('/activity', { schema: { querystring: NOTHING } }, async () => {
      await this.look();
      return this.read();
    });
  }

  acknowledged(): void {
    this.#minute().received += 1;
  }

  attempted(_result: unknown, milliseconds: number): void {
    const step = Math.ceil(Math.log2(milliseconds / SHORTEST) * STEPS_IN_DOUBLING);
    const { durations } = this.#minute();
    durations[Math.max(0, Math.min(step, STEPS - 1))]! += 1;
  }

  refused(status: number, reason: RefusalReason, peer: string | undefined): void {
    const at = this.now();
    const kind = `${status} ${reason}`;
    const { count, firstAt } = this.#refused.get(kind) ?? { count: 0, firstAt: at };
    this.#refused.set(kind, { status, reason, count: count + 1, firstAt, lastAt: at });
    this.#lastRefused.unshift({ status, reason, at, peer: peer ?? null });
    this.#lastRefused.length = Math.min(this.#lastRefused.length, MAX_REFUSED);
  }

  /** Looks at the backlog, unless it knows that of this minute. An inbox that can't be read has none. */
  async look(): Promise<void> {
    const minute = this.#minute();
    minute.backlog ??= await this.stats().catch(() => undefined);
  }

  /** The minutes of the last hour in which anything was seen, the oldest first, and the refused requests, the last first. */
  read(): { minutes: Minute[]; refused: RefusedKind[]; lastRefused: RefusedRequest[] } {
    this.#minute();
    return {
      minutes: this.#minutes.map(({ startedAt, received, durations, backlog }) => ({
        startedAt,
        received,
        attempts: durations.reduce((sum, count) => sum + count, 0),
        p50: percentile(durations, 0.5),
        p95: percentile(durations, 0.95),
        waiting: backlog?.waiting ?? null,
        retrying: backlog?.retrying ?? null,
        parked: backlog?.parked ?? null,
      })),
      refused: [...this.#refused.values()].sort((one, other) => other.lastAt - one.lastAt),
      lastRefused: [...this.#lastRefused],
    };
  }

  /** The present minute. Those that are older than an hour are forgotten. */
  #minute(): Counts {
    const now = this.now();
    const startedAt = now - (now % MINUTE);
    const last = this.#minutes.at(-1);
    // A clock that is set back goes on with the last minute.
    if (last !== undefined && last.startedAt >= startedAt) return last;
    const minute = { startedAt, received: 0, durations: new Uint32Array(STEPS), backlog: undefined };
    this.#minutes.push(minute);
    while (this.#minutes[0]!.startedAt <= startedAt - MINUTES * MINUTE) this.#minutes.shift();
    return minute;
  }
}

/** How long so many of the attempts took at most, in milliseconds. */
function percentile(durations: Uint32Array, part: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(total * part);
  if (left === 0) return null;
  const step = durations.findIndex((count) => (left -= count) <= 0);
  return SHORTEST * 2 ** (step / STEPS_IN_DOUBLING);
}
