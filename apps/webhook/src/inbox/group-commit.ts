/** Which parts of a commit that failed may succeed: none, what can wait or what can't, or any. */
export type Retry = 'nothing' | 'either kind' | 'any part';

/** How a {@link GroupCommit} writes. */
export interface GroupCommitOptions<Write, Result> {
  /** Makes all of these durable, or none, and returns a result for each. Throws if it fails. */
  readonly commit: (writes: readonly Write[]) => readonly Result[];
  /** What to do after a commit of several writes has failed. One write that can't be made must not refuse others. */
  readonly retry: (error: unknown) => Retry;
  /** Size of one write, in bytes. */
  readonly sizeOf: (write: Write) => number;
  /** Largest size of one commit, in bytes; a single write may be larger. */
  readonly maxSize: number;
  /** How long {@link GroupCommit.addDelayed} may wait for other writes, in milliseconds. */
  readonly maxDelay: number;
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly canWait: boolean;
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
    return this.#enqueue(write, false);
  }

  /** Does the same for a write that can wait a little, so that it doesn't cause a flush of its own. */
  addDelayed(write: Write): Promise<Result> {
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.maxDelay);
    return this.#enqueue(write, true);
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.#immediate ??= setImmediate(() => this.#flush());
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #enqueue(write: Write, canWait: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, canWait, resolve, reject });
    });
  }

  #flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = this.#timer = undefined;
    const batch = this.#takeBatch();
    if (this.#pending.length > 0) this.#immediate = setImmediate(() => this.#flush());
    this.#commit(batch);
    if (this.#pending.length === 0) this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  #commit(batch: readonly Pending<Write, Result>[]): void {
    try {
      const results = this.#options.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const parts = split(batch, this.#options.retry(error));
      if (parts.length > 1) parts.forEach((part) => this.#commit(part));
      else batch.forEach(({ reject }) => reject(error));
    }
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

/** The parts of a batch that are tried by themselves, what can't wait first; none if none may succeed. */
function split<Part extends { readonly canWait: boolean }>(batch: readonly Part[], retry: Retry): Part[][] {
  if (retry === 'nothing') return [];
  const kinds = [batch.filter(({ canWait }) => !canWait), batch.filter(({ canWait }) => canWait)];
  if (kinds.every((kind) => kind.length > 0)) return kinds;
  const middle = Math.ceil(batch.length / 2);
  return retry === 'any part' && batch.length > 1 ? [batch.slice(0, middle), batch.slice(middle)] : [];
}
