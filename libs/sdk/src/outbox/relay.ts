import { channel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isPlantStoreError, toError } from '../errors/sender-error.js';
import { published } from '../new-plant-sender.js';
import { isNumber } from '../options/read-options.js';
import { EndpointState } from './endpoint-state.js';
import { LeasedOutbox, type Result, type TakenEntry } from './leased-outbox.js';
import { Outage } from './outage.js';
import {
  longestTime,
  type OutboxDiagnosticsMessages,
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

/**
 * How long a relay waits after a fault of the database, at first and at most, in milliseconds. Once the database is back,
 * a relay that renews its lease takes over what others had, after 15 s. All are back before that.
 */
const FIRST_RECONNECT = 250;
const LONGEST_RECONNECT = 5_000;

/** A notice of parked entries has so many ids at most. */
const MAX_IDS = 10;

const parkedChannel = channel('plant-store:outbox:parked' satisfies keyof OutboxDiagnosticsMessages);

/**
 * Creates a relay. It does nothing until `start` is called.
 *
 * @throws InvalidOptionsError with every fault of the options
 */
export function createRelay(options: RelayOptions): Relay {
  const loop = new RelayLoop(readRelayOptions(published.answers, options));
  return {
    start: () => loop.start(),
    stop: () => loop.stop(),
    [Symbol.asyncDispose]: () => loop.stop(),
  };
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
  readonly #databaseOutage: Outage;
  readonly #endpoint: EndpointState;
  /** When the relay looks for entries again, in milliseconds since the start of the process. */
  #pollAt = 0;
  /** When the database is called at the latest. */
  #renewAt = 0;
  #wake = (): void => {};

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    this.#outbox = new LeasedOutbox(settings.outbox.database);
    const report = (error: Error): void => this.#report(error);
    this.#databaseOutage = new Outage('database', FIRST_RECONNECT, LONGEST_RECONNECT, report);
    this.#endpoint = new EndpointState(report);
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isStopping) throw new TypeError('A relay is started once.');
    const opening = requireSchema(this.#settings.outbox.database).then(() => this.#outbox.takeLease([]));
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
        this.#databaseOutage.end();
        if (this.#isStopping && this.#attempts.size === 0 && this.#results.length === 0) break;
        await this.#pause(this.#storeAt - performance.now());
      } catch (error) {
        const wait = this.#databaseOutage.fail(error as Error);
        if (this.#isStopping && this.#attempts.size === 0) {
          // Results that are left get one more try. What is stored nowhere was cut off, for another relay or the next.
          if (!hasLease || isLastTry || this.#results.length === 0) return;
          isLastTry = true;
        }
        hasLease = false;
        await this.#pause(wait);
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

  /** When attempts may begin. */
  get #beginAt(): number {
    return Math.max(this.#pollAt, this.#endpoint.beginAt);
  }

  /** How many attempts may run at the same time. */
  get #limit(): number {
    return this.#endpoint.mode === 'open' ? this.#settings.concurrency : 1;
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
    if (most > 0 && entries.length === 0) this.#pollAt = performance.now() + this.#settings.pollInterval;
  }

  async #attempt(entry: TakenEntry, plant: EncodedPlant): Promise<void> {
    const attempt: Attempt = { entry, isLost: false };
    this.#attempts.add(attempt);
    const result = await this.#send(entry, plant);
    this.#attempts.delete(attempt);
    if (!attempt.isLost) this.#results.push(result);
    // During an outage, the results of many attempts don't make many tries.
    if (!this.#databaseOutage.isOn || this.#isStopping) this.#wake();
  }

  async #send(entry: TakenEntry, plant: EncodedPlant): Promise<Result> {
    let error: Error | undefined;
    try {
      await this.#settings.sender.sendEncoded(plant);
    } catch (thrown) {
      error = toError(thrown);
    }
    const mustWait = this.#endpoint.note(entry.id, error, this.#attempts.size === 1);
    if (error !== undefined) return this.#resultOf(entry, error, mustWait);
    return { ...resultAfter(entry, 'delivered'), attempts: entry.attempts + 1, outcome: undefined };
  }

  async #deleteOld(): Promise<void> {
    const { keepDelivered } = this.#settings;
    try {
      while (!this.#isStopping && (await this.#outbox.deleteOld(keepDelivered)));
    } catch (error) {
      if (!this.#databaseOutage.isOn) this.#report(error as Error);
    }
  }

  /** @param mustWait whether the endpoint was at fault */
  #resultOf(entry: TakenEntry, error: Error, mustWait = false): Result {
    const { code, outcome: last } = isPlantStoreError(error) ? error : unknownError;
    if (code === 'PLANT_STORE_SENDER_CLOSED' || code === 'PLANT_STORE_ABORTED') {
      if (!this.#isStopping) this.#report(error);
      this.#isStopping = true;
      // The sender was closed by force: that cuts attempts off, as the end of the relay does.
      return last === 'not-sent' ? resultAfter(entry, 'waiting') : this.#resultOf(entry, cutOffError());
    }
    const outcome = combineOutcomes(entry.outcome ?? 'not-sent', last);
    const failure = { outcome, code: code ?? error.name, error: error.message };
    if (mustWait) return { ...resultAfter(entry, 'waiting'), ...failure };
    const attempts = entry.attempts + 1;
    const dueIn = this.#delayAfter(entry.id, attempts, error, outcome);
    const state = dueIn === undefined ? 'parked' : 'waiting';
    return { id: entry.id, state, dueIn: dueIn ?? 0, attempts, ...failure };
  }

  /** Milliseconds until the next attempt; `undefined` for none. An entry whose policy fails is parked. */
  #delayAfter(id: number, attempt: number, error: Error, outcome: Outcome): number | undefined {
    if (!isPlantStoreError(error)) return undefined;
    try {
      const { retry } = this.#settings;
      const dueIn: unknown = retry === false ? undefined : retry({ id, attempt, error, outcome });
      if (dueIn === undefined || isNumber(dueIn, 0, longestTime)) return dueIn;
      if (isPromiseLike(dueIn)) ignore(dueIn);
      throw new TypeError(`\`retry\` must return milliseconds from 0 to ${longestTime}, or undefined.`);
    } catch (fault) {
      this.#report(toError(fault));
      return undefined;
    }
  }

  #tellOfParked(results: readonly Result[]): void {
    const parked = results.filter(({ state }) => state === 'parked');
    for (const reason of new Set(parked.map(({ code = '' }) => code))) {
      const ids = parked.filter(({ code }) => code === reason).map(({ id }) => id);
      const notice = Object.freeze({ count: ids.length, reason, ids: Object.freeze(ids.slice(0, MAX_IDS)) });
      parkedChannel.publish(notice);
      tell(this.#settings.onParked, notice, (fault) => this.#report(fault));
    }
  }

  #report(error: Error): void {
    const failed = (fault: Error): void =>
      process.emitWarning(`\`onError\` of a relay failed: ${inspect(fault)}`);
    tell(this.#settings.onError, error, failed);
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

/** Calls a function of the caller, who isn't waited for. Whatever it throws, or rejects with, ends nothing. */
function tell<Told>(
  listener: ((told: Told) => unknown) | undefined,
  told: Told,
  failed: (fault: Error) => void,
): void {
  try {
    const result = listener?.(told);
    if (isPromiseLike(result)) result.then(undefined, (fault: unknown) => failed(toError(fault)));
  } catch (fault) {
    failed(toError(fault));
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
