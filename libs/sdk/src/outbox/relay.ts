import { channel } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { accepts, type Accepts, answers, type Answers } from '@plant-store/contract';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isNumber } from '../options/read-options.js';
import { type BegunEntry, type DueEntry, LeasedOutbox, type Result } from './leased-outbox.js';
import {
  longestTime,
  type OutboxDiagnosticsMessages,
  type ParkedNotice,
  readRelayOptions,
  type RelayOptions,
  type RelaySettings,
} from './relay-options.js';
import { requireSchema } from './schema.js';

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

/** How often a relay renews its lease of 15 s, and looks for relays whose leases have expired, in milliseconds. */
const RENEWAL_INTERVAL = 4_000;

/** How often old entries are deleted, in milliseconds. */
const DELETE_INTERVAL = 60_000;

/** How long a relay waits after a fault of the database, in milliseconds. */
const RECONNECT_DELAY = 250;

/** How long a relay that sent nothing waits for its first probe, and for the later ones at most, in milliseconds. */
const FIRST_PROBE_DELAY = 1_000;
const MAX_PROBE_DELAY = 30_000;

/** Codes of errors of one entry. They say nothing about the receiver. */
const ownErrors: ReadonlySet<string> = new Set([
  'PLANT_STORE_INVALID_OPTIONS',
  'PLANT_STORE_ENCODE_FAILED',
  'PLANT_STORE_CONTENT_TOO_LARGE',
]);

const parkedChannel = channel('plant-store:outbox:parked' satisfies keyof OutboxDiagnosticsMessages);

/**
 * Creates a relay. It does nothing until `start` is called.
 *
 * @throws InvalidOptionsError with every fault of the options
 */
export function createRelay(options: RelayOptions): Relay {
  return createRelayUnder(answers, options, accepts);
}

/** Creates a relay under a set of answers. */
export function createRelayUnder<const Given extends Answers>(
  given: Given,
  options: RelayOptions<Given>,
  accepted: Accepts = {},
): Relay {
  const loop = new RelayLoop(readRelayOptions(options, given, accepted));
  return Object.freeze({
    start: () => loop.start(),
    stop: () => loop.stop(),
    [Symbol.asyncDispose]: () => loop.stop(),
  });
}

