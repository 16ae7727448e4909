import { Delivery, type DeliveryContext } from './delivery/delivery.js';
import { Credentials } from './delivery/access-token.js';
import { observeDelivery } from './delivery/diagnostics.js';
import { RequestHeaders } from './delivery/headers.js';
import { InFlight } from './delivery/in-flight.js';
import { RateLimiter } from './delivery/rate-limiter.js';
import { ResponseReader } from './delivery/response.js';
import { type BulkResult, type Plants, sendAll } from './delivery/send-all.js';
import type { EncodedPlant } from './encoders/plant-encoder.js';
import type { ReceiverResponse } from './errors/not-acknowledged-error.js';
import { notSent, type PlantStoreError } from './errors/plant-store-error.js';
import type { Settings } from './options/resolve-settings.js';
import {
  type CloseOptions,
  readCloseOptions,
  readSendAllOptions,
  readSendOptions,
} from './options/send-options.js';
import { Transport } from './transport/transport.js';

/**
 * A sender with validated settings. Its methods validate their own options, of any type. They are properties, so that a
 * caller can pass them on alone.
 */
export class Sender<Plant> implements AsyncDisposable {
  readonly #settings: Settings<Plant>;
  readonly #context: DeliveryContext;
  readonly #inFlight = new InFlight();
  readonly #iterations = new InFlight();
  #closed: Promise<void> | undefined;

  constructor(settings: Settings<Plant>, transport = new Transport(settings)) {
    const { answered, attemptTimeout, maxResponseBytes, retry, target, totalTimeout } = settings;
    this.#settings = settings;
    this.#context = {
      ...{ attemptTimeout, maxResponseBytes, retry, target, totalTimeout, transport },
      credentials: new Credentials(settings),
      headers: new RequestHeaders(settings),
      inFlight: this.#inFlight,
      limiter: answered.rateLimit && new RateLimiter(answered.rateLimit),
      responses: new ResponseReader(answered),
    };
    Object.freeze(this);
  }

  readonly send = (plant: Plant, options?: unknown): Promise<ReceiverResponse> =>
    this.#deliver(plant, false, options);

  readonly sendEncoded = (encoded: EncodedPlant, options?: unknown): Promise<ReceiverResponse> =>
    this.#deliver(encoded, true, options);

  readonly sendAll = (
    plants: Plants<Plant>,
    options?: unknown,
  ): AsyncIterableIterator<BulkResult<Plant, ReceiverResponse>> => {
    const { concurrency, signal, sendOptionsOf } = readSendAllOptions<Plant>(
      plants,
      options,
      this.#settings.maxConnections,
    );
    const caller: { stack?: string } = {};
    Error.captureStackTrace(caller, this.sendAll);
    const send = async (plant: Plant, index: number): Promise<ReceiverResponse> => {
      try {
        return await this.send(plant, sendOptionsOf(plant, index));
      } catch (error) {
        const frames = framesOf(caller);
        if (frames !== '') Object.assign(error as Error, { stack: `${(error as Error).stack}${frames}` });
        throw error;
      }
    };
    const closed = (): PlantStoreError | undefined => this.#closed && senderClosed();
    return sendAll(send, plants, concurrency, signal, this.#iterations, closed);
  };

  readonly close = (options?: CloseOptions): Promise<void> => {
    const isForced = readCloseOptions(options);
    this.#closed ??= this.#closeWhenEmpty();
    this.#iterations.abort();
    if (isForced) this.#inFlight.abort(senderClosed());
    return this.#closed;
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #deliver(plant: Plant | EncodedPlant, isEncoded: boolean, raw: unknown): Promise<ReceiverResponse> {
    if (this.#closed !== undefined) return Promise.reject(senderClosed());
    const observer = observeDelivery(this.#settings.method, this.#settings.target.url);
    try {
      const options = readSendOptions(raw);
      // A subscriber, or a getter of the options, may have closed it.
      this.#refuseIfClosed();
      return new Delivery(this.#context, observer).run(this.#settings.encoder, plant, isEncoded, options);
    } catch (thrown) {
      const error = thrown as PlantStoreError;
      observer?.end({ error });
      return Promise.reject(error);
    }
  }

  #refuseIfClosed(): void {
    if (this.#closed !== undefined) throw senderClosed();
  }

  async #closeWhenEmpty(): Promise<void> {
    await this.#inFlight.whenEmpty();
    await this.#context.transport.close();
  }
}

function senderClosed(): PlantStoreError {
  return notSent('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.');
}

/** The lines of a stack that name functions. `Error.stackTraceLimit` and `prepareStackTrace` may leave none, or no text. */
function framesOf({ stack }: { readonly stack?: unknown }): string {
  return typeof stack === 'string' && stack.includes('\n') ? stack.slice(stack.indexOf('\n')) : '';
}
