/**
 * `npm run bench strangers`: what those without a token cost. Compares a refusal with raw node:http, and deliveries
 * with and without strangers who pipeline. Takes about a minute.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { compare, type Figures, ratio } from './compare.js';

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly port: number;
}

const accessToken = 'arbitrary-access-token';
const post = 'POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\n';
const delivery = `${post}Authorization: Bearer ${accessToken}\r\nContent-Length: 1\r\n\r\na`;
const wrong = `${post}Authorization: Bearer wrong\r\n\r\n`;

const rounds = 5;
const roundSeconds = 2;
const connections = 10;
const pipelined = 8;
const strangers = 20;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const http = await rawHttp();
const receiver = await builtReceiver();
try {
  await compare({
    title: `401 to a wrong token, ${connections} connections, ${pipelined} requests at a time`,
    contenders: [http, receiver],
    rounds,
    measure: measureRefusals,
    columns: {
      'refusals/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
      'CPU µs each': ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1),
      'CPU of node:http': ({ cpuMicroseconds }, raw) => ratio(cpuMicroseconds, raw.cpuMicroseconds),
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
  port,
}: Contender): Promise<Figures<'perSecond' | 'cpuMicroseconds'>> {
  const cpu = cpuMicroseconds(server);
  const until = Date.now() + roundSeconds * 1_000;
  const counts = await Promise.all(Array.from({ length: connections }, () => countRefusals(port, until)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { perSecond: count / roundSeconds, cpuMicroseconds: (cpuMicroseconds(server) - cpu) / count };
}

/** Sends requests with a wrong token, after a delivery: a connection without a right token would be closed soon. */
async function countRefusals(port: number, until: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
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
      ? fork(new URL('./stranger-load.js', import.meta.url), [String(receiver.port), String(count)])
      : undefined;
  const result = await autocannon({
    url: `http://127.0.0.1:${receiver.port}/plant/webhook`,
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arbitrary: 'x'.repeat(1_000) }),
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

async function rawHttp(): Promise<Contender> {
  const server = fork(new URL('./receiver-http.js', import.meta.url), [accessToken]);
  const [port] = (await once(server, 'message')) as [number];
  return { name: 'raw node:http', process: server, port };
}

async function builtReceiver(): Promise<Contender> {
  const main = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
  const server = spawn(process.execPath, [main], {
    env: { ACCESS_TOKENS: accessToken, PORT: '0', OPERATIONS_PORT: '0', INBOX_URL: `file:${folder}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { name: 'the receiver', process: server, port: Number(new URL(url).port) };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill();
  await ended;
}

/** The CPU time of a process so far, NaN on a system without /proc. */
function cpuMicroseconds({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return NaN;
  }
}
