/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> {
  /** Makes all of these durable, or none, and returns a result for each. Throws if it fails. */
  readonly commit: (writes: readonly Write[]) => readonly Result[];
  /** Size of one write, in bytes. */
  readonly sizeOf: (write: Write) => number;
  /** Largest size of one commit, in bytes; a single write may be larger. */
  readonly maxSize: number;
  /** How long {@link GroupCommit.addDelayed} may wait for other writes, in milliseconds. */
  readonly maxDelay: number;
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits everything that arrives in one turn of the event loop together: one flush for all. A commit blocks the loop,
 * so whatever arrives meanwhile goes into the next one.
 */
export class GroupCommit<Write, Result> {
  readonly #options: GroupCommitOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the write is durable; rejects if its commit failed. */
  add(write: Write): Promise<Result> {
    this.#immediate ??= setImmediate(() => this.#flush());
    return this.#enqueue(write);
  }

  /** Does the same for a write that can wait a little, so that it doesn't cause a flush of its own. */
  addDelayed(write: Write): Promise<Result> {
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.maxDelay);
    return this.#enqueue(write);
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.#immediate ??= setImmediate(() => this.#flush());
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #enqueue(write: Write): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, resolve, reject });
    });
  }

  #flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = this.#timer = undefined;
    const batch = this.#takeBatch();
    if (this.#pending.length > 0) this.#immediate = setImmediate(() => this.#flush());
    try {
      const results = this.#options.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
    if (this.#pending.length === 0) this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  #takeBatch(): Pending<Write, Result>[] {
    let size = 0;
    let count = 0;
    for (const { write } of this.#pending) {
      size += this.#options.sizeOf(write);
      if (count > 0 && size > this.#options.maxSize) break;
      count += 1;
    }
    if (count === this.#pending.length) {
      const batch = this.#pending;
      this.#pending = [];
      return batch;
    }
    return this.#pending.splice(0, count);
  }
}
