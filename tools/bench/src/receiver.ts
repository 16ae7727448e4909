/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify and with Nest
 * on Express, which keep nothing. Takes about two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { compare, type Figures, ratio } from './compare.js';
import {
  accessToken,
  body,
  cpuMicroseconds,
  type ServerContender,
  startForked,
  startReceiver,
  stop,
} from './servers.js';

const rounds = 5;
const roundSeconds = 2;
const levels = [50, 500];

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const contenders: ServerContender[] = [];
try {
  const inbox = (): string => join(folder, String(contenders.length));
  contenders.push(await startForked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  contenders.push(await startReceiver('the receiver, flushed to disk', inbox()));
  contenders.push(await startReceiver('the same, HANDLER_PROCESS=own', inbox(), { HANDLER_PROCESS: 'own' }));
  contenders.push(await startForked('Nest on Express, keeps nothing', './receiver-express.js'));
  for (const connections of levels) {
    await compare({
      title: `1 kB of JSON, ${connections} connections`,
      contenders,
      rounds,
      measure: (contender) => measure(contender, connections),
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
  rmSync(folder, { recursive: true });
}

async function measure(
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
