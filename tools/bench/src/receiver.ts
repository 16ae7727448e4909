/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify and with Nest
 * on Express, which keep nothing. Takes about two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, ratio } from './compare.js';
import { measureReceiver } from './measure-receiver.js';
import { type ServerContender, startForked, startReceiver, stop } from './servers.js';

const rounds = 5;
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
  rmSync(folder, { recursive: true });
}
