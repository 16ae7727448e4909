import type { Acknowledgement } from './delivery/answer.js';
import { AbortFanOut } from './delivery/abort-fan-out.js';
import { createAuthorizer } from './delivery/authorizer.js';
import { createClocks } from './delivery/clock.js';
import { Delivery } from './delivery/delivery.js';
import { InFlight } from './delivery/in-flight.js';
import { openTransport } from './delivery/transport.js';
import { encodePlant } from './encoders/encode-plant.js';
import { PlantStoreError } from './errors/plant-store-error.js';
import type { NewPlantSender, SendOptions } from './new-plant-sender.js';
import type { Settings } from './options/resolve-settings.js';

/** Opens a sender whose options are settled. */
export function openSender<Plant>(settings: Settings<Plant>): NewPlantSender<Plant> {
  const transport = openTransport(settings);
  const authorize = createAuthorizer(
    settings.accessToken,
    createClocks(settings.attemptTimeout, settings.totalTimeout),
  );
  const inFlight = new InFlight();
  const context = {
    url: settings.target.url,
    maxAnswerBytes: settings.maxAnswerBytes,
    aborts: new AbortFanOut(),
    onSettled: () => inFlight.leave(),
  };
  let closed: Promise<void> | undefined;

  function deliver(delivery: Delivery, plant: Plant): void {
    const encoded = encodePlant(settings.encode, plant);
    authorize(delivery, (credentials) =>
      attempt(delivery, () => transport.dispatch(delivery, encoded, credentials)),
    );
  }

  function send(plant: Plant, { signal }: SendOptions = {}): Promise<Acknowledgement> {
    if (closed !== undefined) return Promise.reject(senderClosed());
    return new Promise((resolve, reject) => {
      inFlight.enter();
      const delivery = new Delivery(context, resolve, reject, signal);
      if (!delivery.settled) attempt(delivery, () => deliver(delivery, plant));
    });
  }

  async function close(): Promise<void> {
    await inFlight.none();
    await transport.close();
  }

  return Object.freeze({ send, close: () => (closed ??= close()) });
}

/** Takes a step of a delivery; what it throws is the end of that delivery. */
function attempt(delivery: Delivery, step: () => void): void {
  try {
    step();
  } catch (error) {
    delivery.fail(error as Error);
  }
}

function senderClosed(): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.', { outcome: 'not-sent' });
}
