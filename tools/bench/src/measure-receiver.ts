import autocannon from 'autocannon';
import type { Figures } from './compare.js';
import { accessToken, body, cpuMicroseconds, type ServerContender } from './servers.js';

const roundSeconds = 2;

/** Sends as many deliveries of 1 kB of JSON as a server takes, for one round. */
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
