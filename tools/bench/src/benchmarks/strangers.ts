/**
 * `npm run bench strangers`: what those without an accepted token cost. Compares a refusal with raw node:http, and
 * deliveries with and without strangers. Takes about a minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { compare, count, type Figures, ratio } from '../compare.js';
import { deliver } from '../deliver.js';
import { accessToken, cpuMicroseconds, type Server, startPeer, startReceiver, stop } from '../servers.js';

const POST = 'POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\n';
const DELIVERY = `${POST}Authorization: Bearer ${accessToken}\r\nContent-Length: 1\r\n\r\na`;
const WRONG = `${POST}Authorization: Bearer wrong\r\n\r\n`;

const ROUND_MS = 2_000;
const CONNECTIONS = 10;
const PIPELINED = 8;

export default async function run(): Promise<void> {
  const receiver = await startReceiver('the receiver');
  await compare({
    title: `401 to a wrong token, ${CONNECTIONS} connections, ${PIPELINED} requests at a time`,
    contenders: [await startPeer('raw node:http', 'http'), receiver],
    measure: measureRefusals,
    columns: {
      'refusals/s': ({ perSecond }) => count(perSecond),
      'CPU µs each': (own) => own.cpuMicroseconds.toFixed(1),
      'CPU of node:http': (own, [raw]) => ratio(own.cpuMicroseconds, raw.cpuMicroseconds),
    },
  });
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

async function measureRefusals({
  process: server,
  origin,
}: Server): Promise<Figures<'perSecond' | 'cpuMicroseconds'>> {
  const cpu = cpuMicroseconds(server);
  const until = Date.now() + ROUND_MS;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => countRefusals(origin, until)));
  const refused = counts.reduce((sum, each) => sum + each, 0);
  return {
    perSecond: (refused * 1_000) / ROUND_MS,
    cpuMicroseconds: (cpuMicroseconds(server) - cpu) / refused,
  };
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
      pending = PIPELINED;
      socket.write(WRONG.repeat(PIPELINED));
    }
  });
  socket.write(DELIVERY);
  await once(socket, 'close');
  return refused;
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
