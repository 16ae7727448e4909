import type { EncodedPlant, EncodePlant } from '../encoders/encode-plant.js';
import type { UncheckedSendOptions } from '../new-plant-sender.js';
import type { Answer } from './answer.js';
import type { Authorizer } from './authorizer.js';
import { Delivery, type DeliveryContext } from './delivery.js';
import type { Transport } from './transport.js';

/** What every `send` of one sender goes through. */
export interface Sending<Plant> {
  readonly encode: EncodePlant<Plant>;
  readonly authorize: Authorizer;
  readonly transport: Transport;
  readonly context: DeliveryContext;
}

/** Begins one `send`, and tells what becomes of it. */
export type BeginSending<Plant> = (
  plant: Plant,
  options: UncheckedSendOptions,
  resolve: (acknowledgement: Answer) => void,
  reject: (error: Error) => void,
) => void;

/** Each `send` is one attempt, at once. */
export function sendingOnce<Plant>(sending: Sending<Plant>): BeginSending<Plant> {
  const { encode, context } = sending;
  return (plant, options, resolve, reject) => {
    const delivery = new Delivery(context, resolve, reject, options.signal);
    if (!delivery.settled) step(delivery, () => makeAttempt(sending, delivery, encode(plant, options)));
  };
}

/** Makes an attempt: gets the credentials, then dispatches. */
export function makeAttempt<Plant>(
  { authorize, transport }: Sending<Plant>,
  delivery: Delivery,
  plant: EncodedPlant,
): void {
  authorize(delivery, (credentials) =>
    step(delivery, () => transport.dispatch(delivery, plant, credentials)),
  );
}

/** Takes a step of a delivery; what it throws is the end of that delivery. */
function step(delivery: Delivery, take: () => void): void {
  try {
    take();
  } catch (error) {
    delivery.fail(error as Error);
  }
}
