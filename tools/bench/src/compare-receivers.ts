import autocannon from 'autocannon';
import { compare, type Figures, ratio } from './compare.js';
import { accessToken, body, cpuMicroseconds, type ServerContender, startForked } from './servers.js';

const rounds = 5;
const roundSeconds = 2;
const levels = [50, 500];

/** Starts what a receiver is compared with, and passes each to `add` once it runs. */
export async function startPeers(add: (peer: ServerContender) => void, folder: string): Promise<void> {
  add(await startForked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  add(await startForked('raw Fastify with SQLite, the floor', './receiver-fastify-sqlite.js', folder));
}

/** Compares receivers at each number of connections. The first two are the peers. */
export async function compareReceivers(contenders: readonly ServerContender[]): Promise<void> {
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
        'of raw Fastify': ({ perSecond }, [fastify]) => ratio(perSecond, fastify.perSecond),
        'of the floor': ({ perSecond }, [, floor]) => ratio(perSecond, floor.perSecond),
      },
    });
  }
}

/** Sends as many deliveries of 1 kB of JSON as a server takes, for one round. Fails if one is refused. */
export async function measureReceiver(
  { origin, process: server }: ServerContender,
  connections: number,
): Promise<Figures<'perSecond' | 'p99' | 'cpuMicroseconds'>> {
  const cpu = cpuMicroseconds(server);
  const result = await autocannon({
    url: `${origin}/plant/webhook`,
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body,
    connections,
    duration: roundSeconds,
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${origin}: ${result.non2xx} requests refused, ${result.errors} failed.`);
  return {
    perSecond: result['2xx'] / result.duration,
    p99: result.latency.p99,
    cpuMicroseconds: (cpuMicroseconds(server) - cpu) / result['2xx'],
  };
}