class RelayLoop {
  readonly #settings: RelaySettings;
  readonly #outbox: LeasedOutbox;
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
  /** Milliseconds from one probe to the next, if nothing can be sent; 0 otherwise. */
  #probeDelay = 0;
  /** Milliseconds since the start of the process. */
  #probeAt = 0;
  #readAt = 0;
  #takeOverAt = 0;
  #deleteAt = 0;
  #wake = (): void => {};

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    this.#outbox = new LeasedOutbox(settings.outbox.database);
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isStopping) throw new TypeError('A relay is started once.');
    const opening = this.#open();
    this.#running = opening.then(
      () => this.#run(),
      () => (this.#running = undefined),
    );
    await opening;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#running;
  }

  async #open(): Promise<void> {
    await requireSchema(this.#settings.outbox.database);
    await this.#outbox.takeLease([]);
  }

  async #run(): Promise<void> {
    // Beside the loop, whose statements may be slow. If it fails, the next statement of the loop learns why.
    const renewing = setInterval(() => void this.#outbox.renew().catch(() => {}), RENEWAL_INTERVAL);
    await this.#runLoop();
    clearInterval(renewing);
  }

  async #runLoop(): Promise<void> {
    let hasLease = true;
    let isLastTry = false;
    for (;;) {
      try {
        if (!hasLease) await this.#takeLeaseAnew();
        hasLease = true;
        if (await this.#turn()) break;
      } catch (error) {
        this.#report(error as Error);
        if (this.#isStopping && this.#sending.size === 0) {
          // Results that are left get one more try. What is stored nowhere was cut off, for another relay or the next.
          if (!hasLease || isLastTry || this.#results.length === 0) return;
          isLastTry = true;
        }
        hasLease = false;
        await delay(RECONNECT_DELAY);
      }
    }
    await this.#outbox.endLease().catch((error: unknown) => this.#report(error as Error));
  }

  /** After a fault: keeps what no other relay has taken meanwhile. What is being sent is not sent twice. */
  async #takeLeaseAnew(): Promise<void> {
    const owned = [...this.#sending].filter((entry) => !this.#disowned.has(entry));
    const kept = await this.#outbox.takeLease([...this.#results, ...owned].map(({ id }) => id));
    this.#queue = [];
    this.#results = this.#results.filter(({ id }) => kept.has(id));
    for (const entry of owned) if (!kept.has(entry.id)) this.#disowned.add(entry);
    this.#takeOverAt = 0;
  }

  /** Stores results, begins attempts, and waits until there is something to do. @returns whether everything is done */
  async #turn(): Promise<boolean> {
    await this.#store();
    if (this.#isStopping) {
      if (this.#sending.size === 0 && this.#results.length === 0) return true;
    } else {
      await this.#keepUp();
      await this.#read();
    }
    await this.#pause(this.#idleFor());
    return false;
  }

  /** Stores results, and that attempts begin, and then begins them. */
  async #store(): Promise<void> {
    const results = [...this.#results];
    const due = this.#isStopping ? [] : this.#queue.slice(0, this.#room);
    if (results.length + due.length === 0) return;
    const begun = await this.#outbox.store(results, due);
    this.#results.splice(0, results.length);
    this.#queue.splice(0, due.length);
    this.#tellOfParked(results);
    if (this.#isStopping) return;
    const plants = new Map(due.map(({ id, plant }) => [id, plant]));
    for (const entry of begun) this.#begin(entry, plants.get(entry.id)!);
  }

  /** How many attempts may begin. */
  get #room(): number {
    if (this.#probeDelay === 0) return this.#settings.concurrency - this.#sending.size;
    return this.#sending.size === 0 && performance.now() >= this.#probeAt ? 1 : 0;
  }

  /** Milliseconds until there is something to do, if no attempt ends before. */
  #idleFor(): number {
    if (this.#results.length > 0) return 0;
    if (this.#isStopping) return this.#sending.size === 0 ? 0 : RENEWAL_INTERVAL;
    if (this.#queue.length > 0 && this.#room > 0) return 0;
    const readAt = this.#queue.length === 0 ? this.#readAt : Infinity;
    const probeAt = this.#probeDelay > 0 && this.#sending.size === 0 ? this.#probeAt : Infinity;
    return Math.min(readAt, probeAt, this.#takeOverAt, this.#deleteAt) - performance.now();
  }

  async #keepUp(): Promise<void> {
    if (performance.now() >= this.#takeOverAt) {
      const known = new Set(this.#results.map(({ id }) => id));
      const cutOff = (await this.#outbox.takeOver()).filter(({ id }) => !known.has(id));
      this.#results.push(...cutOff.map((entry) => this.#resultOf(entry, cutOffError())));
      this.#takeOverAt = performance.now() + RENEWAL_INTERVAL;
    }
    if (performance.now() >= this.#deleteAt) {
      const isDone = await this.#outbox.deleteOld(this.#settings.keepDelivered);
      if (isDone) this.#deleteAt = performance.now() + DELETE_INTERVAL;
    }
  }

  async #read(): Promise<void> {
    const { concurrency, pollInterval } = this.#settings;
    if (this.#queue.length >= concurrency || performance.now() < this.#readAt) return;
    const entries = await this.#outbox.readDue(2 * concurrency - this.#queue.length, this.#queue);
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
      const error = thrown instanceof Error ? thrown : new Error(inspect(thrown));
      if (error instanceof PlantStoreError) this.#noteOutcome(error.outcome, error.code);
      return this.#resultOf(entry, error);
    }
    this.#noteOutcome('responded');
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
      const { retry } = this.#settings;
      const dueIn: unknown = retry === false ? undefined : retry(attempt, error);
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

  /**
   * Slows down if nothing can be sent: one probe at a time, until a response shows that the receiver is back. Entries that
   * aren't attempted wait.
   */
  #noteOutcome(outcome: Outcome, code = ''): void {
    if (outcome === 'responded') this.#probeDelay = 0;
    else if (this.#probeDelay > 0 || (outcome === 'not-sent' && !ownErrors.has(code))) {
      // Attempts that began at the same time count once.
      const isLast = this.#sending.size === 1;
      const later = isLast ? 2 * this.#probeDelay : this.#probeDelay;
      this.#probeDelay = Math.min(Math.max(later, FIRST_PROBE_DELAY), MAX_PROBE_DELAY);
      this.#probeAt = performance.now() + this.#probeDelay;
    }
  }

  #tellOfParked(results: readonly Result[]): void {
    const counts = new Map<string, number>();
    for (const { state, code = '' } of results)
      if (state === 'parked') counts.set(code, (counts.get(code) ?? 0) + 1);
    for (const [reason, count] of counts) {
      const notice: ParkedNotice = Object.freeze({ count, reason });
      parkedChannel.publish(notice);
      this.#settings.onParked?.(notice);
    }
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
function cutOffError(): PlantStoreError {
  const message = 'The relay ended during the attempt, or lost its database. The plant may have arrived.';
  return new PlantStoreError('PLANT_STORE_ATTEMPT_CUT_OFF', message, { outcome: 'unknown' });
}

/** The result of an entry whose attempts don't change. */
function after({ id, attempts, outcome }: BegunEntry, state: 'delivered' | 'waiting'): Result {
  return { id, state, dueIn: 0, attempts, outcome, code: undefined, error: undefined };
}
