import { sizeOf } from '../fresh-deliveries.js';
import {
  type AttemptResult,
  type Delivery,
  type IncomingDelivery,
  type Interrupted,
  storableText,
} from '../inbox.js';
import { Progress } from '../progress.js';
import type { CutOff } from './claim-statements.js';
import type { Changes } from './write-statement.js';

/** Something that is to be written. */
export type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly delivery: Interrupted; readonly result: AttemptResult }
  | { readonly kind: 'check' };

/** Most content and fields of new deliveries in memory for the handler, in bytes, and most deliveries. The rest waits in the backlog. */
const MAX_FRESH_BYTES = 8 * 1_048_576;
const MAX_FRESH = 10_000;

/** An attempt that takes less is quick, in milliseconds. */
const QUICK = 50;

/** After so many quick attempts in a row, as many are marked ahead. */
const MARKED_AHEAD = 64;

/** A delivery that the dispatcher has. */
interface ClaimedDelivery {
  /** Tells its attempts apart. */
  readonly failures: number;
  readonly bytes: number;
  /** Whether it has a row in the backlog. Otherwise the receiver's progress tells its state. */
  isInBacklog: boolean;
}

/** What a commit changes, and what it means for each write. */
export interface Plan {
  readonly changes: Omit<Changes, 'receiver' | 'number' | 'markNumber' | 'part'>;
  /** For each write, the index of its arrival; undefined if it is none. */
  readonly arrivalOf: readonly (number | undefined)[];
  /** The deliveries whose results are written. */
  readonly settled: readonly number[];
  /** New deliveries that have ended, or move to the backlog. */
  readonly ended: ReadonlySet<number>;
  readonly stragglers: readonly number[];
}

type Draft = {
  readonly [Part in 'arrivals' | 'entering' | 'returning' | 'parked' | 'parkedAgain' | 'leaving']: Mutable<
    Changes[Part]
  >;
};
type Mutable<List> = List extends readonly (infer Item)[] ? Item[] : never;

/** The deliveries that a receiver has in memory: waiting for its handler, and with its handler. */
export class Work {
  /** New deliveries of this receiver that the dispatcher doesn't have yet, in the order of their ids. */
  readonly #fresh: Delivery[] = [];
  #freshBytes = 0;
  /** Deliveries that were claimed from the backlog. */
  readonly #taken: Delivery[] = [];
  readonly #claimed: Map<number, ClaimedDelivery>;
  /** Those that the handler has, and since when, by `performance.now()`. */
  readonly #running: Map<number, number>;
  #progress = new Progress(0);
  #acceptedThrough = 0;
  /** How many deliveries this receiver has stored. */
  #stored = 0;
  /** Those that are stored as begun, with their failures: what the handler has, and what it is about to get. */
  readonly #marked: Map<number, number>;
  /** A suspect that the handler has. */
  #suspect: number | undefined;
  /** How many attempts were quick, since the last one that was not. */
  #quickAttempts = 0;
  /** Whether arrivals went to the backlog. The next ones follow them, until the backlog is empty: the order stays. */
  hasOverflow = false;

