/**
 * `npm run bench strangers`: what those without an accepted token cost. Compares deliveries with and without strangers.
 * Takes about a minute.
 */
import { fork } from 'node:child_process';
import { compare, count, ratio } from '../compare.js';
import { deliver } from '../deliver.js';
import { type Server, startReceiver, stop } from '../servers.js';

const CONNECTIONS = 10;

export default async function run(): Promise<void> {
  const receiver = await startReceiver('the receiver');
  await compare({
    title: `Deliveries of 1 kB, ${CONNECTIONS} connections`,
    contenders: [
      { name: 'no strangers' },
      { name: '20 strangers who pipeline', kind: 'pipelined' },
      { name: '20 strangers whose content is in chunks of one byte', kind: 'chunked' },
    ],
    measure: ({ kind }) => deliverBesideStrangers(receiver, kind),
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'p50 ms': ({ p50 }) => count(p50),
      'p99 ms': ({ p99 }) => count(p99),
      'of no strangers': ({ perSecond }, [none]) => ratio(perSecond, none.perSecond),
    },
  });
}

async function deliverBesideStrangers(receiver: Server, kind: string | undefined) {
  if (kind === undefined) return deliver(receiver, CONNECTIONS);
  const { port } = new URL(receiver.origin);
  const strangers = fork(new URL('../peers/strangers.js', import.meta.url), [port, kind]);
  try {
    return await deliver(receiver, CONNECTIONS);
  } finally {
    await stop(strangers);
  }
}
