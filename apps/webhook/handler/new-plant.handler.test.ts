import type { Attempt, Delivery, Handler } from '@plant-store/handler';

import { NewPlantHandler } from './new-plant.handler.js';

const delivery: Delivery = {
  id: 1,
  key: '2f1c6a0e-5d0b-4f43-9a51-0c1f6f0d7b3e',
  receivedAt: Date.now(),
  startedAt: Date.now(),
  attempts: 1,
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  eventId: null,
  fields: [],
  content: Buffer.from('arbitrary'),
};

const attempt: Attempt = {
  signal: new AbortController().signal,
  transaction: () => Promise.reject(new Error('this test has no database')),
};

test('a plant is handled', async () => {
  const handler: Handler = new NewPlantHandler();

  await handler.handle(delivery, attempt);
});
