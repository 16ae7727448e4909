import { json, PlantStoreError } from '@plant-store/sdk';
import { createFakeSender } from '@plant-store/sdk/testing';
import { expect, test, vi } from 'vitest';

const options = { baseUrl: 'https://receiver.test', accessToken: 'token', method: 'POST', encode: json };

test('a delivery fails, and the next is acknowledged', async () => {
  const sender = createFakeSender(options);
  sender.replyNext({ status: 503 });
  await expect(sender.send({ from: 'test' })).rejects.toBeInstanceOf(PlantStoreError);
  await expect(sender.send({ from: 'test' })).resolves.toMatchObject({ status: 204 });
  expect(sender.deliveries.map(({ plant }) => plant.from)).toEqual(['test', 'test']);
});

test('a delivery is made while the clock is stopped', async () => {
  vi.useFakeTimers();
  try {
    await createFakeSender(options).send({ from: 'test' });
  } finally {
    vi.useRealTimers();
  }
});
