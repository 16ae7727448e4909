/**
 * `npm run bench strangers`: what those without a token cost. Compares a refusal with raw node:http, and deliveries
 * with and without strangers who pipeline. Takes about a minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
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

const post = 'POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\n';
const delivery = `${post}Authorization: Bearer ${accessToken}\r\nContent-Length: 1\r\n\r\na`;
const wrong = `${post}Authorization: Bearer wrong\r\n\r\n`;

const rounds = 5;
const roundSeconds = 2;
const connections = 10;
const pipelined = 8;
const strangers = 20;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const http = await startForked('raw node:http', './receiver-http.js');
const receiver = await startReceiver('the receiver', folder);
try {
  await compare({
    title: `401 to a wrong token, ${connections} connections, ${pipelined} requests at a time`,
    contenders: [http, receiver],
    rounds,
    measure: measureRefusals,
    columns: {
      'refusals/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
      'CPU µs each': ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1),
      'CPU of node:http': ({ cpuMicroseconds }, [raw]) => ratio(cpuMicroseconds, raw.cpuMicroseconds),
    },
  });
  await compare({
    title: `Deliveries of 1 kB, ${connections} connections`,
    contenders: [
      { name: 'no strangers', strangers: 0 },
      { name: `${strangers} strangers who pipeline`, strangers },
    ],
    rounds,
    measure: (contender) => measureDeliveries(contender.strangers),
    columns: {
      'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
      'p50 ms': ({ p50 }) => p50.toFixed(0),
      'p99 ms': ({ p99 }) => p99.toFixed(0),
    },
  });
} finally {
  await Promise.all([http, receiver].map((contender) => stop(contender.process)));
  rmSync(folder, { recursive: true });
}

async function measureRefusals({
  process: server,
  origin,
}: ServerContender): Promise<Figures<'perSecond' | 'cpuMicroseconds'>> {
  const cpu = cpuMicroseconds(server);
  const until = Date.now() + roundSeconds * 1_000;
  const counts = await Promise.all(Array.from({ length: connections }, () => countRefusals(origin, until)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { perSecond: count / roundSeconds, cpuMicroseconds: (cpuMicroseconds(server) - cpu) / count };
}

/** Sends requests with a wrong token, after a delivery: a connection without a right token would be closed soon. */
async function countRefusals(origin: string, until: number): Promise<number> {
  const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', noDelay: true });
  let refused = 0;
  let pending = 1;
  socket.setEncoding('latin1').on('data', (text: string) => {
    refused += text.split('HTTP/1.1 401').length - 1;
    pending -= text.split('HTTP/1.1 ').length - 1;
    if (pending > 0) return;
    if (Date.now() > until) socket.destroy();
    else {
      pending = pipelined;
      socket.write(wrong.repeat(pipelined));
    }
  });
  socket.write(delivery);
  await once(socket, 'close');
  return refused;
}

async function measureDeliveries(count: number): Promise<Figures<'perSecond' | 'p50' | 'p99'>> {
  const load =
    count > 0
      ? fork(new URL('./stranger-load.js', import.meta.url), [new URL(receiver.origin).port, String(count)])
      : undefined;
  const result = await autocannon({
    url: `${receiver.origin}/plant/webhook`,
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body,
    connections,
    duration: roundSeconds,
  });
  if (load !== undefined) await stop(load);
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} deliveries refused, ${result.errors} failed.`);
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
