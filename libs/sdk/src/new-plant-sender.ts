import type { Answers, answers } from '@plant-store/contract';
import type { Column, OptionTable } from './answers/option-table.js';
import type { Acknowledgement } from './delivery/answer.js';

interface SignalOption {
  /** Gives the delivery up when it aborts, whatever stage it is in (`PLANT_STORE_ABORTED`). */
  readonly signal?: AbortSignal | undefined;
}

/** Options of one delivery under the answers given so far. */
export type SendOptions<Given extends Answers = typeof answers> = SignalOption &
  Column<OptionTable<unknown, Given>, 'send'>;

/** Every option of `send` by name, none of them certain. */
export interface UncheckedSendOptions extends SignalOption {
  readonly eventId?: unknown;
  readonly event?: unknown;
}

/** The options of `send`, which may be left out while none of them is required. */
type SendArguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** Sends the New Plant notification to one receiver, over connections of its own. */
export interface NewPlantSender<Plant, Given extends Answers = typeof answers> {
  /**
   * Delivers one plant: in one attempt, unless there is a retry policy (question retry). Neither the plant nor the
   * fields of its event are validated here, whatever is answered: the compiler holds the caller to them, and the
   * receiver checks what arrives.
   *
   * @returns The acknowledgement: an answer whose status is 2xx (RFC 9110 §15.3), or exactly the answered one
   *   (question receiver-response).
   * @throws PlantStoreError with a `code` of `errorCodes` and an `outcome` in every other case.
   */
  send(plant: Plant, ...options: SendArguments<SendOptions<Given>>): Promise<Acknowledgement<Given>>;
  /**
   * Waits for the deliveries in flight, those that wait for their turn or for another attempt included, then ends the
   * connections. A `send` after it is refused with `PLANT_STORE_SENDER_CLOSED`.
   */
  close(): Promise<void>;
}
