/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify
 * that keeps nothing, and with raw Fastify that keeps in SQLite what it acknowledges. Takes about two minutes.
 */
import { compareReceivers } from '../deliver.js';
import { makeFolder, startPeer, startPostgres, startReceiver } from '../servers.js';

export default async function run(): Promise<void> {
  const postgres = await startPostgres();
  await compareReceivers([
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()]),
    await startReceiver('the receiver on PostgreSQL', { INBOX_URL: await postgres.createDatabase() }),
  ]);
}
