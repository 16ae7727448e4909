import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isNumber } from '../options/read-options.js';
import { longestTime, readRelayOptions, type RelayOptions, type RelaySettings } from './relay-options.js';
import { type BegunEntry, type DueEntry, RelaySession, type Result } from './relay-session.js';

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
  /** Read, and not sent yet. Others may send them first. */
  #queue: DueEntry[] = [];
  /** Being sent. */
  readonly #sending = new Set<BegunEntry>();
  /** Those being sent that this relay no longer has: another one has taken them, or this one has begun them anew. */
  readonly #disowned = new Set<BegunEntry>();
  /** Not stored yet. */
  #results: Result[] = [];
  /** Milliseconds since the start of the process. */
  #readAt = 0;
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
    // The numbers under which attempts were stored, or may have been adopted.
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

  /** Begins attempts, stores results, and waits until there is something to do. @returns whether everything is done */
  async #turn(session: RelaySession): Promise<boolean> {
    if (!this.#isStopping) await this.#beginNext(session);
    const results = [...this.#results];
    if (results.length > 0) {
      await session.settle(results);
      this.#results.splice(0, results.length);
    }
    if (this.#isStopping) {
      if (this.#sending.size === 0 && this.#results.length === 0) return true;
    } else {
      await this.#keepUp(session);
      await this.#read(session);
    }
    await this.#pause(this.#idleFor());
    return false;
  }

  /** Stores that attempts begin, and then begins them. */
  async #beginNext(session: RelaySession): Promise<void> {
    const due = this.#queue.slice(0, this.#room);
    if (due.length === 0) return;
    const begun = await session.begin(due);
    if (this.#isStopping) return;
    this.#queue.splice(0, due.length);
    const plants = new Map(due.map(({ id, plant }) => [id, plant]));
    for (const entry of begun) this.#begin(entry, plants.get(entry.id)!);
  }

  /** How many attempts may begin. */
  get #room(): number {
    return this.#settings.concurrency - this.#sending.size;
  }

  /** Milliseconds until there is something to do, if no attempt ends before. */
  #idleFor(): number {
    if (this.#results.length > 0) return 0;
    if (this.#isStopping) return this.#sending.size === 0 ? 0 : TAKE_OVER_INTERVAL;
    if (this.#queue.length > 0 && this.#room > 0) return 0;
    const readAt = this.#queue.length === 0 ? this.#readAt : Infinity;
    return Math.min(readAt, this.#takeOverAt, this.#deleteAt) - performance.now();
  }

  async #keepUp(session: RelaySession): Promise<void> {
    if (performance.now() >= this.#takeOverAt) {
      for (const entry of await session.takeOver()) this.#results.push(this.#resultOf(entry, cutOff()));
      this.#takeOverAt = performance.now() + TAKE_OVER_INTERVAL;
    }
    if (performance.now() >= this.#deleteAt) {
      const isDone = await session.deleteOld(this.#settings.keepDelivered);
      if (isDone) this.#deleteAt = performance.now() + DELETE_INTERVAL;
    }
  }

  async #read(session: RelaySession): Promise<void> {
    const { concurrency, pollInterval } = this.#settings;
    if (this.#queue.length >= concurrency || performance.now() < this.#readAt) return;
    const entries = await session.readDue(2 * concurrency - this.#queue.length, this.#queue);
    if (entries.length === 0) this.#readAt = performance.now() + pollInterval;
    this.#queue.push(...entries);
  }

  #begin(entry: BegunEntry, plant: EncodedPlant): void {
    this.#sending.add(entry);
    void this.#send(entry, plant).then((result) => {
      this.#sending.delete(entry);
      if (!this.#disowned.delete(entry)) this.#results.push(result);
      this.#wake();
    });
  }

  async #send(entry: BegunEntry, plant: EncodedPlant): Promise<Result> {
    try {
      await this.#settings.sender.sendEncoded(plant);
    } catch (thrown) {
      // A sender of the caller may throw anything.
      return this.#resultOf(entry, thrown instanceof Error ? thrown : new Error(inspect(thrown)));
    }
    const { id, attempts } = entry;
    return { ...after(entry, 'delivered'), id, attempts: attempts + 1, outcome: undefined };
  }

  #resultOf(entry: BegunEntry, error: Error): Result {
    const { code, outcome: last } = error instanceof PlantStoreError ? error : unknownError;
    if (code === 'PLANT_STORE_SENDER_CLOSED' || code === 'PLANT_STORE_ABORTED') {
      // The sender was closed, perhaps by force.
      this.#isStopping = true;
      this.#report(error);
      if (last === 'not-sent') return after(entry, 'waiting');
    }
    const outcome = combineOutcomes(entry.outcome ?? 'not-sent', last);
    const attempts = entry.attempts + 1;
    const dueIn = this.#delayAfter(attempts, error, outcome);
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

  /** Milliseconds until the next attempt; `undefined` for none. An entry whose policy fails is parked. */
  #delayAfter(attempt: number, error: Error, outcome: Outcome): number | undefined {
    if (!(error instanceof PlantStoreError)) return undefined;
    const last = error.outcome;
    try {
      Object.assign(error, { outcome });
      const dueIn: unknown = this.#settings.retry?.(attempt, error);
      if (dueIn === undefined || isNumber(dueIn, 0, longestTime)) return dueIn;
      if (isPromiseLike(dueIn)) ignore(dueIn);
      throw new TypeError(`\`retry\` must return milliseconds from 0 to ${longestTime}, or undefined.`);
    } catch (fault) {
      this.#report(fault as Error);
      return undefined;
    } finally {
      // A sender of the caller may throw one error for several entries.
      if (error.outcome !== last) Object.assign(error, { outcome: last });
    }
  }

  /** After a lost connection: keeps what no other relay has taken meanwhile. What is being sent is not sent twice. */
  async #adopt(session: RelaySession, earlier: readonly number[]): Promise<void> {
    const owned = [...this.#sending].filter((entry) => !this.#disowned.has(entry));
    const ids = [...this.#results, ...owned].map(({ id }) => id);
    const adopted = await session.adopt(ids, this.#queue, earlier);
    this.#queue = [];
    this.#results = this.#results.filter(({ id }) => adopted.has(id));
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

/** What is known of an attempt whose error is none of a sender. */
const unknownError = { code: undefined, outcome: 'unknown' } as const;

/** The error of an attempt whose relay stored no result. */
function cutOff(): PlantStoreError {
  const message = 'The relay ended during the attempt, or lost its database. The plant may have arrived.';
  return new PlantStoreError('PLANT_STORE_ATTEMPT_CUT_OFF', message, { outcome: 'unknown' });
}

/** The result of an entry whose attempts don't change. */
function after({ id, attempts, outcome }: BegunEntry, state: 'delivered' | 'waiting'): Result {
  return { id, state, dueIn: 0, attempts, outcome, code: undefined, error: undefined };
}
