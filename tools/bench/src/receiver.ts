/**
 * `npm run bench receiver`: compares the receiver, which flushes each delivery to disk, with raw Fastify and with Nest
 * on Express, which keep nothing. Takes about two minutes.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { compare, type Figures, ratio } from './compare.js';

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
}

const accessToken = 'arbitrary-access-token';

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
const body = JSON.stringify({ arbitrary: 'x'.repeat(1_000) });

const rounds = 5;
const roundSeconds = 2;
const levels = [50, 500];

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const contenders: Contender[] = [];
try {
  contenders.push(await forked('raw Fastify, keeps nothing', './receiver-fastify.js'));
  contenders.push(await receiver('the receiver, flushed to disk'));
  contenders.push(await receiver('the same, HANDLER_PROCESS=own', { HANDLER_PROCESS: 'own' }));
  contenders.push(await forked('Nest on Express, keeps nothing', './receiver-express.js'));
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
  { origin, process: server }: Contender,
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

async function forked(name: string, module: string): Promise<Contender> {
  const server = fork(new URL(module, import.meta.url), [accessToken]);
  const [port] = (await once(server, 'message')) as [number];
  return { name, process: server, origin: `http://127.0.0.1:${port}` };
}

async function receiver(name: string, settings = {}): Promise<Contender> {
  const main = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
  const server = spawn(process.execPath, [main], {
    env: {
      ACCESS_TOKENS: accessToken,
      PORT: '0',
      OPERATIONS_PORT: '0',
      INBOX_URL: `file:${join(folder, String(contenders.length))}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { name, process: server, origin: new URL(url).origin };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill();
  await ended;
}

/** The CPU time of a process and its children so far, NaN on a system without /proc. */
function cpuMicroseconds({ pid }: { readonly pid?: number | undefined }): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const own = (Number(fields[11]) + Number(fields[12])) * 10_000;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuMicroseconds({ pid: Number(child) }), own);
  } catch {
    return NaN;
  }
}
