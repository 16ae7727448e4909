import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isNumber } from '../options/read-options.js';
import { longestTime, readRelayOptions, type RelayOptions, type RelaySettings } from './relay-options.js';
import { type ClaimedEntry, RelaySession, type Result } from './relay-session.js';

/** Sends what is in an outbox, at least once. Several may run at the same time, in any number of processes. */
export interface Relay {
  /**
   * Connects to the database and begins to send. Resolves once it is connected.
   *
   * @throws OutboxError if there is no connection, no outbox, or one of another version
   */
  start(): Promise<void>;
  /**
   * Begins nothing new, waits for what is being sent, and stores its results. Everything else goes back to the outbox.
   * A relay that was stopped can't be started again.
   */
  stop(): Promise<void>;
  /** The same as `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How often a relay looks for relays that ended, in milliseconds. */
const TAKE_OVER_INTERVAL = 1_000;

/** How often old entries are deleted, in milliseconds. */
const DELETE_INTERVAL = 60_000;

/** How long a relay waits before it connects again, in milliseconds. */
const RECONNECT_DELAY = 250;

/**
 * Creates a relay. It does nothing until `start` is called.
 *
 * @throws InvalidOptionsError with every fault of the options
 */
export function createRelay(options: RelayOptions): Relay {
  const loop = new RelayLoop(readRelayOptions(options));
  return Object.freeze({
    start: () => loop.start(),
    stop: () => loop.stop(),
    [Symbol.asyncDispose]: () => loop.stop(),
  });
}

class RelayLoop {
  readonly #settings: RelaySettings;
  #running: Promise<unknown> | undefined;
  #isStopping = false;
  /** Claimed, and not sent yet. */
  #queue: ClaimedEntry[] = [];
  /** Being sent. */
  readonly #sending = new Set<ClaimedEntry>();
  /** Those being sent that this relay no longer has: another one may have taken them, or this one claims them anew. */
  readonly #disowned = new Set<ClaimedEntry>();
  /** Not stored yet. */
  #results: Result[] = [];
  /** Milliseconds since the start of the process. */
  #claimAt = 0;
  #takeOverAt = 0;
  #deleteAt = 0;
  #wake = (): void => {};

  constructor(settings: RelaySettings) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isStopping) throw new TypeError('A relay is started once.');
    const opening = RelaySession.open(this.#settings.outbox.database);
    this.#running = opening.then(
      (session) => this.#run(session),
      () => (this.#running = undefined),
    );
    await opening;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#running;
  }

