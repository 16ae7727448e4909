import { tracingChannel } from 'node:diagnostics_channel';
import type { ContentMethod } from '@plant-store/contract';
import { Delivery, type DeliveryContext } from './delivery/delivery.js';
import { Credentials } from './delivery/access-token.js';
import { RequestHeaders } from './delivery/headers.js';
import { InFlight } from './delivery/in-flight.js';
import { RateLimiter } from './delivery/rate-limiter.js';
import { ResponseReader } from './delivery/response.js';
import type { EncodedPlant } from './encoders/plant-encoder.js';
import type { ReceiverResponse } from './errors/not-acknowledged-error.js';
import { notSent, type PlantStoreError } from './errors/plant-store-error.js';
import { toError } from './errors/sender-error.js';
import type { Settings } from './options/resolve-settings.js';
import { type CloseOptions, readCloseOptions, readSendOptions } from './options/send-options.js';
import { Transport } from './transport/transport.js';

/**
 * What the channel `plant-store:send` publishes about one call of `send` or `sendEncoded`: the same object for each of
 * its events. It has neither the access token nor the signing key, but a response may repeat them: don't log its headers
 * and content.
 */
export interface SendTrace {
  /** The HTTP method of each of its requests. */
  readonly method: ContentMethod;
  /** Where it is sent: `baseUrl` with the delivery path appended. It has no user information and no query. */
  readonly url: string;
  /** The response that acknowledged the delivery. */
  readonly result?: ReceiverResponse;
  /** What `send` rejects with. */
  readonly error?: PlantStoreError;
}

const sendChannel = tracingChannel<SendTrace>('plant-store:send');

/**
 * A sender with validated settings. Its methods validate their own options, of any type. They are properties, so that a
 * caller can pass them on alone.
 */
export class Sender<Plant> implements AsyncDisposable {
  readonly #settings: Settings<Plant>;
  readonly #context: DeliveryContext;
  readonly #inFlight = new InFlight();
  #closed: Promise<void> | undefined;

  constructor(settings: Settings<Plant>, transport = new Transport(settings)) {
    const { answered, attemptTimeout, maxResponseBytes, retry, target, totalTimeout } = settings;
    this.#settings = settings;
    this.#context = {
      attemptTimeout,
      maxResponseBytes,
      retry,
      target,
      totalTimeout,
      transport,
      credentials: new Credentials(settings),
      headers: new RequestHeaders(settings),
      inFlight: this.#inFlight,
      lastRequest: { took: 0 },
      limiter: answered.rateLimit && new RateLimiter(answered.rateLimit),
      responses: new ResponseReader(answered),
    };
  }

  readonly send = (plant: Plant, options?: unknown): Promise<ReceiverResponse> =>
    this.#deliver(plant, false, options);

  readonly sendEncoded = (encoded: EncodedPlant, options?: unknown): Promise<ReceiverResponse> =>
    this.#deliver(encoded, true, options);

  readonly close = (options?: CloseOptions): Promise<void> => {
    const isForced = readCloseOptions(options);
    this.#closed ??= this.#closeWhenEmpty();
    if (isForced) this.#inFlight.abort(senderClosed());
    return this.#closed;
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #deliver(plant: Plant | EncodedPlant, isEncoded: boolean, raw: unknown): Promise<ReceiverResponse> {
    if (!sendChannel.hasSubscribers) return this.#start(plant, isEncoded, raw);
    const { method, target } = this.#settings;
    return sendChannel.tracePromise(() => this.#start(plant, isEncoded, raw), { method, url: target.url });
  }

  #start(plant: Plant | EncodedPlant, isEncoded: boolean, raw: unknown): Promise<ReceiverResponse> {
    try {
      const options = readSendOptions(raw);
      if (this.#closed !== undefined) throw senderClosed();
      return new Delivery(this.#context).run(this.#settings.encoder, plant, isEncoded, options);
    } catch (error) {
      return Promise.reject(toError(error));
    }
  }

  async #closeWhenEmpty(): Promise<void> {
    await this.#inFlight.whenEmpty();
    await this.#context.transport.close();
  }
}

function senderClosed(): PlantStoreError {
  return notSent('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.');
}
