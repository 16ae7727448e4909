/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify,
 * which keeps nothing. Starts a server of its own on this machine. Takes about a minute.
 */
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';
import { compareReceivers } from './compare-receivers.js';
import { type ServerContender, startForked, startReceiver, stop } from './servers.js';

const cleanUps: (() => unknown)[] = [];
const contenders: ServerContender[] = [];
const programs = requirePostgres();
try {
  const server = await PostgresServer.start({ programs }, (undo) => cleanUps.push(undo));
  contenders.push(await startForked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  const INBOX_URL = await server.createDatabase();
  contenders.push(await startReceiver('the receiver on PostgreSQL', '', { INBOX_URL }));
  await compareReceivers(contenders);
} finally {
  await Promise.all(contenders.map((contender) => stop(contender.process)));
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
