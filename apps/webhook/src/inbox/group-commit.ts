/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> {
  /** Makes all of these durable, or none of them, and gives a result for each. Throws if it could not. */
  readonly commit: (writes: readonly Write[]) => readonly Result[];
  /** Size of one write, in bytes. */
  readonly sizeOf: (write: Write) => number;
  /** A commit takes no further write beyond this many bytes. */
  readonly maxSize: number;
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what arrives in one turn of the event loop and commits it together: one flush for all. */
export class GroupCommit<Write, Result> {
  readonly #options: GroupCommitOptions<Write, Result>;
  #pending: Pending<Write, Result>[] = [];
  #scheduled = false;
  #onIdle: (() => void) | undefined;

  constructor(options: GroupCommitOptions<Write, Result>) {
    this.#options = options;
  }

  /** Resolves with the result once the commit that holds the write is durable; rejects if it failed. */
  add(write: Write): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    if (this.#pending.length > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#takeBatch();
    try {
      const results = this.#options.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
    if (this.#pending.length > 0) this.#schedule();
    else this.#onIdle?.();
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
