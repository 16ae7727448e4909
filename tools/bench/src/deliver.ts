import autocannon from 'autocannon';
import { compare, count, type Figures, ratio } from './compare.js';
import { accessToken, cpuMicroseconds, plant, type Server } from './servers.js';

const ROUND_SECONDS = 2;

/**
 * Sends as many deliveries of 1 kB of JSON as a server takes, for one round.
 *
 * @param amount how many to send, instead of for how long
 * @throws if one is refused
 */
export async function deliver(
  { origin, process: server }: Server,
  connections: number,
  amount?: number,
): Promise<Figures<'delivered' | 'perSecond' | 'p99' | 'cpuMicroseconds'>> {
  const cpu = cpuMicroseconds(server);
  const result = await autocannon({
    url: `${origin}/plant/webhook`,
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(plant),
    connections,
    ...(amount === undefined ? { duration: ROUND_SECONDS } : { amount }),
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${origin}: ${result.non2xx} requests refused, ${result.errors} failed.`);
  return {
    delivered: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p99: result.latency.p99,
    cpuMicroseconds: (cpuMicroseconds(server) - cpu) / result['2xx'],
  };
}

/** Compares receivers with two peers at each number of connections. */
export async function compareReceivers(servers: readonly Server[]): Promise<void> {
  for (const connections of [50, 500]) {
    await compare({
      title: `1 kB of JSON, ${connections} connections`,
      contenders: servers,
      measure: (server) => deliver(server, connections),
      columns: {
        'deliveries/s': ({ perSecond }) => count(perSecond),
        'p99 ms': ({ p99 }) => count(p99),
        'CPU µs each': (own) => own.cpuMicroseconds.toFixed(1),
        'of raw Fastify': ({ perSecond }, [fastify]) => ratio(perSecond, fastify.perSecond),
        'of the floor': ({ perSecond }, [, floor]) => ratio(perSecond, floor.perSecond),
      },
    });
  }
}
