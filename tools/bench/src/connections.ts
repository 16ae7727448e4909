/**
 * `npm run bench connections`: compares deliveries that are each on a connection of their own with deliveries on
 * connections that are kept, also on slower disks. Takes about a minute.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
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

const senders = 500;
const rounds = 5;
const milliseconds = 1_000;

/** What a flush takes longer, in milliseconds. */
const flushDelays = [2, 10];

interface Contender {
  readonly name: string;
  readonly server: ServerContender;
  readonly keepsConnections: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
try {
  await compareConnections(await startForked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  await compareConnections(await startReceiver('the receiver', join(folder, 'own')));
  const library = compileFlushFaults(folder);
  if (library === undefined)
    console.log('\nSkipped the slower disks: they need Linux and a C compiler, `cc`.');
  else {
    for (const delay of flushDelays) {
      const environment = { LD_PRELOAD: library, FLUSH_DELAY_MS: String(delay) };
      const name = `the receiver, each flush ${delay} ms longer`;
      await compareConnections(await startReceiver(name, join(folder, String(delay)), environment));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function compareConnections(server: ServerContender): Promise<void> {
  try {
    await compare<Contender, 'perSecond' | 'p99' | 'cpuMicroseconds' | 'loadShare'>({
      title: `${server.name}: 1 kB of JSON, ${senders} senders`,
      contenders: [
        { name: 'connections are kept', server, keepsConnections: true },
        { name: 'a connection for each delivery', server, keepsConnections: false },
      ],
      rounds,
      measure,
      columns: {
        'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
        'p99 ms': ({ p99 }) => p99.toFixed(0),
        'CPU µs each': ({ cpuMicroseconds: cpu }) => cpu.toFixed(1),
        'load, of a core': ({ loadShare }) => ratio(loadShare, 1),
        'of connections kept': ({ perSecond }, [kept]) => ratio(perSecond, kept.perSecond),
      },
    });
  } finally {
    await stop(server.process);
  }
}

async function measure({
  server,
  keepsConnections,
}: Contender): Promise<Figures<'perSecond' | 'p99' | 'cpuMicroseconds' | 'loadShare'>> {
  const [cpu, own, start] = [cpuMicroseconds(server.process), process.cpuUsage(), performance.now()];
  const latencies = await send(Number(new URL(server.origin).port), keepsConnections);
  const [took, { user, system }] = [performance.now() - start, process.cpuUsage(own)];
  return {
    perSecond: (latencies.length / took) * 1_000,
    p99: latencies[Math.floor(latencies.length * 0.99)]!,
    cpuMicroseconds: (cpuMicroseconds(server.process) - cpu) / latencies.length,
    loadShare: (user + system) / 1_000 / took,
  };
}

/**
 * Sends deliveries over plain sockets, whose load is small. Each sender sends the next delivery when it has the
 * response.
 *
 * @returns how long each took, in milliseconds, the shortest first
 */
async function send(port: number, keepsConnections: boolean): Promise<number[]> {
  const fields = keepsConnections ? '' : 'Connection: close\r\n';
  const request = Buffer.from(
    `POST /plant/webhook HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${accessToken}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`,
  );
  const end = performance.now() + milliseconds;
  const latencies: number[] = [];

  const deliver = async (socket: Socket): Promise<void> => {
    const start = performance.now();
    await new Promise<void>((resolve, reject) => {
      const onData = (response: Buffer): void => {
        const line = response.toString('latin1', 0, 12);
        if (line === 'HTTP/1.1 204') resolve();
        else reject(new Error(`A delivery was refused: ${line}`));
      };
      socket.removeAllListeners('data').once('data', onData).once('error', reject);
      socket.write(request);
    });
    socket.removeAllListeners('error');
    latencies.push(performance.now() - start);
  };
  const open = (): Socket => connect({ port, host: '127.0.0.1', noDelay: true });

  const runSender = async (): Promise<void> => {
    let socket = open();
    while (performance.now() < end) {
      if (socket.destroyed || socket.writableEnded) socket = open();
      await deliver(socket);
      if (!keepsConnections) socket.end();
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: senders }, runSender));
  return latencies.sort((a, b) => a - b);
}
