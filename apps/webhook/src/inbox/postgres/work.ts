import {
  type AttemptResult,
  type Delivery,
  type IncomingDelivery,
  type Interrupted,
  storableText,
} from '../inbox.js';
import { Progress } from '../write-plan.js';
import type { CutOff } from './claim-statements.js';
import type { Changes } from './write-statement.js';

/** Something that is to be written. */
export type Write =
  | { readonly kind: 'accept'; readonly incoming: IncomingDelivery; readonly receivedAt: number }
  | { readonly kind: 'settle'; readonly delivery: Interrupted; readonly result: AttemptResult }
  | { readonly kind: 'check' };

/** Most content of new deliveries in memory for the handler, in bytes, and most of them. The rest waits in the backlog. */
const MAX_FRESH_BYTES = 8 * 1_048_576;
const MAX_FRESH = 10_000;

/** How many ids a delivery may lag behind before it moves to the backlog, as in the embedded inbox. */
const MAX_LAG = 256;

/** A delivery that the dispatcher has. */
interface ClaimedDelivery {
  readonly bytes: number;
  /** Whether it has a row in the backlog. Otherwise the receiver's progress tells its state. */
  isInBacklog: boolean;
}

/** What a commit changes, and what it means for each write. */
export interface Plan {
  readonly changes: Omit<Changes, 'receiver' | 'number' | 'part'>;
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
  /** Those that the handler has, with their failures. */
  readonly #running: Map<number, number>;
  readonly #progress = new Progress(0);
  #acceptedThrough = 0;
  /** New attempts that are stored as begun. */
  #marked: Set<number> = new Set();
  /** A suspect that the handler has. */
  #suspect: number | undefined;
  /** Whether arrivals went to the backlog. The next ones follow them, until the backlog is empty: the order stays. */
  hasOverflow = false;

  /** @param before the work of the session before. What the handler has stays claimed, as rows of the backlog. */
  constructor(before?: Work) {
    this.#claimed = before ? before.#claimed : new Map<number, ClaimedDelivery>();
    this.#running = before ? before.#running : new Map<number, number>();
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

  get hasSuspect(): boolean {
    return this.#suspect !== undefined;
  }

  /** Has these from the backlog. */
  take(held: readonly Delivery[]): void {
    this.#taken.push(...held);
  }

  /** The dispatcher gets these to settle them. They are rows of the backlog. */
  claimCutOff(deliveries: readonly CutOff[]): void {
    for (const { id, bytes } of deliveries) this.#claimed.set(id, { bytes, isInBacklog: true });
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

  /** These, and no others that the handler doesn't have, are marked now. */
  setMarked(next: readonly Delivery[]): void {
    this.#marked = new Set(next.map(({ id }) => id));
  }

  /** What the handler has once it gets these, too. */
  runningWith(next: readonly Delivery[]): Interrupted[] {
    const running = next.map(({ id, failures }) => ({ id, failures }));
    for (const [id, failures] of this.#running) running.push({ id, failures });
    return running;
  }

  /** The handler gets these, which are the next ones. */
  begin(next: readonly Delivery[]): void {
    const fresh = new Set(this.#fresh.slice(0, next.length));
    let freshCount = 0;
    for (const held of next) {
      const { id, content, failures, suspect } = held;
      const isInBacklog = !fresh.has(held);
      if (!isInBacklog) {
        freshCount += 1;
        this.#freshBytes -= content.length;
        this.#progress.claim(id);
      }
      this.#claimed.set(id, { bytes: content.length, isInBacklog });
      this.#running.set(id, failures);
      if (suspect) this.#suspect = id;
    }
    this.#fresh.splice(0, freshCount);
    this.#taken.splice(0, next.length - freshCount);
  }

  /** The attempt is over. Its result is not stored yet. */
  end(id: number): void {
    this.#running.delete(id);
    this.#marked.delete(id);
    if (this.#suspect === id) this.#suspect = undefined;
  }

  /**
   * Plans a commit without changing anything, so that a failed one leaves everything as it was.
   *
   * @param maxLag how far a delivery may lag behind before it moves to the backlog
   */
  plan(writes: readonly Write[], maxLag = MAX_LAG): Plan {
    const plan: Draft = {
      ...{ arrivals: [], entering: [], returning: [], parked: [], parkedAgain: [], leaving: [] },
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
      const { id } = write.delivery;
      const claimed = this.#claimed.get(id);
      // Another receiver has taken it up meanwhile.
      if (claimed === undefined || settled.has(id)) continue;
      settled.add(id);
      if (!claimed.isInBacklog) ended.add(id);
      this.#planResult(plan, claimed, write.delivery, write.result);
    }
    const stragglers = this.#progress.stragglers(maxLag).filter((id) => !ended.has(id));
    for (const id of stragglers) {
      ended.add(id);
      const { bytes: size } = this.#claimed.get(id)!;
      const row = { id, bytes: size, failures: 0, error: null, suspect: false, dueIn: 0 };
      plan.entering.push({ ...row, isClaimed: true });
    }
    const keeps =
      !this.hasOverflow &&
      this.#freshBytes + bytes <= MAX_FRESH_BYTES &&
      this.#fresh.length + plan.arrivals.length <= MAX_FRESH;
    const handledThrough = this.#progress.handledThrough(ended);
    const changes = { ...plan, keeps, handledThrough, acceptedThrough: this.#acceptedThrough };
    return { changes, arrivalOf, settled: [...settled], ended, stragglers };
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
    const row = {
      ...{ id, bytes, failures: failures + 1, error: storableText(result.error) },
      ...{ suspect: false, dueIn: 0, isClaimed: false },
    };
    if (result.kind === 'parked') (isInBacklog ? plan.parkedAgain : plan.parked).push(row);
    else {
      const { suspect = false, retryAfter } = result;
      (isInBacklog ? plan.returning : plan.entering).push({ ...row, suspect, dueIn: Math.ceil(retryAfter) });
    }
  }

  /**
   * Remembers a commit.
   *
   * @param ids of the arrivals; null for one of an event that was stored already
   */
  remember({ changes, settled, ended, stragglers }: Plan, ids: readonly (number | null)[]): void {
    for (const id of ended) this.#progress.end(id);
    for (const id of settled) this.#claimed.delete(id);
    for (const id of stragglers) {
      const claimed = this.#claimed.get(id);
      if (claimed !== undefined) claimed.isInBacklog = true;
    }
    if (!changes.keeps) {
      this.hasOverflow ||= changes.arrivals.length > 0;
      return;
    }
    changes.arrivals.forEach(({ incoming, receivedAt }, index) => {
      const id = ids[index] ?? null;
      if (id === null) return;
      this.#acceptedThrough = id;
      this.#fresh.push({ id, failures: 0, suspect: false, receivedAt, ...incoming });
      this.#freshBytes += incoming.content.length;
    });
  }
}
