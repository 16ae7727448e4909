/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify that keeps
 * nothing, with raw Fastify and Nest on Fastify that keep in SQLite what they acknowledge, and with Nest on Fastify that
 * puts it into a queue: BullMQ on a Redis that flushes each write, and pg-boss. Needs redis-server and PostgreSQL. Takes
 * about six minutes.
 */
import { compareReceivers } from '../deliver.js';
import { makeFolder, startPeer, startPostgres, startReceiver, startRedis } from '../servers.js';

export default async function run(): Promise<void> {
  const postgres = await startPostgres();
  const moreMemory = { NODE_OPTIONS: '--max-semi-space-size=64' };
  await compareReceivers([
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()]),
    await startPeer('Nest on Fastify with SQLite', 'nest', ['sqlite', makeFolder()]),
    await startPeer('Nest on Fastify with BullMQ on Redis', 'nest', ['bullmq', await startRedis()]),
    await startPeer('Nest on Fastify with pg-boss', 'nest', ['pg-boss', await postgres.createDatabase()]),
    await startReceiver('the receiver, flushed to disk'),
    await startReceiver('the same, --max-semi-space-size=64', moreMemory),
  ]);
}
