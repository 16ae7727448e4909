/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify that keeps
 * nothing, and with raw Fastify and Nest on Fastify that keep in SQLite what they acknowledge. Takes about two minutes.
 */
import { compareReceivers } from '../deliver.js';
import { makeFolder, startPeer, startReceiver } from '../servers.js';

export default async function run(): Promise<void> {
  const moreMemory = { NODE_OPTIONS: '--max-semi-space-size=64' };
  await compareReceivers([
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()]),
    await startPeer('Nest on Fastify with SQLite', 'nest', [makeFolder()]),
    await startReceiver('the receiver, flushed to disk'),
    await startReceiver('the same, --max-semi-space-size=64', moreMemory),
  ]);
}
