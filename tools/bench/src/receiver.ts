/** `npm run bench receiver`: the receiver, flush and all, beside raw Fastify and beside Nest on Express, which keep nothing. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import autocannon from 'autocannon';
import { interleave } from './interleave.js';
import { median } from './median.js';
import { printTable } from './print-table.js';

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
}

interface Sample {
  readonly perSecond: number;
  readonly p99: number;
  readonly cpuMicroseconds: number;
}

const accessToken = 'arbitrary-access-token';
const environment = { ...process.env, ACCESS_TOKENS: accessToken };

/** Arbitrary content of about 1 kB; it says nothing of what a plant looks like. */
const body = JSON.stringify({ arbitrary: 'x'.repeat(1_000) });

const rounds = 5;
const roundSeconds = 2;
const levels = [50, 500];

/** Measures and prints a table for each number of connections. Takes about 90 seconds. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  const contenders: Contender[] = [];
  try {
    contenders.push(await forked('raw Fastify, keeps nothing', './receiver-fastify.js'));
    contenders.push(await receiver(folder));
    contenders.push(await forked('Nest on Express, keeps nothing', './receiver-express.js'));
    for (const connections of levels) await measureLevel(contenders, connections);
  } finally {
    await Promise.all(contenders.map((contender) => stop(contender.process)));
    rmSync(folder, { recursive: true });
  }
}

async function measureLevel(contenders: readonly Contender[], connections: number): Promise<void> {
  const samples = await interleave(contenders, rounds, (contender) => measure(contender, connections));
  const figure = (index: number, name: keyof Sample): number =>
    median(samples[index]!.map((sample) => sample[name]));
  console.log(`\n1 kB of JSON, ${connections} connections, medians of ${rounds} rounds:`);
  printTable(
    ['', 'deliveries/s', 'p99 ms', 'CPU µs each', 'of raw Fastify'],
    contenders.map(({ name }, index) => [
      name,
      Math.round(figure(index, 'perSecond')).toLocaleString('en'),
      figure(index, 'p99').toFixed(0),
      figure(index, 'cpuMicroseconds').toFixed(1),
      (figure(index, 'perSecond') / figure(0, 'perSecond')).toFixed(2),
    ]),
  );
}

async function measure({ origin, process: server }: Contender, connections: number): Promise<Sample> {
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
    throw new Error(`${origin} refused ${result.non2xx}, failed ${result.errors}.`);
  return {
    perSecond: result['2xx'] / result.duration,
    p99: result.latency.p99,
    cpuMicroseconds: (cpuMicroseconds(server) - cpu) / result['2xx'],
  };
}

async function forked(name: string, module: string): Promise<Contender> {
  const server = fork(new URL(module, import.meta.url), { env: environment });
  const [port] = (await once(server, 'message')) as [number];
  return { name, process: server, origin: `http://127.0.0.1:${port}` };
}

async function receiver(folder: string): Promise<Contender> {
  const main = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
  const server = spawn(process.execPath, [main], {
    env: { ...environment, PORT: '0', OPERATIONS_PORT: '0', INBOX_URL: `file:${folder}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { name: 'the receiver, flushed to disk', process: server, origin: new URL(url).origin };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill();
  await ended;
}

/** CPU time of a process; not a number where the system does not tell it in /proc. */
function cpuMicroseconds({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return NaN;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
