/**
 * `npm run bench slow-disk`: compares the receiver with raw Fastify and SQLite on a disk whose flushes take 5 ms longer.
 * Needs Linux and a C compiler. Takes about a minute.
 */
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import { compareReceivers } from '../deliver.js';
import { makeFolder, startPeer, startReceiver } from '../servers.js';

export default async function run(): Promise<void> {
  const library = compileFlushFaults(makeFolder());
  if (library === undefined) throw new Error('A slow disk needs Linux and a C compiler, `cc`.');
  const slow = { LD_PRELOAD: library, FLUSH_DELAY_MS: '5' };
  await compareReceivers([
    await startPeer('raw Fastify, keeps nothing', 'fastify'),
    await startPeer('raw Fastify with SQLite, the floor', 'fastify', [makeFolder()], slow),
    await startReceiver('the receiver', slow),
  ]);
}
