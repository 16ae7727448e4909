import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { ignore, isPromiseLike } from '../encoders/promise-like.js';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import { combineOutcomes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { isPlantStoreError, toError } from '../errors/sender-error.js';
import { published } from '../new-plant-sender.js';
import { isNumber } from '../options/read-options.js';
import { query } from './database.js';
import { Outage, waitAfter } from './outage.js';
import { OutboxError, outboxErrorCodes } from './outbox-error.js';
import { isCausedByContent, isEndOfSender, Pace } from './pace.js';
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
   * Begins nothing new, waits for what is being sent, and stores its results. It gives up 10 s after the last attempt
   * has ended if the database isn't there: then these attempts count as cut off. A relay that was stopped can't be
   * started again.
   */
  stop(): Promise<void>;
  /** The same as `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How often a relay extends the leases of its attempts, and looks at those of others, in milliseconds. */
const HOLD_INTERVAL = 5_000;

/**
 * After so many further looks at an unchanged lease, its attempt counts as cut off. Looks are counted because clocks are
 * wrong: that of the database may be set, and that of a process goes on while all are frozen.
 */
const LOOKS = 6;

/** How long a relay that stops tries to store its results, in milliseconds. */
const STOP_PATIENCE = 10_000;

/** How often old entries are deleted, in milliseconds. */
const DELETE_INTERVAL = 60_000;

/** How long a relay waits after a fault of the database, at first and at most, in milliseconds. */
const FIRST_RECONNECT = 250;
const LONGEST_RECONNECT = 5_000;

/** How long an entry waits after an attempt that sent nothing, at first and at most, in milliseconds. */
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 15_000;

/**
 * A look for new entries begins after the one that was taken last, because a session that holds an old snapshot keeps
 * the rows of those before. It begins at the start again so often, in milliseconds: the transaction of an entry may have
 * taken longer than those of later ones.
 */
const FROM_START_INTERVAL = 1_000;

/** The results of attempts that end within so many milliseconds are stored together: a step costs a flush of the disk. */
const GATHER = 5;

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

/** An attempt of an entry, as it is stored before it begins. Together, the first three name it. */
interface Attempt {
  readonly id: number;
  /** The relay that made it. */
  readonly relay: string;
  /** How many attempts of the entry have begun. */
  readonly begun: number;
  /** How many attempts before it count for the policy. */
  readonly attempts: number;
  /** Their worst outcome; absent if there were none. */
  readonly outcome?: Outcome | null;
}

/** An entry that a relay has taken. */
interface Taken {
  readonly attempt: Attempt;
  /** Whether it was never tried, or replayed. */
  readonly isNew: boolean;
  /** What is sent beside its content. */
  readonly fixed: Omit<EncodedPlant, 'content'>;
}

/** What became of an attempt. */
interface Result extends Attempt {
  readonly state: 'delivered' | 'parked' | 'waiting';
  /** Milliseconds until the entry is sent again. */
  readonly dueIn?: number;
  /** Code and message of the error. */
  readonly code?: string;
  readonly error?: string;
}

class RelayLoop {
  readonly #settings: RelaySettings;
  readonly #id = randomUUID();
  readonly #database: Outage;
  readonly #pace: Pace;
  #running: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #isStopping = false;
  #isOver = false;
  /** The attempts that are under way, by their entries. */
  readonly #underWay = new Map<number, Promise<void>>();
  /** Not stored yet. */
  #results: Result[] = [];
  // Times are milliseconds since the start of the process.
  #lookAt = 0;
  #holdAt = 0;
  #deleteAt = 0;
  /** The attempts of other relays, and at how many looks in a row their leases were the same. */
  #others = new Map<string, number>();
  /** The id of the new entry that was taken last. */
  #after = 0;
  #fromStartAt = 0;
  /** Every other step that takes entries does so in another order, so that none waits behind others for long. */
  #isOtherOrder = false;
  #isWoken = false;
  #isGathering = false;
  #endPause = (): void => {};

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    const report = (error: Error): void => this.#report(error);
    this.#database = new Outage('database', report);
    this.#pace = new Pace(settings.concurrency, report);
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isStopping) throw new TypeError('A relay is started once.');
    const opening = requireSchema(this.#settings.outbox.database);
    this.#running = opening.then(
      () => this.#run(),
      () => (this.#running = undefined),
    );
    await opening;
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await Promise.all(this.#underWay.values());
    await new Promise<void>((resolve) => {
      const giveUp = (): void => {
        this.#isOver = true;
        this.#wake();
        resolve();
      };
      const timer = setTimeout(giveUp, STOP_PATIENCE);
      void Promise.resolve(this.#running).then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      let wait: number;
      this.#isWoken = false;
      try {
        wait = await this.#turn();
        this.#database.end();
      } catch (error) {
        this.#database.fail(toError(error));
        // The others could not extend their leases either.
        this.#others.clear();
        this.#holdAt = 0;
        wait = waitAfter(this.#database.tries, FIRST_RECONNECT, LONGEST_RECONNECT);
      }
      await this.#pause(wait);
    }
  }

  /** Does what is due. @returns milliseconds until more is due, unless an attempt ends before */
  async #turn(): Promise<number> {
    const isLast = this.#isLast;
    const isLookDue = this.#mayBegin && performance.now() >= this.#beginAt;
    if (this.#results.length > 0 || isLookDue) await this.#step(isLookDue);
    if (isLast || performance.now() >= this.#holdAt) await this.#hold();
    if (!this.#isStopping && performance.now() >= this.#deleteAt) await this.#deleteOld();
    this.#isOver ||= isLast && this.#results.length === 0;
    if (this.#isOver || this.#isLast) return 0;
    if (this.#results.length > 0) return GATHER;
    const nextAt = Math.min(this.#holdAt, this.#deleteAt, this.#mayBegin ? this.#beginAt : Infinity);
    return nextAt - performance.now();
  }

  /** Whether no attempt will end any more. */
  get #isLast(): boolean {
    return this.#isStopping && this.#underWay.size === 0;
  }

  get #mayBegin(): boolean {
    return !this.#isStopping && this.#underWay.size < this.#settings.concurrency;
  }

  /** When attempts may begin. */
  get #beginAt(): number {
    return Math.max(this.#lookAt, this.#pace.beginAt);
  }

  /** Stores results and that attempts begin, and begins them. */
  async #step(isLookDue: boolean): Promise<void> {
    const results = [...this.#results];
    const free = this.#settings.concurrency - this.#underWay.size;
    const most = isLookDue ? Math.min(free, this.#pace.most) : 0;
    if (isLookDue && performance.now() >= this.#fromStartAt) {
      this.#after = 0;
      this.#fromStartAt = performance.now() + FROM_START_INTERVAL;
    }
    const { isSlow } = this.#pace;
    if (most > 0) this.#isOtherOrder = !this.#isOtherOrder;
    const first = this.#isOtherOrder ? (isSlow ? 'newest' : 'again') : 'new';
    const text = 'SELECT entry, content FROM plant_store_outbox.step($1, $2, $3, $4, $5)';
    const values = [this.#id, JSON.stringify(results), most, this.#after, first];
    const rows = await query<{ entry: string; content: string }>(
      this.#settings.outbox.database,
      text,
      values,
    );
    this.#results.splice(0, results.length);
    this.#tellOfParked(results);
    if (most > 0 && rows.length === 0) this.#lookAt = performance.now() + this.#settings.pollInterval;
    // One that isn't begun is given back.
    if (this.#isStopping || rows.length === 0) return;
    this.#pace.begin();
    for (const { entry, content } of rows) {
      const { attempt, isNew, fixed } = JSON.parse(entry) as Taken;
      if (isNew && !isSlow) this.#after = Math.max(this.#after, attempt.id);
      this.#begin(attempt, { ...fixed, content: Buffer.from(content, 'base64') });
    }
  }

  #begin(attempt: Attempt, plant: EncodedPlant): void {
    const failed = (fault: unknown): void => {
      this.#report(toError(fault));
      this.#results.push(this.#resultOf(attempt, toError(fault)));
    };
    const ended = (): void => {
      this.#underWay.delete(attempt.id);
      if (this.#isStopping) this.#wake();
      // During an outage of the database, the results of many attempts don't make many tries.
      else if (this.#database.tries === 0) this.#gather();
    };
    this.#underWay.set(attempt.id, this.#send(attempt, plant).catch(failed).then(ended));
  }

  /** Extends leases, gives back what is not under way, and ends what other relays have left behind. */
  async #hold(): Promise<void> {
    const known = [...this.#underWay.keys(), ...this.#results.map(({ id }) => id)];
    const text = 'SELECT plant_store_outbox.hold($1, $2) AS held';
    const values = [this.#id, `{${known.join(',')}}`];
    const [row] = await query<{ held: string }>(this.#settings.outbox.database, text, values);
    const { corrected, others } = JSON.parse(row!.held) as Held;
    const now = performance.now();
    const looked = now < this.#holdAt ? 0 : 1;
    this.#holdAt = now + HOLD_INTERVAL;
    if (corrected > 0) {
      const message = `${outboxErrorCodes.PLANT_STORE_OUTBOX_CLOCK} Entries: ${corrected}.`;
      this.#report(new OutboxError('PLANT_STORE_OUTBOX_CLOCK', message));
    }
    const before = this.#others;
    const keyed = others.map((attempt) => ({ attempt, key: JSON.stringify(attempt) }));
    this.#others = new Map(keyed.map(({ key }) => [key, (before.get(key) ?? -1) + looked]));
    for (const { attempt, key } of keyed)
      if (this.#others.get(key)! >= LOOKS) this.#results.push(this.#resultOf(attempt, cutOffError()));
  }

  async #send(attempt: Attempt, plant: EncodedPlant): Promise<void> {
    const { phase } = this.#pace;
    let error: Error | undefined;
    try {
      await this.#settings.sender.sendEncoded(plant);
    } catch (thrown) {
      error = toError(thrown);
    }
    this.#pace.note(attempt.id, phase, error);
    const result = this.#resultAfter(attempt, error);
    if (result !== undefined) this.#results.push(result);
  }

  /** Deletes a batch of old entries. */
  async #deleteOld(): Promise<void> {
    this.#deleteAt = performance.now() + DELETE_INTERVAL;
    const text = 'SELECT plant_store_outbox.delete_old($1) AS deleted';
    const values = [this.#settings.keepDelivered];
    const [row] = await query<{ deleted: string }>(this.#settings.outbox.database, text, values);
    if (row!.deleted !== '0') this.#deleteAt = 0;
  }

  /** What becomes of an entry after an attempt; `undefined` if it is given back. */
  #resultAfter(attempt: Attempt, error: Error | undefined): Result | undefined {
    if (error === undefined)
      return { ...attempt, state: 'delivered', attempts: attempt.attempts + 1, outcome: null };
    if (!isPlantStoreError(error) || !isEndOfSender(error)) return this.#resultOf(attempt, error);
    if (!this.#isStopping) this.#report(error);
    this.#isStopping = true;
    // The sender was closed by force: that cuts attempts off, as the end of the relay does.
    return error.outcome === 'not-sent' ? undefined : this.#resultOf(attempt, cutOffError());
  }

  /** What becomes of an entry after an attempt that failed. */
  #resultOf(attempt: Attempt, error: Error): Result {
    const { code, outcome: last } = isPlantStoreError(error) ? error : unknownError;
    const outcome = combineOutcomes(attempt.outcome ?? 'not-sent', last);
    const failed = {
      ...attempt,
      outcome,
      code: storable(code ?? error.name),
      error: storable(error.message),
    };
    if (last === 'not-sent' && !isCausedByContent(error))
      return { ...failed, state: 'waiting', dueIn: waitAfter(attempt.begun, FIRST_DELAY, LONGEST_DELAY) };
    const attempts = attempt.attempts + 1;
    const dueIn = this.#delayAfter(attempt.id, attempts, error, outcome);
    if (dueIn === undefined) return { ...failed, attempts, state: 'parked' };
    return { ...failed, attempts, state: 'waiting', dueIn };
  }

  /** Milliseconds until the next attempt; `undefined` for none. An entry whose policy fails is parked. */
  #delayAfter(id: number, attempt: number, error: Error, outcome: Outcome): number | undefined {
    if (!isPlantStoreError(error) || error.outcome === 'not-sent') return undefined;
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

  /** An attempt has ended: its result is stored soon. */
  #gather(): void {
    if (this.#underWay.size === 0) this.#wake();
    else if (!this.#isGathering) {
      this.#isGathering = true;
      setTimeout(() => {
        this.#isGathering = false;
        this.#wake();
      }, GATHER);
    }
  }

  /** Results are stored now, or the relay is stopped. */
  #wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Waits, unless the relay has been woken since its turn began, and until it is at most. */
  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Calls a function of the caller, who isn't waited for. Whatever it throws, or rejects with, ends no process. */
function tell<Told>(
  listener: ((told: Told) => unknown) | undefined,
  told: Told,
  failed: (fault: Error) => void,
): void {
  new Promise((resolve) => resolve(listener?.(told)))
    .catch((fault: unknown) => failed(toError(fault)))
    // An error may throw when it is shown.
    .catch(() => {});
}

interface Held {
  /** How many entries waited for a time of a clock that was ahead. */
  readonly corrected: number;
  readonly others: readonly (Attempt & { readonly leasedAt: string })[];
}

/** What is known of an attempt whose error is none of a sender. */
const unknownError = { code: undefined, outcome: 'unknown' } as const;

/** The error of an attempt whose relay stored no result. */
function cutOffError(): PlantStoreError {
  const message = 'The relay ended during the attempt, or lost its database. The plant may have arrived.';
  return new PlantStoreError('PLANT_STORE_ATTEMPT_CUT_OFF', message, { outcome: 'unknown' });
}

/** PostgreSQL can't store NUL or half of a surrogate pair. A name of an error may be anything. */
function storable(text: unknown): string {
  return Buffer.from(String(text).replaceAll('\0', '')).toString();
}
