/**
 * `npm run bench postgres`: compares the receiver on PostgreSQL, which flushes each delivery to its disk, with raw Fastify
 * that keeps nothing, and with raw Fastify that keeps in SQLite what it acknowledges. Then the same with a PostgreSQL whose
 * flushes take 2 ms longer, 1 ms away. That needs Linux and a C compiler. Then 1, 2 and 4 receivers on one database. Takes
 * about three minutes.
 */
import { chmodSync } from 'node:fs';
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import type { PostgresServer } from '@plant-store/test-support/postgres';
import { compare, count, ratio } from '../compare.js';
import { compareReceivers, deliver } from '../deliver.js';
import {
  cpuMicroseconds,
  makeFolder,
  type Server,
  startPeer,
  startPostgres,
  startReceiver,
} from '../servers.js';

/** Connections to all receivers that share a database. */
const CONNECTIONS = 100;

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
  await compareGrowth(near);
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

/** How the pace and the server's work grow with the receivers that share a database. */
async function compareGrowth(postgres: PostgresServer): Promise<void> {
  const contenders: { readonly name: string; readonly receivers: readonly Server[] }[] = [];
  for (const number of [1, 2, 4]) {
    const INBOX_URL = await postgres.createDatabase();
    const receivers: Server[] = [];
    while (receivers.length < number) receivers.push(await startReceiver('', { INBOX_URL }));
    contenders.push({ name: `receivers: ${number}`, receivers });
  }
  await compare({
    title: `1 kB of JSON, ${CONNECTIONS} connections to all receivers on one PostgreSQL`,
    contenders,
    measure: async ({ receivers }) => {
      const cpu = cpuMicroseconds(postgres);
      const shares = receivers.map((receiver) => deliver(receiver, CONNECTIONS / receivers.length));
      const figures = await Promise.all(shares);
      const sum = (name: 'perSecond' | 'delivered'): number =>
        figures.reduce((total, figure) => total + figure[name], 0);
      const p99 = Math.max(...figures.map((figure) => figure.p99));
      return {
        perSecond: sum('perSecond'),
        p99,
        serverMicroseconds: (cpuMicroseconds(postgres) - cpu) / sum('delivered'),
      };
    },
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'p99 ms': ({ p99 }) => count(p99),
      "PostgreSQL's CPU µs each": (own) => own.serverMicroseconds.toFixed(1),
      'of one receiver': ({ perSecond }, [one]) => ratio(perSecond, one.perSecond),
    },
  });
}
