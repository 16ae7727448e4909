import { type CommitOptions, firstBatch, type Pending, splitBatch } from './commit-batch.js';

/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> extends CommitOptions<Write> {
  /** Makes all of these durable, or none, and returns a result for each. Throws if it fails. */
  readonly commit: (writes: readonly Write[]) => readonly Result[];
}

/** A commit waits no longer for further writes than this many times as long as the one before took. */
const MAX_WAIT_RATIO = 4;

/** Longest time that a commit waits for further writes, in milliseconds. */
const MAX_WAIT = 50;

/**
 * Commits what arrives together: one flush for all. A commit blocks the event loop, and one turn of the loop accepts one
 * connection at most. So a commit waits as long as each turn brings a write, and while it is worth the time: on a fast
 * disk, hardly at all.
 */
export class GroupCommit<Write, Result> {
  readonly #options: GroupCommitOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  /** Size of what is pending, in bytes. */
  #size = 0;
  /** Whether the current turn of the loop has brought a write that can't wait. */
  #hasArrivals = false;
  #waitUntil = 0;
  /** How long the last commit took, in milliseconds. */
  #lastDuration = 0;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the write is durable; rejects if its commit failed. */
  add(write: Write): Promise<Result> {
    this.#hasArrivals = true;
    this.#schedule();
    return this.#enqueue(write, false);
  }

  /** Does the same for a write that can wait a little, so that it doesn't cause a flush of its own. */
  addDelayed(write: Write): Promise<Result> {
    this.#timer ??= setTimeout(() => this.#schedule(), this.#options.maxDelay);
    return this.#enqueue(write, true);
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.#schedule();
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #enqueue(write: Write, canWait: boolean): Promise<Result> {
    this.#size += this.#options.sizeOf(write);
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, canWait, resolve, reject });
    });
  }

  #schedule(): void {
    if (this.#immediate !== undefined) return;
    this.#waitUntil = performance.now() + Math.min(MAX_WAIT_RATIO * this.#lastDuration, MAX_WAIT);
    this.#immediate = setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    const hasRoom = this.#size < this.#options.maxSize;
    if (this.#hasArrivals && hasRoom && performance.now() < this.#waitUntil) {
      this.#hasArrivals = false;
      this.#immediate = setImmediate(() => this.#endTurn());
    } else this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#immediate = this.#timer = undefined;
    this.#hasArrivals = false;
    const batch = this.#takeBatch();
    const start = performance.now();
    this.#commit(batch);
    this.#lastDuration = performance.now() - start;
    if (this.#pending.length > 0) this.#schedule();
    else this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  #commit(batch: readonly Pending<Write, Result>[]): void {
    try {
      const results = this.#options.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const parts = splitBatch(batch, this.#options.retry(error));
      if (parts.length > 1) parts.forEach((part) => this.#commit(part));
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
