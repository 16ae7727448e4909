import { type CommitOptions, firstBatch, type Pending, splitBatch } from './commit-batch.js';

/** How a {@link CommitQueue} writes. */
export interface CommitQueueOptions<Write, Result> extends CommitOptions<Write> {
  /** Makes all of these durable, or none, and resolves with a result for each. */
  readonly commit: (writes: readonly Write[]) => Promise<readonly Result[]>;
}

/** Longest time that a commit waits for further writes, in milliseconds. */
const MAX_WAIT = 10;

/**
 * Commits what arrives together, one commit after the other, to a database in another process. Everything that arrives
 * during a commit goes into the next one.
 */
export class CommitQueue<Write, Result> {
  readonly #options: CommitQueueOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How long the last commit took, in milliseconds. At first, long enough to wait for a turn of the loop. */
  #lastDuration = 1;

  constructor(options: CommitQueueOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the write is durable; rejects if its commit failed. */
  add(write: Write): Promise<Result> {
    this.#running ??= this.#run();
    return this.#enqueue(write, false);
  }

  /** Does the same for a write that can wait a little, so that it doesn't cause a commit of its own. */
  addDelayed(write: Write): Promise<Result> {
    if (this.#running === undefined)
      this.#timer ??= setTimeout(() => {
        this.#running ??= this.#run();
      }, this.#options.maxDelay);
    return this.#enqueue(write, true);
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.#pending.length > 0 || this.#running !== undefined) {
      this.#running ??= this.#run();
      await this.#running;
    }
  }

  #enqueue(write: Write, canWait: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, canWait, resolve, reject });
    });
  }

  async #run(): Promise<void> {
    do {
      await this.#gather();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const start = performance.now();
      await this.#commit(this.#takeBatch());
      this.#lastDuration = performance.now() - start;
    } while (this.#pending.length > 0);
    this.#running = undefined;
  }

  /** Waits as long as each turn of the event loop brings a write, and no longer than the last commit took. */
  async #gather(): Promise<void> {
    const waitUntil = performance.now() + Math.min(this.#lastDuration, MAX_WAIT);
    for (let count = -1; count < this.#pending.length && performance.now() < waitUntil;) {
      count = this.#pending.length;
      await new Promise(setImmediate);
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
    const { count } = firstBatch(this.#pending, this.#options);
    return this.#pending.splice(0, count);
  }
}
