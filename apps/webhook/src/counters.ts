import type { Failure } from '@plant-store/contract';

/** Why a request was refused: a failure of the contract, or what keeps HTTP from processing it. */
export type RefusalReason =
  | Failure
  | 'chunk-extensions-too-large'
  | 'head-too-large'
  | 'host-invalid'
  | 'http-version-unsupported'
  | 'method-not-implemented'
  | 'not-http'
  | 'path-malformed'
  | 'request-too-slow'
  | 'transfer-coding-unknown';

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

/** Most refused requests that are remembered one by one. */
const MAX_REFUSED = 50;

/** The highest status of HTTP. */
const MAX_STATUS = 599;

/**
 * What this receiver has done since its start, for its metrics and its activity, which read it when somebody asks. It is
 * told of each delivery, so a count is an addition. Times are in milliseconds.
 */
export class Counters {
  /** How many responses were sent, by their status. */
  readonly responses = new Float64Array(MAX_STATUS + 1);
  /** From the head of a delivery to its acknowledgement. */
  readonly acknowledgements = new Histogram();
  /** Durations of the commits that stored deliveries, and how many each stored. */
  readonly commits = new Histogram();
  readonly commitDeliveries = new Histogram();
  /** Attempts of the handler by their result, and their durations. */
  readonly attempts = { handled: 0, failed: 0, parked: 0 };
  readonly attemptDurations = new Histogram();
  readonly #refused = new Map<string, RefusedKind>();
  readonly #lastRefused: RefusedRequest[] = [];

  /** @param now the time, in milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** A response to a request was sent, whatever its path. */
  responded(status: number): void {
    this.responses[status]! += 1;
  }

  /** A request was refused. Nothing of it is kept, only where it came from. */
  refused(status: number, reason: RefusalReason, peer: string | undefined): void {
    const at = this.now();
    const kind = `${status} ${reason}`;
    const { count, firstAt } = this.#refused.get(kind) ?? { count: 0, firstAt: at };
    this.#refused.set(kind, { status, reason, count: count + 1, firstAt, lastAt: at });
    this.#lastRefused.unshift({ status, reason, at, peer: peer ?? null });
    if (this.#lastRefused.length > MAX_REFUSED) this.#lastRefused.pop();
  }

  /** A delivery was acknowledged, so long after its head was read. */
  acknowledged(milliseconds: number): void {
    this.acknowledgements.add(milliseconds);
  }

  /** The inbox made deliveries durable, all in one commit. */
  committed(deliveries: number, milliseconds: number): void {
    this.commits.add(milliseconds);
    this.commitDeliveries.add(deliveries);
  }

  /** An attempt of the handler ended. */
  attempted(result: keyof Counters['attempts'], milliseconds: number): void {
    this.attempts[result] += 1;
    this.attemptDurations.add(milliseconds);
  }

  /** The requests that were refused, by status and reason, the last first. There are few of each. */
  get refusedKinds(): RefusedKind[] {
    return [...this.#refused.values()].sort((one, other) => other.lastAt - one.lastAt);
  }

  /** The last fifty of them, the last first. */
  get lastRefused(): RefusedRequest[] {
    return [...this.#lastRefused];
  }
}

/** The steps of a decade: each is at most a fifth above the one before. */
const TENTHS = [10, 12, 14, 16, 18, 20, 22, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90];

/** The upper bounds of the steps in which values are counted, from 0.1 to 900,000. Those of every metric are among them. */
const BOUNDS = Float64Array.from(
  [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((decade) =>
    TENTHS.map((tenths) => (tenths * decade) / 100),
  ),
);

/** Counts values by their size, in steps: a percentile is at most a fifth too large. */
export class Histogram {
  sum = 0;
  /** The last one has what is above every bound. */
  readonly #counts = new Float64Array(BOUNDS.length + 1);

  add(value: number): void {
    this.sum += value;
    let low = 0;
    let high = BOUNDS.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= BOUNDS[middle]!) high = middle;
      else low = middle + 1;
    }
    this.#counts[low]! += 1;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** How many of the values are this bound at most. */
  atMost(bound: number): number {
    return this.#counts.reduce((sum, count, step) => (BOUNDS[step]! <= bound ? sum + count : sum), 0);
  }

  /** So many of the values are this at most; null without any. */
  percentile(part: number): number | null {
    let left = Math.ceil(this.count * part);
    if (left === 0) return null;
    const step = this.#counts.findIndex((count) => (left -= count) <= 0);
    return BOUNDS[Math.min(step, BOUNDS.length - 1)]!;
  }

  /** What was added since this copy was made. */
  since(earlier: Histogram): Histogram {
    const difference = new Histogram();
    difference.sum = this.sum - earlier.sum;
    this.#counts.forEach((count, step) => (difference.#counts[step] = count - earlier.#counts[step]!));
    return difference;
  }

  copy(): Histogram {
    return this.since(new Histogram());
  }
}
