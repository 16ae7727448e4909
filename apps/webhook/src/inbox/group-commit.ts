import { setImmediate as turnOfTheLoop, setTimeout as sleep } from 'node:timers/promises';

/** How long a commit that waits for writes sleeps at a time, in milliseconds. */
const SLEEP = 1;

/** Which parts of a commit that failed may succeed: none, what can wait or what can't, or any. */
export type Retry = 'nothing' | 'either kind' | 'any part';

/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> {
  /** Makes all of these durable, or none, and resolves with a result for each. */
  readonly commit: (writes: readonly Write[]) => Promise<readonly Result[]>;
  /** What to do after a commit of several writes has failed. One write that can't be made must not refuse others. */
  readonly retry: (error: unknown) => Retry;
  /** Size of one write, in bytes. */
  readonly sizeOf: (write: Write) => number;
  /** Largest size of one commit, in bytes; a single write may be larger. */
  readonly maxSize: number;
  /** How long a write that isn't urgent may wait for others, in milliseconds. */
  readonly maxDelay: number;
  /** Longest time that the next commit waits for further writes, in milliseconds. */
  readonly maxWait: () => number;
  /** Whether it may sleep meanwhile. That takes a millisecond, a turn of the event loop microseconds. */
  readonly maySleep: () => boolean;
}

/** A write that waits for its commit. */
interface Pending<Write, Result> {
  readonly write: Write;
  readonly canWait: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits what arrives together, one commit after the other. Everything that arrives during a commit goes into the next
 * one. A commit waits, while that is worth the time:
 *
 * - As long as each turn of the loop brings a write. A commit may block the loop, and one turn accepts one connection at
 *   most.
 * - For as many writes as the last commit had. Who is answered together sends again together, a little later. It sleeps
 *   meanwhile, because a loop that turns keeps a sender on the same machine from the processor.
 */
export class GroupCommit<Write, Result> {
  readonly #options: GroupCommitOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  /** Size of what is pending, in bytes. */
  #size = 0;
  /** How many writes that can't wait have arrived since the last commit began. */
  #arrived = 0;
  /** How many had arrived when it began. */
  #expected = 0;
  /** Whether something is pending that can't wait, or has waited long enough. */
  #isDue = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: GroupCommitOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the write is durable; rejects if its commit failed. */
  add(write: Write): Promise<Result> {
    this.#arrived += 1;
    const added = this.#enqueue(write, false);
    this.#schedule();
    return added;
  }

  /** Does the same for a write that can wait a little, so that it doesn't cause a flush of its own. */
  addDelayed(write: Write): Promise<Result> {
    this.#timer ??= setTimeout(() => this.#schedule(), this.#options.maxDelay);
    return this.#enqueue(write, true);
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.#pending.length > 0 || this.#running !== undefined) {
      this.#schedule();
      await this.#running;
    }
  }

  #enqueue(write: Write, canWait: boolean): Promise<Result> {
    this.#size += this.#options.sizeOf(write);
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, canWait, resolve, reject });
    });
  }

  #schedule(): void {
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      await this.#gather();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#expected = this.#arrived;
      this.#arrived = 0;
      const batch = this.#takeBatch();
      this.#isDue = this.#pending.length > 0;
      await this.#commit(batch);
    }
    this.#running = undefined;
  }

  async #gather(): Promise<void> {
    const { maxSize, maxWait, maySleep } = this.#options;
    const waitUntil = performance.now() + maxWait();
    const timeLeft = (): number => waitUntil - performance.now();
    let seen = 0;
    await turnOfTheLoop();
    while (this.#arrived > seen && this.#size < maxSize && timeLeft() > 0) {
      seen = this.#arrived;
      await turnOfTheLoop();
      if (this.#arrived === seen && seen < this.#expected && maySleep() && timeLeft() > SLEEP)
        await sleep(SLEEP);
    }
  }

  async #commit(batch: readonly Pending<Write, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const parts = splitBatch(batch, this.#options.retry(error));
      if (parts.length > 1) for (const part of parts) await this.#commit(part);
      else batch.forEach(({ reject }) => reject(error));
    }
  }

  #takeBatch(): Pending<Write, Result>[] {
    const { count, size } = firstBatch(this.#pending, this.#options);
    this.#size -= size;
    if (count === this.#pending.length) {
      const batch = this.#pending;
      this.#pending = [];
      return batch;
    }
    return this.#pending.splice(0, count);
  }
}

/** How many of the first writes fit into one commit, at least one, and their size. */
function firstBatch<Write>(
  pending: readonly { readonly write: Write }[],
  { sizeOf, maxSize }: Pick<GroupCommitOptions<Write, unknown>, 'sizeOf' | 'maxSize'>,
): { readonly count: number; readonly size: number } {
  let size = 0;
  let count = 0;
  for (const { write } of pending) {
    const withThis = size + sizeOf(write);
    if (count > 0 && withThis > maxSize) break;
    size = withThis;
    count += 1;
  }
  return { count, size };
}

/** The parts of a batch that are tried by themselves, what can't wait first; none if none may succeed. */
function splitBatch<Part extends { readonly canWait: boolean }>(
  batch: readonly Part[],
  retry: Retry,
): Part[][] {
  if (retry === 'nothing') return [];
  const kinds = [batch.filter(({ canWait }) => !canWait), batch.filter(({ canWait }) => canWait)];
  if (kinds.every((kind) => kind.length > 0)) return kinds;
  const middle = Math.ceil(batch.length / 2);
  return retry === 'any part' && batch.length > 1 ? [batch.slice(0, middle), batch.slice(middle)] : [];
}
