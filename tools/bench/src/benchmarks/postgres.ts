/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify
 * that keeps nothing, and with raw Fastify that keeps in SQLite what it acknowledges. Then the same with a PostgreSQL whose
 * flushes take 2 ms longer, 1 ms away. That needs Linux and a C compiler. Takes about two minutes.
 */
import { chmodSync } from 'node:fs';
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import { compareReceivers } from '../deliver.js';
import { makeFolder, type Server, startPeer, startPostgres, startReceiver } from '../servers.js';

export default async function run(): Promise<void> {
  const near = await startPostgres();
  const peers = [
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()]),
  ];
  const receivers = [
    await startReceiver('the receiver on PostgreSQL', { INBOX_URL: await near.createDatabase() }),
  ];
  const far = await startFarReceiver();
  if (far === undefined) console.log('Left out the slow disk: it needs Linux and a C compiler, `cc`.');
  else receivers.push(far);
  await compareReceivers([...peers, ...receivers]);
}

async function startFarReceiver(): Promise<Server | undefined> {
  const folder = makeFolder();
  const library = compileFlushFaults(folder);
  if (library === undefined) return undefined;
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({ environment: { LD_PRELOAD: library, FLUSH_DELAY_MS: '2' } });
  const url = new URL(await postgres.createDatabase());
  url.port = new URL((await startPeer('the network', 'distance', [url.port])).origin).port;
  return startReceiver('the same, flushes 2 ms longer, 1 ms away', { INBOX_URL: url.href });
}
