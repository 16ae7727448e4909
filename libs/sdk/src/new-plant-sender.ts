import { accepts, type Accepts, answers, type Answers } from '@plant-store/contract';
import type { AcknowledgedStatus, AnyPlant, GivenAnswers, PlantOf } from './answers/answered-types.js';
import { createAuthorize } from './delivery/access-token.js';
import { deliver, type DeliveryContext } from './delivery/delivery.js';
import { observeDelivery } from './delivery/diagnostics.js';
import { createHeaders } from './delivery/headers.js';
import { InFlight } from './delivery/in-flight.js';
import { RateLimiter } from './delivery/rate-limiter.js';
import { acknowledges, responseExplainer } from './delivery/response.js';
import { type BulkResult, type Plants, sendAll } from './delivery/send-all.js';
import type { EncodedPlant, EncodePlant } from './encoders/encode-plant.js';
import type { ReceiverResponse } from './errors/not-acknowledged-error.js';
import { notSent, type PlantStoreError } from './errors/plant-store-error.js';
import { resolveSettings, type Settings } from './options/resolve-settings.js';
import {
  type CloseOptions,
  type OptionalArgument,
  readCloseOptions,
  readSendAllOptions,
  readSendOptions,
  type SendAllOptions,
  type SendEncodedOptions,
  type SendOptions,
} from './options/send-options.js';
import type { NewPlantSenderOptions } from './options/sender-options.js';
import { Transport } from './transport/transport.js';

if (process.versions['bun'] !== undefined) {
  throw new Error('@plant-store/sdk needs Node.js: in Bun, undici reports errors that nobody can catch.');
}

/** Sends the New Plant notification to one receiver, over connections of its own. */
export interface NewPlantSender<Plant, Given extends Answers = GivenAnswers> extends AsyncDisposable {
  /**
   * Delivers one plant, in one attempt unless there is a retry policy (question retry). The plant and the event are
   * not validated at run time, whatever is answered: TypeScript checks the call, and the receiver checks the content.
   *
   * @returns The response that acknowledges the delivery: any 2xx (RFC 9110 §15.3), or the answered status only
   *   (question receiver-response).
   * @throws PlantStoreError in every other case, with a `code` from `errorCodes` and an `outcome`.
   */
  send(plant: Plant, ...options: OptionalArgument<SendOptions<Given>>): Promise<Acknowledgement<Given>>;
  /**
   * Delivers a plant that was encoded before: these bytes, with this media type and identifier of the event. Everything
   * else is as with `send`.
   */
  sendEncoded(encoded: EncodedPlant, options?: SendEncodedOptions): Promise<Acknowledgement<Given>>;
  /**
   * Delivers the plants of an iterable, and yields their results as they come, not in order. A plant that fails doesn't
   * stop the others.
   *
   * - A plant is taken from the iterable only while fewer than `concurrency` plants are in flight or have results that
   *   weren't read. So memory stays flat, however many plants there are, and however slow receiver and reader are.
   * - If the iterable throws, the signal is aborted, or the sender is closed, no further plant is taken. The iteration
   *   yields the results of the deliveries in flight and then throws, so an iteration that ends has sent everything.
   * - Leaving the loop early waits for the deliveries in flight. Their results are lost.
   *
   * @throws InvalidOptionsError if an argument is invalid.
   * @throws PlantStoreError while iterating: `PLANT_STORE_ITERABLE_FAILED`, `PLANT_STORE_ABORTED` or
   *   `PLANT_STORE_SENDER_CLOSED`.
   */
  sendAll(
    plants: Plants<Plant>,
    ...options: OptionalArgument<SendAllOptions<Plant, Given>>
  ): AsyncIterableIterator<SendResult<Plant, Given>>;
  /**
   * Waits for the deliveries that were started, including waits for the rate limit and for further attempts, then ends
   * the connections. With `force` it aborts them instead (`PLANT_STORE_ABORTED`, with the outcome of each), also if
   * `close` was called before. After `close` was called, `send` rejects with `PLANT_STORE_SENDER_CLOSED`.
   */
  close(options?: CloseOptions): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The result of one plant of `sendAll`: its `response` if it was acknowledged, else its `error`. */
export type SendResult<Plant, Given extends Answers = GivenAnswers> = BulkResult<
  Plant,
  Acknowledgement<Given>
>;

/**
 * A response that acknowledges a delivery. While the question receiver-response is open, every 2xx does (RFC 9110
 * §15.3); once it is answered, only that status does. Headers and content don't matter.
 */
export type Acknowledgement<Given extends Answers = GivenAnswers> = ReceiverResponse &
  AcknowledgedStatus<Given>;

/**
 * Creates a sender of the New Plant notification. Create it once, send as often as you like, then close it.
 *
 * @typeParam Plant The type of the plants: any type, until the question plant-fields is answered with a schema.
 * @throws InvalidOptionsError with every fault of the options. A fault names the open question that makes an option
 *   required.
 */
export function createNewPlantSender<Plant extends AnyPlant = AnyPlant>(
  options: NewPlantSenderOptions<Plant>,
): NewPlantSender<Plant> {
  return createSenderUnder<GivenAnswers, Plant>(answers, options, accepts);
}

/**
 * Creates a sender under a set of answers, which must be right: nothing is checked here. Those of the contract are
 * checked before it is published.
 *
 * @param accepted What is accepted beside the answers.
 * @throws InvalidOptionsError with every fault of the options.
 */
export function createSenderUnder<const Given extends Answers, Plant extends PlantOf<Given> = PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
  accepted: Accepts = {},
): NewPlantSender<Plant, Given> {
  return openSender(resolveSettings<Plant>(given, options, accepted)) as unknown as NewPlantSender<
    Plant,
    Given
  >;
}

