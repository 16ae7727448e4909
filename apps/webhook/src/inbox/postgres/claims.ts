import type { Claim, Interrupted } from '../inbox.js';
import {
  claimBacklog,
  claimCutOff,
  type Cursor,
  type CutOff,
  FROM_THE_START,
  markUnderWay,
  nextDueIn,
} from './claim-statements.js';
import type { Session } from './session.js';
import { Work } from './work.js';

/** Most deliveries that are claimed from the backlog at once. It starts with as many as the handler takes. */
const MAX_BLOCK = 512;

/** What one session claims for the handler: the receiver's own new deliveries, and those of the backlog. */
export class Claims {
  #cursor: Cursor = FROM_THE_START;
  /** When something in the backlog may be due, by `performance.now()`. */
  #lookAt = 0;
  #block = 1;
  #lastMark = 0;
  #isMarking = false;
  /** What other receivers left in the middle of an attempt. The dispatcher gets it with the next claim. */
  readonly #cutOff: CutOff[];
  #claiming: Promise<unknown> = Promise.resolve();

  /** What the dispatcher has, and what it is about to get. */
  readonly work: Work;

  /** @param before the claims of the session before */
  constructor(
    private readonly session: Session,
    before?: Claims,
  ) {
    this.work = new Work(before?.work);
    this.#cutOff = before === undefined ? [] : before.#cutOff;
  }

  /** Claims what was cut off, and makes nothing due later than in `maxWait` milliseconds. */
  async recover(maxWait: number): Promise<Interrupted[]> {
    const cutOff = await claimCutOff(this.session.writer, this.session.receiver, maxWait);
    this.work.claimCutOff(cutOff);
    // They have these, too.
    this.#cutOff.splice(0);
    this.lookFromTheStart();
    this.look(0);
    return cutOff.map(toInterrupted);
  }

  /** Has these from a receiver that is gone. Some the dispatcher may have already, from a session before. */
  addCutOff(cutOff: readonly CutOff[]): void {
    const added = cutOff.filter(({ id }) => !this.work.isClaimed(id));
    this.work.claimCutOff(added);
    this.#cutOff.push(...added);
  }

  /** Claims one after the other. While the handler is paused, only what was cut off. */
  next(limit: number, isPaused: () => boolean): Promise<Claim> {
    const claimed = this.#claiming.then(() => this.#next(isPaused() ? 0 : limit));
    this.#claiming = claimed.catch(() => undefined);
    return claimed;
  }

  /** Resolves when no claim is under way. */
  async idle(): Promise<void> {
    await this.#claiming;
  }

  /** The backlog may have something that is due in so many milliseconds. */
  look(dueIn: number): void {
    this.#lookAt = Math.min(this.#lookAt, performance.now() + dueIn);
  }

  /** The next claim reads the whole index of the backlog. */
  lookFromTheStart(): void {
    this.#cursor = FROM_THE_START;
  }

  /** Looks for what others left in the backlog. @returns whether there is something to claim */
  async poll(): Promise<boolean> {
    const dueIn = await nextDueIn(this.session.reader, this.#cursor);
    if (dueIn !== undefined) this.look(dueIn);
    return dueIn === 0 || this.#cutOff.length > 0;
  }

  /** How many of the next deliveries a commit marks together with what it stores. */
  get markedAhead(): number {
    return this.#isMarking ? 0 : this.work.markedAhead;
  }

  get lastMark(): number {
    return this.#lastMark;
  }

  /** The number of a mark. The last one counts. */
  nextMark(): number {
    return (this.#lastMark += 1);
  }

  async #next(limit: number): Promise<Claim> {
    const { work } = this;
    if (limit === 0) return { deliveries: [], nextDueIn: undefined, ...this.#interrupted() };
    while (!work.hasSuspect && work.taken < limit && this.#lookAt <= performance.now())
      await this.#takeBacklog(limit - work.taken);
    const next = work.next(limit);
    if (!work.isMarked(next)) await this.#mark(limit);
    if (next.length > 0) work.begin(next);
    const waitsForSuspect = work.hasSuspect || (next.length < limit && work.ready > 0);
    const hasNoTime = waitsForSuspect || this.#lookAt === Infinity;
    const nextDueIn = hasNoTime ? undefined : Math.max(0, this.#lookAt - performance.now());
    return { deliveries: next, nextDueIn, ...this.#interrupted() };
  }

  #interrupted(): Pick<Claim, 'interrupted'> {
    const interrupted = this.#cutOff.splice(0).map(toInterrupted);
    return interrupted.length > 0 ? { interrupted } : {};
  }

  /** Stores what the handler is about to have, before it has it. */
  async #mark(limit: number): Promise<void> {
    const { reader, receiver } = this.session;
    const next = this.work.next(limit + this.work.markedAhead);
    this.#isMarking = true;
    try {
      await markUnderWay(reader, receiver, this.nextMark(), this.work.markedWith(next));
      this.work.setMarked(next);
    } finally {
      this.#isMarking = false;
    }
  }

  async #takeBacklog(limit: number): Promise<void> {
    const { work } = this;
    const { writer, receiver } = this.session;
    const count = Math.max(limit, this.#block);
    this.#lookAt = Infinity;
    try {
      const { deliveries, cursor } = await claimBacklog(writer, receiver, this.#cursor, count);
      work.take(deliveries);
      this.#cursor = cursor;
      this.#block = deliveries.length === 0 ? 1 : Math.min(2 * count, MAX_BLOCK);
      if (deliveries.length === count) return this.look(0);
      const dueIn = await nextDueIn(writer, cursor);
      if (dueIn !== 0) work.hasOverflow = false;
      if (dueIn !== undefined) this.look(dueIn);
    } catch (error) {
      this.look(0);
      throw error;
    }
  }
}

const toInterrupted = ({ id, failures }: CutOff): Interrupted => ({ id, failures });
