import { channel } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import { accepts, type Accepts, answers, type Answers } from '@plant-store/contract';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isPlantStoreError } from '../errors/sender-error.js';
import { isNumber } from '../options/read-options.js';
import { LeasedOutbox, type Result, type TakenEntry } from './leased-outbox.js';
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

/** How often a relay calls the database at least, in milliseconds. That renews its lease of 15 s. */
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

/** An attempt that runs. */
interface Attempt {
  readonly entry: TakenEntry;
  /** Whether this relay no longer has the entry: another one has taken it. Then the result is dropped. */
  isLost: boolean;
}

class RelayLoop {
  readonly #settings: RelaySettings;
  readonly #outbox: LeasedOutbox;
  #running: Promise<unknown> | undefined;
  #isStopping = false;
  readonly #attempts = new Set<Attempt>();
  /** Not stored yet. */
  #results: Result[] = [];
  /** Milliseconds from one probe to the next, if nothing can be sent; 0 otherwise. */
  #probeDelay = 0;
  /** When attempts may begin again, in milliseconds since the start of the process. */
  #beginAt = 0;
  /** When the database is called at the latest. */
  #renewAt = 0;
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
    let deleting = this.#deleteOld();
    const timer = setInterval(() => {
      deleting = deleting.then(() => this.#deleteOld());
    }, DELETE_INTERVAL);
    await this.#runLoop();
    clearInterval(timer);
    await deleting;
  }

  async #runLoop(): Promise<void> {
    let hasLease = true;
    let isLastTry = false;
    for (;;) {
      try {
        if (!hasLease) await this.#takeLeaseAnew();
        hasLease = true;
        if (performance.now() >= this.#storeAt) await this.#store();
        if (this.#isStopping && this.#attempts.size === 0 && this.#results.length === 0) break;
        await this.#pause(this.#storeAt - performance.now());
      } catch (error) {
        this.#report(error as Error);
        if (this.#isStopping && this.#attempts.size === 0) {
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
    const owned = [...this.#attempts].filter(({ isLost }) => !isLost);
    const begun = [...this.#results, ...owned.map(({ entry }) => entry)];
    const kept = await this.#outbox.takeLease(begun.map(({ id }) => id));
    for (const attempt of owned) attempt.isLost = !kept.has(attempt.entry.id);
    this.#renewAt = 0;
  }

  /** When the next step is due, if no attempt ends before. */
  get #storeAt(): number {
    if (this.#results.length > 0) return 0;
    const mayBegin = !this.#isStopping && this.#attempts.size < this.#limit;
    return mayBegin ? Math.min(this.#beginAt, this.#renewAt) : this.#renewAt;
  }

  /** How many attempts may run at the same time. */
  get #limit(): number {
    return this.#probeDelay === 0 ? this.#settings.concurrency : 1;
  }

  /** One step: stores results and that attempts begin, and begins them. */
  async #store(): Promise<void> {
    const results = [...this.#results];
    const mayBegin = !this.#isStopping && performance.now() >= this.#beginAt;
    const most = mayBegin ? Math.max(0, this.#limit - this.#attempts.size) : 0;
    const entries = await this.#outbox.store(results, most);
    this.#results.splice(0, results.length);
    this.#renewAt = performance.now() + RENEWAL_INTERVAL;
    this.#tellOfParked(results);
    for (const entry of entries) {
      if (entry.plant === undefined) this.#results.push(this.#resultOf(entry, cutOffError()));
      else if (!this.#isStopping) void this.#attempt(entry, entry.plant);
    }
    if (most > 0 && entries.length === 0) this.#beginAt = performance.now() + this.#settings.pollInterval;
  }

  async #attempt(entry: TakenEntry, plant: EncodedPlant): Promise<void> {
    const attempt: Attempt = { entry, isLost: false };
    this.#attempts.add(attempt);
    const result = await this.#send(entry, plant);
    this.#attempts.delete(attempt);
    if (!attempt.isLost) this.#results.push(result);
    this.#wake();
  }

  async #send(entry: TakenEntry, plant: EncodedPlant): Promise<Result> {
    try {
      await this.#settings.sender.sendEncoded(plant);
    } catch (thrown) {
      // A sender of the caller may throw anything.
      const error = isNativeError(thrown) ? thrown : new Error(inspect(thrown));
      if (isPlantStoreError(error)) this.#noteOutcome(error.outcome, error.code);
      return this.#resultOf(entry, error);
    }
    this.#noteOutcome('responded');
    return { ...resultAfter(entry, 'delivered'), attempts: entry.attempts + 1, outcome: undefined };
  }

  async #deleteOld(): Promise<void> {
    const { keepDelivered } = this.#settings;
    try {
      while (!this.#isStopping && (await this.#outbox.deleteOld(keepDelivered)));
    } catch (error) {
      this.#report(error as Error);
    }
  }

  #resultOf(entry: TakenEntry, error: Error): Result {
    const { code, outcome: last } = isPlantStoreError(error) ? error : unknownError;
    if (code === 'PLANT_STORE_SENDER_CLOSED' || code === 'PLANT_STORE_ABORTED') {
      // The sender was closed, perhaps by force.
      this.#isStopping = true;
      this.#report(error);
      if (last === 'not-sent') return resultAfter(entry, 'waiting');
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
    if (!isPlantStoreError(error)) return undefined;
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
    if (outcome === 'responded') {
      if (this.#probeDelay > 0) this.#beginAt = 0;
      this.#probeDelay = 0;
    } else if (this.#probeDelay > 0 || (outcome === 'not-sent' && !ownErrors.has(code))) {
      // Attempts that began at the same time count once.
      const isLast = this.#attempts.size === 1;
      const later = isLast ? 2 * this.#probeDelay : this.#probeDelay;
      this.#probeDelay = Math.min(Math.max(later, FIRST_PROBE_DELAY), MAX_PROBE_DELAY);
      this.#beginAt = performance.now() + this.#probeDelay;
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
function resultAfter({ id, attempts, outcome }: TakenEntry, state: 'delivered' | 'waiting'): Result {
  return { id, state, dueIn: 0, attempts, outcome, code: undefined, error: undefined };
}
