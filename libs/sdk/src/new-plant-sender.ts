import type { Acknowledgement } from './delivery/answer.js';

export interface SendOptions {
  /** Gives the delivery up when it aborts, whatever stage it is in (`PLANT_STORE_ABORTED`). */
  readonly signal?: AbortSignal | undefined;
}

/** Sends the New Plant notification to one receiver, over connections of its own. */
export interface NewPlantSender<Plant> {
  /**
   * Delivers one plant, in one attempt (question retry).
   *
   * @returns The acknowledgement: an answer whose status is 2xx (RFC 9110 §15.3, question receiver-response).
   * @throws PlantStoreError with a `code` of `errorCodes` and an `outcome` in every other case.
   */
  send(plant: Plant, options?: SendOptions): Promise<Acknowledgement>;
  /**
   * Waits for the deliveries in flight, then ends the connections. A `send` after it is refused with
   * `PLANT_STORE_SENDER_CLOSED`.
   */
  close(): Promise<void>;
}
