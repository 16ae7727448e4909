import type { Failure } from '@plant-store/contract';
import type { ErrorCode } from '../errors/plant-store-error.js';
import { isNotAcknowledged, isPlantStoreError } from '../errors/sender-error.js';
import { Outage, waitAfter } from './outage.js';

/** Statuses that RFC 9110 §15.5 defines by the content of the request. */
const contentStatuses: readonly number[] = [400, 413, 415, 422];

/** The same once the question status-codes is answered, and the error has the failure that its status means. */
const contentFailures: readonly Failure[] = [
  'content-missing',
  'content-malformed',
  'content-invalid',
  'content-too-large',
  'media-type-unsupported',
  'event-id-missing',
];

/** Nothing was sent, because of the plant itself. */
const plantCodes: readonly ErrorCode[] = [
  'PLANT_STORE_INVALID_OPTIONS',
  'PLANT_STORE_ENCODE_FAILED',
  'PLANT_STORE_CONTENT_TOO_LARGE',
];

/** Whether an error comes again however often the plant is sent, because of what it contains. */
export function isCausedByContent(error: Error): boolean {
  if (!isPlantStoreError(error)) return false;
  if (!isNotAcknowledged(error)) return plantCodes.includes(error.code);
  const { failure, status } = error;
  return failure === undefined ? contentStatuses.includes(status) : contentFailures.includes(failure);
}

/** No plant causes these if nothing was sent. */
const noConnection: readonly string[] = [
  'PLANT_STORE_ACCESS_TOKEN_FAILED',
  'PLANT_STORE_SIGNING_KEY_FAILED',
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
] satisfies ErrorCode[];

const endOfSender: readonly ErrorCode[] = ['PLANT_STORE_SENDER_CLOSED', 'PLANT_STORE_ABORTED'];

/** Whether an attempt failed because its sender was closed, which says nothing about plant and endpoint. */
export function isEndOfSender(error: Error): boolean {
  return isPlantStoreError(error) && endOfSender.includes(error.code);
}

/** What the result of an attempt says about the endpoint. `suspect`: the endpoint fails, or this plant makes it fail. */
function signOf(error: Error | undefined): 'works' | 'fails' | 'suspect' | 'nothing' {
  if (error === undefined) return 'works';
  if (isEndOfSender(error)) return 'nothing';
  if (!isPlantStoreError(error)) return 'suspect';
  if (isNotAcknowledged(error)) return isCausedByContent(error) ? 'works' : 'suspect';
  if (error.outcome !== 'not-sent') return 'suspect';
  // Without an attempt, it waited for the sender's own queue.
  if (error.attempts === 0 || isCausedByContent(error)) return 'nothing';
  return noConnection.includes(error.code) ? 'fails' : 'suspect';
}

/** So many entries in a row make a suspicion a fact. */
const ROW = 5;

/** Milliseconds between two beginnings, at first and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

/**
 * How many attempts a relay begins at a time. While the endpoint fails, it begins half as many each time, after a wait
 * that grows, down to one every few seconds. The first one that succeeds opens up again. Attempts that are under way
 * hold nothing up, and count only if they began since the last change.
 */
export class Pace {
  readonly #concurrency: number;
  readonly #outage: Outage;
  /** Entries that failed since the last change, and nothing that works between them. */
  readonly #row = new Set<number>();
  #beginAt = 0;
  /** Is another one after each change. An attempt keeps that of its beginning. */
  phase = 0;

  constructor(concurrency: number, report: (error: Error) => void) {
    this.#concurrency = concurrency;
    this.#outage = new Outage('endpoint', report);
  }

  get isSlow(): boolean {
    return this.#outage.tries > 0;
  }

  /** How many attempts may begin at a time. */
  get most(): number {
    return Math.max(1, Math.floor(this.#concurrency / 2 ** this.#outage.tries));
  }

  /** When they may, in milliseconds since the start of the process. */
  get beginAt(): number {
    return this.#beginAt;
  }

  /** Attempts have begun: the next ones wait, if the endpoint fails. */
  begin(): void {
    if (this.isSlow) this.#wait();
  }

  /**
   * An attempt has ended.
   *
   * @param phase that of its beginning
   * @param error `undefined` if it was acknowledged
   */
  note(id: number, phase: number, error: Error | undefined): void {
    const sign = signOf(error);
    if (phase !== this.phase || sign === 'nothing') return;
    if (sign === 'works') {
      this.#row.clear();
      if (this.isSlow) this.#change();
      this.#outage.end();
      return;
    }
    this.#row.add(id);
    const several = this.isSlow ? Math.min(ROW, this.most) : ROW;
    if (sign === 'suspect' && this.#row.size < several) return;
    this.#outage.fail(error!);
    this.#change();
    this.#wait();
  }

  #change(): void {
    this.phase += 1;
    this.#row.clear();
    this.#beginAt = 0;
  }

  #wait(): void {
    this.#beginAt = performance.now() + waitAfter(this.#outage.tries, FIRST_WAIT, LONGEST_WAIT);
  }
}
