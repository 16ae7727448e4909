/**
 * `npm run bench slow-disk`: compares the receiver with raw Fastify and SQLite on a disk whose flushes take 5 ms longer,
 * and measures how long a stranger waits for a 401 meanwhile. Needs Linux and a C compiler. Takes about a minute.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import { measureReceiver } from './compare-receivers.js';
import { compare, ratio } from './compare.js';
import { type ServerContender, startForked, startReceiver, stop } from './servers.js';

const FLUSH_DELAY_MS = '5';
const levels = [50, 500];

/** Between two strangers, in milliseconds: they are to measure the server, and no load. */
const PAUSE = 20;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const contenders: ServerContender[] = [];
try {
  const library = compileFlushFaults(folder);
  if (library === undefined) throw new Error('A slow disk needs Linux and a C compiler, `cc`.');
  const slow = { LD_PRELOAD: library, FLUSH_DELAY_MS };
  contenders.push(
    await startForked('raw Fastify with SQLite, the floor', './receiver-fastify-sqlite.js', folder, slow),
  );
  contenders.push(await startReceiver('the receiver', join(folder, 'inbox'), slow));
  for (const connections of levels) {
    await compare({
      title: `each flush ${FLUSH_DELAY_MS} ms longer: 1 kB of JSON, ${connections} connections`,
      contenders,
      rounds: 5,
      measure: (contender) => measure(contender, connections),
      columns: {
        'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
        'p99 ms': ({ p99 }) => p99.toFixed(0),
        '401: p50 ms': ({ refusal50 }) => refusal50.toFixed(1),
        '401: p99 ms': ({ refusal99 }) => refusal99.toFixed(1),
        'of the floor': ({ perSecond }, [floor]) => ratio(perSecond, floor.perSecond),
      },
    });
  }
} finally {
  await Promise.all(contenders.map((contender) => stop(contender.process)));
  rmSync(folder, { recursive: true });
}

/** Deliveries, and beside them one stranger after the other who has no token. */
async function measure(contender: ServerContender, connections: number) {
  const ended = new AbortController();
  const refusals = refuse(Number(new URL(contender.origin).port), ended.signal);
  const figures = await measureReceiver(contender, connections);
  ended.abort();
  const times = (await refusals).sort((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(times.length * share)]!;
  return { ...figures, refusal50: at(0.5), refusal99: at(0.99) };
}

/** How long each refusal took, in milliseconds, from the request to the response. */
async function refuse(port: number, ended: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!ended.aborted) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const start = performance.now();
    socket.write('POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    if (!response.includes('HTTP/1.1 401')) throw new Error('A stranger was not refused.');
    times.push(performance.now() - start);
    socket.destroy();
    await delay(PAUSE);
  }
  return times;
}
