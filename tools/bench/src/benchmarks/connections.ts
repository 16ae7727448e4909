/**
 * `npm run bench connections`: compares deliveries that are each on a connection of their own with deliveries on
 * connections that are kept, also on slower disks. Takes about a minute.
 */
import { connect, type Socket } from 'node:net';
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import { compare, count, type Figures, ratio } from '../compare.js';
import { drive } from '../drive.js';
import {
  accessToken,
  cpuMicroseconds,
  makeFolder,
  plant,
  type Server,
  startPeer,
  startReceiver,
  stop,
} from '../servers.js';

const SENDERS = 500;
const ROUND_MS = 1_000;

/** What a flush takes longer, in milliseconds. */
const FLUSH_DELAYS = [2, 10];

const BODY = JSON.stringify(plant);
const HEAD =
  `POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${accessToken}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
const REQUEST = Buffer.from(`${HEAD}\r\n${BODY}`);
const LAST_REQUEST = Buffer.from(`${HEAD}Connection: close\r\n\r\n${BODY}`);

export default async function run(): Promise<void> {
  await compareConnections(await startPeer('raw Fastify, keeps nothing', 'fastify'));
  await compareConnections(await startReceiver('the receiver'));
  const library = compileFlushFaults(makeFolder());
  if (library === undefined) {
    console.log('\nSkipped the slower disks: they need Linux and a C compiler, `cc`.');
    return;
  }
  for (const delay of FLUSH_DELAYS) {
    const environment = { LD_PRELOAD: library, FLUSH_DELAY_MS: String(delay) };
    await compareConnections(await startReceiver(`the receiver, each flush ${delay} ms longer`, environment));
  }
}

async function compareConnections(server: Server): Promise<void> {
  await compare({
    title: `${server.name}: 1 kB of JSON, ${SENDERS} senders`,
    contenders: [
      { name: 'connections are kept', keeps: true },
      { name: 'a connection for each delivery', keeps: false },
    ],
    measure: ({ keeps }) => measure(server, keeps),
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'p99 ms': ({ p99 }) => count(p99),
      'CPU µs each': (own) => own.cpuMicroseconds.toFixed(1),
      'load, of a core': ({ loadShare }) => ratio(loadShare, 1),
      'of connections kept': ({ perSecond }, [kept]) => ratio(perSecond, kept.perSecond),
    },
  });
  await stop(server.process);
}

async function measure(
  { process: server, origin }: Server,
  keeps: boolean,
): Promise<Figures<'perSecond' | 'p99' | 'cpuMicroseconds' | 'loadShare'>> {
  const [cpu, own, start] = [cpuMicroseconds(server), process.cpuUsage(), performance.now()];
  const sockets: Socket[] = [];
  const open = (): Socket =>
    connect({ port: Number(new URL(origin).port), host: '127.0.0.1', noDelay: true });
  const {
    count: sent,
    perSecond,
    p99,
  } = await drive(
    async (sender) => {
      let socket = sockets[sender];
      if (socket === undefined || socket.destroyed || socket.writableEnded) socket = sockets[sender] = open();
      await send(socket, keeps);
    },
    SENDERS,
    ROUND_MS,
  );
  for (const socket of sockets) socket.destroy();
  const { user, system } = process.cpuUsage(own);
  return {
    perSecond,
    p99,
    cpuMicroseconds: (cpuMicroseconds(server) - cpu) / sent,
    loadShare: (user + system) / 1_000 / (performance.now() - start),
  };
}

/** Sends a delivery over a plain socket, whose load is small, and waits for the response. */
async function send(socket: Socket, keeps: boolean): Promise<void> {
  socket.write(keeps ? REQUEST : LAST_REQUEST);
  const received = await new Promise<Buffer>((resolve, reject) => {
    socket.removeAllListeners('data').once('data', resolve).once('error', reject);
  });
  const response = received.toString('latin1');
  socket.removeAllListeners('error');
  if (!response.startsWith('HTTP/1.1 204')) throw new Error(`Refused: ${response}`);
  if (!keeps) socket.end();
}