/** A sender with checked settings. The options of its methods are not checked yet. */
export interface OpenSender<Plant> {
  send(plant: Plant, options?: unknown): Promise<ReceiverResponse>;
  sendEncoded(encoded: EncodedPlant, options?: unknown): Promise<ReceiverResponse>;
  sendAll(
    plants: Plants<Plant>,
    options?: unknown,
  ): AsyncIterableIterator<BulkResult<Plant, ReceiverResponse>>;
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a sender with checked settings. */
export function openSender<Plant>(settings: Settings<Plant>): OpenSender<Plant> {
  const { answered, attemptTimeout, maxResponseBytes, method, retry, totalTimeout } = settings;
  const { url } = settings.target;
  const inFlight = new InFlight();
  const iterations = new InFlight();
  const transport = new Transport(settings);
  let closed: Promise<void> | undefined;
  const context: DeliveryContext = {
    url,
    // A subscriber, or a getter of the options, may have closed the sender.
    readOptions(options) {
      const read = readSendOptions(options);
      if (closed !== undefined) throw senderClosed();
      return read;
    },
    maxResponseBytes,
    acknowledges: acknowledges(answered),
    explain: responseExplainer(answered),
    transport,
    authorize: createAuthorize(settings),
    headers: createHeaders(settings),
    attemptTimeout,
    totalTimeout,
    inFlight,
    retry,
    limiter: answered.rateLimit && new RateLimiter(answered.rateLimit),
  };

  function start<Item>(encode: EncodePlant<Item>, item: Item, options: unknown): Promise<ReceiverResponse> {
    if (closed !== undefined) return Promise.reject(senderClosed());
    const observer = observeDelivery(method, url);
    const delivery = deliver(context, encode, item, options, observer);
    observer?.watch(delivery);
    return delivery;
  }

  const send = (plant: Plant, options?: unknown): Promise<ReceiverResponse> =>
    start(settings.encode, plant, options);

  function sendEach(
    plants: Plants<Plant>,
    options?: unknown,
  ): AsyncIterableIterator<BulkResult<Plant, ReceiverResponse>> {
    const { concurrency, signal, sendOptionsOf } = readSendAllOptions<Plant>(
      plants,
      options,
      settings.maxConnections,
    );
    const sendOne = async (plant: Plant, index: number): Promise<ReceiverResponse> =>
      send(plant, sendOptionsOf(plant, index));
    return sendAll(sendOne, plants, concurrency, signal, iterations, () => closed && senderClosed());
  }

  function close(options?: CloseOptions): Promise<void> {
    const isForced = readCloseOptions(options);
    closed ??= closeWhenEmpty();
    iterations.abort();
    if (isForced) inFlight.abort(senderClosed());
    return closed;
  }

  async function closeWhenEmpty(): Promise<void> {
    await inFlight.whenEmpty();
    await transport.close();
  }

  return Object.freeze({
    send,
    sendEncoded: (encoded: EncodedPlant, options?: unknown) => start(settings.checkEncoded, encoded, options),
    sendAll: sendEach,
    close,
    [Symbol.asyncDispose]: () => close(),
  });
}

function senderClosed(): PlantStoreError {
  return notSent('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.');
}
