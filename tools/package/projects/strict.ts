/** Compiled, and not run: the types of the packages, as a strict application uses them. */
import type { Attempt, Delivery, Handler } from '@plant-store/handler';
import {
  type Acknowledgement,
  createNewPlantSender,
  isPlantStoreError,
  json,
  type NewPlantSender,
} from '@plant-store/sdk';
import {
  createOutbox,
  createRelay,
  type OutboxDatabase,
  type Relay,
  type Transaction,
} from '@plant-store/sdk/outbox';
import { createFakeSender } from '@plant-store/sdk/testing';

interface Plant {
  readonly from: string;
}

const options = {
  baseUrl: 'https://receiver.test',
  accessToken: 'token',
  method: 'POST',
  encode: json,
} as const;

export async function send(plant: Plant): Promise<Acknowledgement> {
  const sender = createNewPlantSender<Plant>(options);
  try {
    return await sender.send(plant);
  } catch (error) {
    if (isPlantStoreError(error)) console.error(error.code, error.outcome);
    throw error;
  } finally {
    await sender.close();
  }
}

// @ts-expect-error -- a sender needs a method while the question is open
export const without = createNewPlantSender<Plant>({
  baseUrl: options.baseUrl,
  accessToken: 'token',
  encode: json,
});

export async function relay(database: OutboxDatabase, transaction: Transaction): Promise<Relay> {
  const outbox = createOutbox<Plant>({ database, encode: json });
  await outbox.enqueue(transaction, { from: 'strict' });
  // @ts-expect-error -- the plant has another type
  await outbox.enqueue(transaction, { from: 1 });
  const sender: NewPlantSender<Plant> = createFakeSender<Plant>(options);
  return createRelay({
    outbox,
    sender,
    retry: ({ attempt, outcome }) => (outcome === 'not-sent' ? attempt : undefined),
  });
}

export const handler: Handler = {
  async handle({ key }: Delivery, attempt: Attempt): Promise<void> {
    await attempt.transaction(async (client) => void (await client.query('SELECT $1', [key])));
  },
};
