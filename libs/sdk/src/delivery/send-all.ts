import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import type { SenderError } from '../errors/sender-error.js';
import { Queue } from '../transport/queue.js';
import type { InFlight } from './in-flight.js';
import { isPromiseLike } from './promise-like.js';

/** The result of one plant of `sendAll`. */
export type BulkResult<Plant, Acknowledged> =
  | {
      /** The place of the plant in the iterable. It counts from 0. */
      readonly index: number;
      readonly plant: Plant;
      /** The response that acknowledges the delivery. */
      readonly response: Acknowledged;
      readonly error?: never;
    }
  | {
      readonly index: number;
      readonly plant: Plant;
      readonly response?: never;
      /** Why the delivery failed, with a `code` and an `outcome`. */
      readonly error: SenderError;
    };

/** Where `sendAll` takes its plants from. A promise is awaited before the next plant is taken. */
export type Plants<Plant> = Iterable<Plant | PromiseLike<Plant>> | AsyncIterable<Plant>;

/** Sends one plant. It rejects with a `PlantStoreError`. */
export type SendOne<Plant, Acknowledged> = (plant: Plant, index: number) => Promise<Acknowledged>;

/**
 * Sends the plants of an iterable, and yields their results as they come.
 *
 * - At most `concurrency` plants are taken whose results the caller hasn't read. So neither the iterable nor the
 *   results run ahead.
 * - What ends it early (the signal, a closed sender, an iterable that throws) is thrown after the results of the
 *   deliveries in flight. No further plant is taken.
 * - If the caller ends the iteration, it waits for the deliveries in flight.
 *
 * @param iterations Those of the sender. They are aborted when it is closed.
 * @param closed The error to throw once the sender is closed.
 */
export async function* sendAll<Plant, Acknowledged>(
  send: SendOne<Plant, Acknowledged>,
  plants: Plants<Plant>,
  concurrency: number,
  signal: AbortSignal | undefined,
  iterations: InFlight,
  closed: () => PlantStoreError | undefined,
): AsyncGenerator<BulkResult<Plant, Acknowledged>, void, void> {
  const bulk = new Bulk(send, plants, concurrency);
  const abort = (): void => bulk.stop(closed() ?? aborted(signal!.reason));
  const place = iterations.add({ abort }, signal);
  if (closed() !== undefined) abort();
  try {
    for (let result = await bulk.next(); result !== undefined; result = await bulk.next()) yield result;
  } finally {
    iterations.delete(place, signal);
    await bulk.end();
  }
}

/** The deliveries of one `sendAll`. */
class Bulk<Plant, Acknowledged> {
  readonly #send: SendOne<Plant, Acknowledged>;
  readonly #plants: Plants<Plant>;
  readonly #concurrency: number;
  /** Results that the caller hasn't read. */
  readonly #results = new Queue<BulkResult<Plant, Acknowledged>>();
  #source: ReturnType<typeof iteratorOf<Plant>> | undefined;
  #inFlight = 0;
  /** In flight, or with a result that the caller hasn't read. */
  #unread = 0;
  #taken = 0;
  /** Whether the iterable was asked for a plant that it hasn't given yet, or gave a promise of it. */
  #isAsking = false;
  /** Whether the iterable has no further plant, or threw an error. */
  #isSourceDone = false;
  /** Whether no further plant is taken. */
  #isOver = false;
  /** What ended it early. */
  #failure: PlantStoreError | undefined;
  #onChange: () => void = () => {};

  constructor(send: SendOne<Plant, Acknowledged>, plants: Plants<Plant>, concurrency: number) {
    this.#send = send;
    this.#plants = plants;
    this.#concurrency = concurrency;
  }

  /** The next result; `undefined` at the end. */
  async next(): Promise<BulkResult<Plant, Acknowledged> | undefined> {
    void this.#fill();
    while (this.#results.isEmpty) {
      if (this.#isOver && this.#inFlight === 0) {
        if (this.#failure !== undefined) throw this.#failure;
        return undefined;
      }
      await this.#change();
    }
    this.#unread -= 1;
    const result = this.#results.shift();
    void this.#fill();
    return result;
  }

  /** Takes no further plant. `next` throws the failure after the results of the deliveries in flight. */
  stop(failure: PlantStoreError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#onChange();
  }

  /** Waits for the deliveries in flight, then ends the iterable. */
  async end(): Promise<void> {
    this.#isOver = true;
    while (this.#inFlight > 0) await this.#change();
    if (this.#isSourceDone) return;
    try {
      const ended = Promise.resolve(this.#source?.return?.());
      // A generator that waits for its next plant can't end before it has one.
      if (this.#isAsking) ended.catch(() => {});
      else await ended;
    } catch (cause) {
      if (this.#failure === undefined) throw iterableFailed(cause);
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => (this.#onChange = resolve));
  }

  get #hasRoom(): boolean {
    return !this.#isOver && this.#unread < this.#concurrency;
  }

  /** Takes plants while there is room for them. It waits only for promises. */
  async #fill(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    let isGiven = false;
    try {
      while (this.#hasRoom) {
        isGiven = false;
        const asked = (this.#source ??= iteratorOf(this.#plants)).next();
        const step = isPromiseLike(asked) ? await asked : asked;
        if (typeof step !== 'object') throw new TypeError('The iterator did not return an object.');
        if (step.done === true) this.#isSourceDone = this.#isOver = true;
        else {
          const { value } = step;
          isGiven = true;
          const plant = isPromiseLike(value) ? await value : value;
          if (!this.#isOver) this.#start(plant);
        }
      }
    } catch (cause) {
      // An iterable that gave a promise that rejects hasn't ended by itself.
      this.#isSourceDone = !isGiven;
      this.stop(iterableFailed(cause));
    }
    this.#isAsking = false;
    this.#onChange();
  }

  #start(plant: Plant): void {
    const index = this.#taken;
    this.#taken += 1;
    this.#inFlight += 1;
    this.#unread += 1;
    this.#send(plant, index).then(
      (response) => this.#finish({ index, plant, response }),
      (error: unknown) => this.#finish({ index, plant, error: error as SenderError }),
    );
  }

  #finish(result: BulkResult<Plant, Acknowledged>): void {
    this.#inFlight -= 1;
    this.#results.add(result);
    this.#onChange();
  }
}

function iteratorOf<Plant>(
  plants: Plants<Plant>,
): Iterator<Plant | PromiseLike<Plant>> | AsyncIterator<Plant> {
  const { [Symbol.asyncIterator]: asynchronous, [Symbol.iterator]: synchronous } = plants as Iterable<Plant> &
    Partial<AsyncIterable<Plant>>;
  const open: () => Iterator<Plant> | AsyncIterator<Plant> = asynchronous ?? synchronous;
  return open.call(plants);
}

function aborted(cause: unknown): PlantStoreError {
  const message = '`sendAll` was aborted. No further plant was taken from the iterable.';
  return notSent('PLANT_STORE_ABORTED', message, cause);
}

function iterableFailed(cause: unknown): PlantStoreError {
  const message =
    'The iterable of `sendAll` threw an error; see `cause`. The plants before it have their results.';
  return notSent('PLANT_STORE_ITERABLE_FAILED', message, cause);
}