  async #run(first: RelaySession): Promise<void> {
    let session: RelaySession | undefined = first;
    // The numbers under which the entries were claimed, or may have been adopted.
    let owners = [first.relay];
    let isLastSession = false;
    for (;;) {
      try {
        if (session === undefined) {
          session = await RelaySession.open(this.#settings.outbox.database);
          const earlier = owners;
          owners = [...earlier, session.relay];
          await this.#adopt(session, earlier);
          owners = [session.relay];
        }
        if (await this.#turn(session)) break;
      } catch (error) {
        const isUnreachable = session === undefined;
        session?.abandon();
        session = undefined;
        this.#report(error as Error);
        if (this.#isStopping && this.#sending.size === 0) {
          // Results that are left get one more session. What is stored nowhere is sent again, by another relay or the
          // next one.
          if (isUnreachable || isLastSession || this.#results.length === 0) return;
          isLastSession = true;
        }
        await delay(RECONNECT_DELAY);
      }
    }
    await session.close().catch((error: unknown) => this.#report(error as Error));
  }

  /** Stores results, claims entries, and waits until there is something to do. @returns whether everything is done */
  async #turn(session: RelaySession): Promise<boolean> {
    const results = [...this.#results];
    if (results.length > 0) {
      await session.settle(results);
      this.#results.splice(0, results.length);
    }
    if (this.#isStopping) {
      if (this.#sending.size === 0 && this.#results.length === 0) return true;
    } else {
      await this.#keepUp(session);
      await this.#claim(session);
    }
    if (this.#results.length === 0) await this.#pause(this.#idleFor());
    return false;
  }

  /** Milliseconds until there is something to do, if no attempt ends before. */
  #idleFor(): number {
    if (this.#isStopping) return this.#sending.size === 0 ? 0 : TAKE_OVER_INTERVAL;
    const claimAt = this.#queue.length === 0 ? this.#claimAt : Infinity;
    return Math.min(claimAt, this.#takeOverAt, this.#deleteAt) - performance.now();
  }

  async #keepUp(session: RelaySession): Promise<void> {
    if (performance.now() >= this.#takeOverAt) {
      await session.takeOver();
      this.#takeOverAt = performance.now() + TAKE_OVER_INTERVAL;
    }
    if (performance.now() >= this.#deleteAt) {
      const isDone = await session.deleteOld(this.#settings.keepDelivered);
      if (isDone) this.#deleteAt = performance.now() + DELETE_INTERVAL;
    }
  }

  async #claim(session: RelaySession): Promise<void> {
    const { concurrency, pollInterval } = this.#settings;
    if (this.#queue.length >= concurrency || performance.now() < this.#claimAt) return;
    const entries = await session.claim(2 * concurrency - this.#queue.length);
    if (entries.length === 0) this.#claimAt = performance.now() + pollInterval;
    this.#queue.push(...entries);
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#sending.size < this.#settings.concurrency && !this.#isStopping) {
      const entry = this.#queue.shift();
      if (entry === undefined) return;
      this.#sending.add(entry);
      void this.#send(entry).then((result) => {
        this.#sending.delete(entry);
        if (!this.#disowned.delete(entry)) this.#results.push(result);
        this.#sendNext();
        this.#wake();
      });
    }
  }

  async #send(entry: ClaimedEntry): Promise<Result> {
    try {
      await this.#settings.sender.sendEncoded(entry.plant);
    } catch (thrown) {
      // A sender of the caller may throw anything.
      return this.#resultOf(entry, thrown instanceof Error ? thrown : new Error(inspect(thrown)));
    }
    const { id, attempts } = entry;
    return { ...after(entry, 'delivered'), id, attempts: attempts + 1, outcome: undefined };
  }

  #resultOf(entry: ClaimedEntry, error: Error): Result {
    const code = error instanceof PlantStoreError ? error.code : undefined;
    const outcome = this.#outcomeOf(entry, error);
    if (code === 'PLANT_STORE_SENDER_CLOSED' || code === 'PLANT_STORE_ABORTED') {
      // The sender was closed, perhaps by force. The entry isn't to blame.
      this.#isStopping = true;
      this.#report(error);
      return { ...after(entry, 'waiting'), outcome };
    }
    const attempts = entry.attempts + 1;
    const dueIn = this.#delayAfter(attempts, error);
    const state = dueIn === undefined ? 'parked' : 'waiting';
    return {
      id: entry.id,
      state,
      dueIn: dueIn ?? 0,
      attempts,
      outcome,
      code: code ?? error.name,
      error: error.message,
    };
  }

  #outcomeOf({ outcome = 'not-sent' }: ClaimedEntry, error: Error): Outcome {
    return combineOutcomes(outcome, error instanceof PlantStoreError ? error.outcome : 'unknown');
  }

  /** Milliseconds until the next attempt; `undefined` for none. An entry whose policy fails is parked. */
  #delayAfter(attempt: number, error: Error): number | undefined {
    if (!(error instanceof PlantStoreError)) return undefined;
    try {
      const dueIn: unknown = this.#settings.retry?.(attempt, error);
      if (dueIn === undefined || isNumber(dueIn, 0, longestTime)) return dueIn;
      if (isPromiseLike(dueIn)) ignore(dueIn);
      throw new TypeError(`\`retry\` must return milliseconds from 0 to ${longestTime}, or undefined.`);
    } catch (fault) {
      this.#report(fault as Error);
      return undefined;
    }
  }

  /** After a lost connection: keeps what no other relay has taken meanwhile. What is being sent is not sent twice. */
  async #adopt(session: RelaySession, earlier: readonly number[]): Promise<void> {
    const owned = [...this.#sending].filter((entry) => !this.#disowned.has(entry));
    const ids = [...this.#queue, ...this.#results, ...owned].map(({ id }) => id);
    const adopted = await session.adopt(ids, earlier);
    this.#queue = this.#queue.filter(({ id }) => adopted.has(id));
    this.#results = this.#results.filter(({ id }) => adopted.has(id));
    // Not only `owned`: attempts have ended and begun meanwhile.
    for (const entry of this.#sending) if (!adopted.has(entry.id)) this.#disowned.add(entry);
  }

  #report(error: Error): void {
    this.#settings.onError?.(error);
  }

  /** Waits, until an attempt ends or the relay is stopped at most. */
  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

/** The result of an entry whose attempts don't change. */
function after({ id, attempts, outcome }: ClaimedEntry, state: 'delivered' | 'waiting'): Result {
  return { id, state, dueIn: 0, attempts, outcome, code: undefined, error: undefined };
}
