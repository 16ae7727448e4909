import { answerValues, type AnswerValues } from '@plant-store/contract';
import type { AcknowledgedStatus, AnyPlant, GivenAnswers } from './answers/answered-types.js';
import type { EncodedPlant } from './encoders/plant-encoder.js';
import type { ReceiverResponse } from './errors/not-acknowledged-error.js';
import { resolveSettings } from './options/resolve-settings.js';
import type {
  CloseOptions,
  OptionalArgument,
  SendEncodedOptions,
  SendOptions,
} from './options/send-options.js';
import type { NewPlantSenderOptions } from './options/sender-options.js';
import { Sender } from './sender.js';

/** Sends the New Plant notification to one receiver, over connections of its own. */
export interface NewPlantSender<Plant> extends AsyncDisposable {
  /**
   * Delivers one plant, in one attempt unless there is a retry policy (question retry). The plant and the event are
   * not validated at run time, whatever is answered: TypeScript checks the call, and the receiver checks the content.
   *
   * @returns The response that acknowledges the delivery: any 2xx (RFC 9110 §15.3), or the answered status only
   *   (question receiver-response).
   * @throws PlantStoreError in every other case, with a `code` from `errorCodes` and an `outcome`.
   */
  send(plant: Plant, ...options: OptionalArgument<SendOptions>): Promise<Acknowledgement>;
  /**
   * Delivers a plant that was encoded before: these bytes, with this media type and identifier of the event. Everything
   * else is as with `send`.
   */
  sendEncoded(encoded: EncodedPlant, options?: SendEncodedOptions): Promise<Acknowledgement>;
  /**
   * Waits for the deliveries that were started, including waits for the rate limit and for further attempts, then ends
   * the connections. With `force` it aborts them instead (`PLANT_STORE_ABORTED`, with the outcome of each), also if
   * `close` was called before. After `close` was called, `send` rejects with `PLANT_STORE_SENDER_CLOSED`.
   */
  close(options?: CloseOptions): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A response that acknowledges a delivery. While the question receiver-response is open, every 2xx does (RFC 9110
 * §15.3); once it is answered, only that status does. Headers and content don't matter.
 */
export interface Acknowledgement extends Omit<ReceiverResponse, 'status'> {
  /** The status of the response. */
  readonly status: AcknowledgedStatus<GivenAnswers>;
}

/** The answers that apply. They are right: nothing is checked here. */
export interface Contract<Given extends AnswerValues> {
  readonly answers: Given;
}

/** The answers of `@plant-store/contract`, which are checked before it is published. */
export const published: Contract<AnswerValues> = { answers: answerValues };

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
  // The answers may say more of a response than the type of the class, such as its status.
  const sender: unknown = new Sender<Plant>(resolveSettings(published.answers, options));
  return sender as NewPlantSender<Plant>;
}
