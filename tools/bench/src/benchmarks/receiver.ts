/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify that keeps
 * nothing, and with raw Fastify and Nest on Fastify that keep in SQLite what they acknowledge. Takes about two minutes.
 */
import { compareReceivers } from '../deliver.js';
import { makeFolder, startPeer, startReceiver } from '../servers.js';

export default async function run(): Promise<void> {
  // As in deploy/ and under `npm start`.
  const asDeployed = { NODE_OPTIONS: '--max-semi-space-size=64' };
  await compareReceivers([
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()]),
    await startPeer('Nest on Fastify with SQLite', 'nest', [makeFolder()]),
    await startReceiver('the receiver as deployed, --max-semi-space-size=64', asDeployed),
    await startReceiver('the same without that option'),
  ]);
}