  /** @param before the work of the session before. What the handler has stays claimed, as rows of the backlog. */
  constructor(before?: Work) {
    this.#claimed = before ? before.#claimed : new Map<number, ClaimedDelivery>();
    this.#running = before ? before.#running : new Map<number, number>();
    this.#marked = new Map(before ? [...before.#marked].filter(([id]) => this.#running.has(id)) : []);
    this.#suspect = before ? before.#suspect : undefined;
    for (const claimed of this.#claimed.values()) claimed.isInBacklog = true;
  }

  /** Deliveries from the backlog that the dispatcher can have at once. */
  get taken(): number {
    return this.#taken.length;
  }

  /** Deliveries that the dispatcher can have at once. */
  get ready(): number {
    return this.#fresh.length + this.#taken.length;
  }

  /** New deliveries of this receiver that wait, and that no row of the backlog tells of. */
  get own(): { readonly waiting: readonly number[]; readonly acceptedThrough: number } {
    const waiting = this.#fresh.map(({ id }) => id);
    for (const [id, { isInBacklog }] of this.#claimed) if (!isInBacklog) waiting.push(id);
    return { waiting, acceptedThrough: this.#acceptedThrough };
  }

  /** The ids of all that the dispatcher has. */
  get claimedIds(): number[] {
    return [...this.#claimed.keys()];
  }

  /** Whether the dispatcher has it. */
  isClaimed(id: number): boolean {
    return this.#claimed.has(id);
  }

  get hasSuspect(): boolean {
    return this.#suspect !== undefined;
  }

  /** Has these from the backlog. */
  take(held: readonly Delivery[]): void {
    this.#taken.push(...held);
  }

  /** The dispatcher gets these to settle them. They are rows of the backlog. */
  claimCutOff(deliveries: readonly CutOff[]): void {
    for (const { id, bytes, failures } of deliveries)
      this.#claimed.set(id, { failures, bytes, isInBacklog: true });
  }

  /** The next deliveries for the handler, the first id first; a suspect alone, when the handler has nothing else. */
  next(limit: number): Delivery[] {
    const next: Delivery[] = [];
    let fresh = 0;
    let taken = 0;
    while (next.length < limit && this.#suspect === undefined) {
      const [one, other] = [this.#fresh[fresh], this.#taken[taken]];
      const isFresh = other === undefined || (one !== undefined && one.id < other.id);
      const held = isFresh ? one : other;
      if (held === undefined) break;
      if (held.suspect) {
        if (next.length === 0 && this.#running.size === 0) next.push(held);
        break;
      }
      next.push(held);
      if (isFresh) fresh += 1;
      else taken += 1;
    }
    return next;
  }

  /** Whether all of these are marked as what the handler has or is about to get. */
  isMarked(next: readonly Delivery[]): boolean {
    return next.every(({ id }) => this.#marked.has(id));
  }

  /**
   * How many deliveries are marked before the handler has them, while it is quick. If the receiver then ends, they count
   * as cut off, too.
   */
  get markedAhead(): number {
    return this.#quickAttempts < MARKED_AHEAD ? 0 : MARKED_AHEAD;
  }

  /** What is marked once these are, too. */
  markedWith(next: readonly Interrupted[]): Interrupted[] {
    const marked = Array.from(this.#marked, ([id, failures]) => ({ id, failures }));
    for (const { id, failures } of next) if (!this.#marked.has(id)) marked.push({ id, failures });
    return marked;
  }

  /** These are marked, too. */
  setMarked(next: readonly Interrupted[]): void {
    for (const { id, failures } of next) this.#marked.set(id, failures);
  }

  /** Those of these that the handler doesn't have yet are marked, too. */
  #setStillWaiting(stored: readonly Interrupted[]): void {
    const ids = new Set(stored.map(({ id }) => id));
    this.setMarked(this.next(ids.size).filter(({ id }) => ids.has(id)));
  }

  /** The handler gets these, which are the next ones. */
  begin(next: readonly Delivery[]): void {
    const fresh = new Set(this.#fresh.slice(0, next.length));
    const now = performance.now();
    let freshCount = 0;
    for (const held of next) {
      const { id, content, failures, suspect } = held;
      const isInBacklog = !fresh.has(held);
      if (!isInBacklog) {
        freshCount += 1;
        this.#freshBytes -= sizeOf(held);
        this.#progress.claim(id);
      }
      this.#claimed.set(id, { failures, bytes: content.length, isInBacklog });
      this.#running.set(id, now);
      if (suspect) this.#suspect = id;
    }
    this.#fresh.splice(0, freshCount);
    this.#taken.splice(0, next.length - freshCount);
  }

  /** The attempt is over. Its result is not stored yet. */
  end({ id, failures }: Interrupted): void {
    if (this.#claimed.get(id)?.failures !== failures) return;
    const since = this.#running.get(id);
    const isQuick = since !== undefined && performance.now() - since < QUICK;
    this.#quickAttempts = isQuick ? this.#quickAttempts + 1 : 0;
    this.#running.delete(id);
    this.#marked.delete(id);
    if (this.#suspect === id) this.#suspect = undefined;
  }

  /**
   * Plans a commit without changing anything, so that a failed one leaves everything as it was.
   *
   * @param ahead how many deliveries the handler is about to get
   * @param maxLag see {@link Progress.stragglers}
   */
  plan(writes: readonly Write[], ahead: number, maxLag?: number): Plan {
    const plan: Draft = {
      arrivals: [],
      entering: [],
      returning: [],
      parked: [],
      parkedAgain: [],
      leaving: [],
    };
    const arrivalOf: (number | undefined)[] = [];
    const settled = new Set<number>();
    const ended = new Set<number>();
    const events = new Map<string, number>();
    let bytes = 0;
    for (const write of writes) {
      if (write.kind === 'accept') {
        const { eventId } = write.incoming;
        const first = eventId === null ? undefined : events.get(eventId);
        arrivalOf.push(first ?? plan.arrivals.length);
        if (first !== undefined) continue;
        if (eventId !== null) events.set(eventId, plan.arrivals.length);
        bytes += write.incoming.content.length;
        plan.arrivals.push(write);
        continue;
      }
      arrivalOf.push(undefined);
      if (write.kind === 'check') continue;
      const { id, failures } = write.delivery;
      const claimed = this.#claimed.get(id);
      // Another receiver has taken it up meanwhile, or this result was stored although its commit seemed to fail.
      if (claimed?.failures !== failures || settled.has(id)) continue;
      settled.add(id);
      if (!claimed.isInBacklog) ended.add(id);
      this.#planResult(plan, claimed, write.delivery, write.result);
    }
    const stragglers = this.#progress.stragglers(maxLag).filter((id) => !ended.has(id));
    for (const id of stragglers) {
      ended.add(id);
      const { bytes: size } = this.#claimed.get(id)!;
      const row = { id, bytes: size, failures: 0, error: null, suspect: false, dueIn: 0, isClaimed: true };
      plan.entering.push(row);
    }
    const keeps =
      !this.hasOverflow &&
      this.#freshBytes + bytes <= MAX_FRESH_BYTES &&
      this.#fresh.length + plan.arrivals.length <= MAX_FRESH;
    const handledThrough = this.#progress.handledThrough(ended);
    const marks = keeps ? this.#planMarks(ahead, plan.arrivals.length) : undefined;
    const changes = {
      ...plan,
      keeps,
      handledThrough,
      acceptedThrough: this.#acceptedThrough,
      stored: this.#stored,
      marks,
    };
    return { changes, arrivalOf, settled: [...settled], ended, stragglers };
  }

  /** Undefined if the handler isn't about to get any of the arrivals. */
  #planMarks(ahead: number, arrivals: number): Changes['marks'] {
    const next = this.next(ahead);
    const count = Math.min(ahead - next.length, arrivals);
    const comeNext = next.length === this.ready;
    return count > 0 && comeNext ? { deliveries: this.markedWith(next), arrivals: count } : undefined;
  }

  #planResult(
    plan: Draft,
    { bytes, isInBacklog }: ClaimedDelivery,
    { id, failures }: Interrupted,
    result: AttemptResult,
  ): void {
    if (result.kind === 'handled') {
      if (isInBacklog) plan.leaving.push(id);
      return;
    }
    const { suspect = false, retryAfter = 0 } = result.kind === 'failed' ? result : {};
    const row = {
      id,
      bytes,
      failures: failures + 1,
      error: storableText(result.error),
      suspect,
      dueIn: Math.ceil(retryAfter),
      isClaimed: false,
    };
    if (result.kind === 'parked') (isInBacklog ? plan.parkedAgain : plan.parked).push(row);
    else (isInBacklog ? plan.returning : plan.entering).push(row);
  }

  /**
   * Remembers a commit.
   *
   * @param ids of the arrivals; null for one of an event that was stored already
   * @param isMarked whether its marks are the last ones
   */
  remember(
    { changes, settled, ended, stragglers }: Plan,
    ids: readonly (number | null)[],
    isMarked: boolean,
  ): void {
    for (const id of ended) this.#progress.end(id);
    for (const id of ids) if (id !== null) this.#stored += 1;
    for (const id of settled) this.#claimed.delete(id);
    for (const id of stragglers) {
      const claimed = this.#claimed.get(id);
      if (claimed !== undefined) claimed.isInBacklog = true;
    }
    if (!changes.keeps) {
      this.hasOverflow ||= changes.arrivals.length > 0;
      return;
    }
    let marks = 0;
    if (isMarked && changes.marks !== undefined) {
      marks = changes.marks.arrivals;
      this.#setStillWaiting(changes.marks.deliveries);
    }
    changes.arrivals.forEach(({ incoming, receivedAt }, index) => {
      const id = ids[index] ?? null;
      if (id === null) return;
      if (this.#acceptedThrough === 0) this.#progress = new Progress(id - 1);
      this.#acceptedThrough = id;
      if ((marks -= 1) >= 0) this.#marked.set(id, 0);
      this.#fresh.push({ id, failures: 0, suspect: false, receivedAt, ...incoming });
      this.#freshBytes += sizeOf(incoming);
    });
  }
}
