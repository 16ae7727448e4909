import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Most content in one transaction, in bytes, if it is of more than one delivery. */
const MAX_BYTES = 8 * 1_048_576;

/** How long what can wait does so, in milliseconds. */
const MAX_DELAY = 10;

/** What waits for its commit. */
interface Pending<Write, Result> {
  readonly write: Write;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits what arrives together, one commit after the other: everything that arrives during a commit goes into the next
 * one. What can wait doesn't begin a commit for the next 10 ms.
 */
export class GroupCommit<Write, Result> {
  #pending: Pending<Write, Result>[] = [];
  /** Whether something is pending that can't wait, or has waited long enough. */
  #isDue = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param commit resolves with what became of each write, or rejects if nobody knows */
  constructor(private readonly commit: (writes: readonly Write[]) => Promise<readonly (Result | Error)[]>) {}

  /**
   * Resolves with the result of a write, or rejects with its error.
   *
   * @param bytes how large it is
   */
  add(write: Write, bytes: number, canWait: boolean): Promise<Result> {
    const added = new Promise<Result>((resolve, reject) => {
      this.#pending.push({ write, bytes, resolve, reject });
    });
    if (canWait) this.#timer ??= setTimeout(() => this.#start(), MAX_DELAY);
    else this.#start();
    return added;
  }

  /** Commits what waits, and resolves when nothing does. */
  async idle(): Promise<void> {
    while (this.#pending.length > 0 || this.#running !== undefined) {
      this.#start();
      await this.#running;
    }
  }

  #start(): void {
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    // What arrives in the same turn goes into the same commit.
    await turnOfTheLoop();
    do {
      await this.#commitDue();
      // Who was answered just now sends again at once.
      await turnOfTheLoop();
    } while (this.#isDue);
  }

  async #commitDue(): Promise<void> {
    let respond = (): void => undefined;
    do {
      const committed = this.#commitNext();
      // Those who wait for the commit before are told while this one is under way.
      respond();
      respond = await committed;
    } while (this.#isDue);
    respond();
  }

  /** Begins a commit. Resolves, once it has ended, with what tells those who wait for it. */
  async #commitNext(): Promise<() => void> {
    const batch = this.#take();
    try {
      const results = await this.commit(batch.map(({ write }) => write));
      return () => {
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index] as Result | Error;
          if (result instanceof Error) reject(result);
          else resolve(result);
        }
      };
    } catch (error) {
      return () => batch.forEach(({ reject }) => reject(error));
    }
  }

  #take(): Pending<Write, Result>[] {
    let total = 0;
    const end = this.#pending.findIndex(({ bytes }) => (total += bytes) > MAX_BYTES);
    const batch = this.#pending.splice(0, end === -1 ? this.#pending.length : Math.max(1, end));
    this.#isDue = this.#pending.length > 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return batch;
  }
}
