/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify,
 * which keeps nothing. Starts a server of its own on this machine. Takes about a minute.
 */
import { findPostgres, PostgresServer } from '@plant-store/test-support/postgres';
import { compare, ratio } from './compare.js';
import { measureReceiver } from './measure-receiver.js';
import { type ServerContender, startForked, startReceiver, stop } from './servers.js';

const rounds = 5;
const levels = [50, 500];

const cleanUps: (() => unknown)[] = [];
const contenders: ServerContender[] = [];
const programs = findPostgres({ CI: 'true' });
try {
  const server = await PostgresServer.start({ programs: programs! }, (undo) => cleanUps.push(undo));
  contenders.push(await startForked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  const INBOX_URL = await server.createDatabase();
  contenders.push(await startReceiver('the receiver on PostgreSQL', '', { INBOX_URL }));
  for (const connections of levels) {
    await compare({
      title: `1 kB of JSON, ${connections} connections`,
      contenders,
      rounds,
      measure: (contender) => measureReceiver(contender, connections),
      columns: {
        'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
        'p99 ms': ({ p99 }) => p99.toFixed(0),
        'CPU µs each': ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1),
        'of raw Fastify': ({ perSecond }, fastify) => ratio(perSecond, fastify.perSecond),
      },
    });
  }
} finally {
  await Promise.all(contenders.map((contender) => stop(contender.process)));
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
