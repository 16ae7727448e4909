import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

import type { Keep } from './peer.js';

/**
 * Keeps deliveries as jobs of BullMQ, which one worker handles: it does nothing.
 *
 * @param socket of a Redis that flushes each write
 */
export async function keepInBullmq(socket: string): Promise<Keep> {
  const connect = (): Redis => new Redis({ path: socket, maxRetriesPerRequest: null });
  const queue = new Queue('deliveries', { connection: connect() });
  const worker = new Worker('deliveries', async () => undefined, {
    connection: connect(),
    concurrency: 50,
  });
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  return async ({ mediaType, content }) => {
    await queue.add('delivery', { mediaType, content: content.toString('base64') });
  };
}
