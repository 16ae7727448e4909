/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify
 * that keeps nothing, and with raw Fastify that keeps in SQLite what it acknowledges. Starts a server of its own on this
 * machine. Takes about two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';
import { compareReceivers, startPeers } from './compare-receivers.js';
import { type ServerContender, startReceiver, stop } from './servers.js';

const cleanUps: (() => unknown)[] = [];
const contenders: ServerContender[] = [];
const programs = requirePostgres();
const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
cleanUps.push(() => rmSync(folder, { recursive: true }));
try {
  const server = await PostgresServer.start({ programs }, (undo) => cleanUps.push(undo));
  await startPeers((peer) => contenders.push(peer), folder);
  const INBOX_URL = await server.createDatabase();
  contenders.push(await startReceiver('the receiver on PostgreSQL', '', { INBOX_URL }));
  await compareReceivers(contenders);
} finally {
  await Promise.all(contenders.map((contender) => stop(contender.process)));
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
