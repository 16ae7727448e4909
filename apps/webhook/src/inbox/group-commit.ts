import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { type CommitOptions, firstBatch, type Pending, splitBatch } from './commit-batch.js';

/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> extends CommitOptions<Write> {
  /** Makes all of these durable, or none, and resolves with a result for each. */
  readonly commit: (writes: readonly Write[]) => Promise<readonly Result[]>;
}

/** A commit waits no longer for further writes than this many times as long as the one before took. */
const MAX_WAIT_RATIO = 4;

/** Longest time that a commit waits for further writes, in milliseconds. */
const MAX_WAIT = 50;

/**
 * Commits what arrives together: one flush for all, one commit after the other. A commit may block the event loop, and
 * one turn of the loop accepts one connection at most. So a commit waits as long as each turn brings a write, and while
 * it is worth the time: on a fast disk, hardly at all.
 */
export class GroupCommit<Write, Result> {
  readonly #options: GroupCommitOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  /** Size of what is pending, in bytes. */
  #size = 0;
  /** Whether a write has arrived that can't wait, since this was last looked at. */
  #hasArrivals = false;
  /** Whether something is pending that can't wait, or has waited long enough. */
  #isDue = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How long the last commit took, in milliseconds. */
  #lastDuration = 0;

  constructor(options: GroupCommitOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the write is durable; rejects if its commit failed. */
  add(write: Write): Promise<Result> {
    this.#hasArrivals = true;
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
      this.#hasArrivals = false;
      const batch = this.#takeBatch();
      this.#isDue = this.#pending.length > 0;
      const start = performance.now();
      await this.#commit(batch);
      this.#lastDuration = performance.now() - start;
    }
    this.#running = undefined;
  }

  async #gather(): Promise<void> {
    const waitUntil = performance.now() + Math.min(MAX_WAIT_RATIO * this.#lastDuration, MAX_WAIT);
    await turnOfTheLoop();
    while (this.#hasArrivals && this.#size < this.#options.maxSize && performance.now() < waitUntil) {
      this.#hasArrivals = false;
      await turnOfTheLoop();
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
