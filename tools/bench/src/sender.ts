/** `npm run bench sender`: the sender beside undici, on which it stands, and beside `fetch`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { createNewPlantSender, json, type NewPlantSender } from '@plant-store/sdk';
import { Pool } from 'undici';
import { interleave } from './interleave.js';
import { median } from './median.js';
import { printTable } from './print-table.js';

interface Contender {
  readonly name: string;
  deliver(): Promise<unknown>;
  close(): Promise<void>;
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** Arbitrary content of about 1 kB; it says nothing of what a plant looks like. */
const plant = { arbitrary: 'x'.repeat(1_000) };
const accessToken = 'arbitrary-access-token';
const method = 'POST';
const path = '/plant/webhook';

const rounds = 11;
const roundMilliseconds = 600;
const levels = [16, 64];

/** Measures and prints a table for each number of deliveries in flight. Takes about 45 seconds. */
export async function run(): Promise<void> {
  const server = fork(new URL('./sender-server.js', import.meta.url));
  try {
    const [port] = (await once(server, 'message')) as [number];
    for (const inFlight of levels) await measureLevel(`http://127.0.0.1:${port}`, inFlight);
  } finally {
    server.disconnect();
  }
}

async function measureLevel(origin: string, inFlight: number): Promise<void> {
  const contenders = [rawUndici(origin), ours(origin), nativeFetch(origin)];
  const samples = await interleave(contenders, rounds, (contender) => measure(contender, inFlight));
  await Promise.all(contenders.map((contender) => contender.close()));
  const [raw] = samples;
  console.log(`\n1 kB of JSON, ${inFlight} in flight, medians of ${rounds} rounds:`);
  printTable(
    ['', 'deliveries/s', 'CPU µs each', 'of undici'],
    contenders.map(({ name }, index) => [
      name,
      Math.round(medianOf(samples[index]!, 'perSecond')).toLocaleString('en'),
      medianOf(samples[index]!, 'cpuMicroseconds').toFixed(1),
      (medianOf(samples[index]!, 'perSecond') / medianOf(raw!, 'perSecond')).toFixed(2),
    ]),
  );
}

async function measure(contender: Contender, inFlight: number): Promise<Sample> {
  let delivered = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + roundMilliseconds;
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      await contender.deliver();
      delivered += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: delivered / seconds, cpuMicroseconds: (user + system) / delivered };
}

function medianOf(samples: readonly Sample[], figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]));
}

function rawUndici(origin: string): Contender {
  const pool = new Pool(origin);
  return {
    name: 'undici Pool.request',
    async deliver() {
      const { body, statusCode } = await pool.request({ path, method, headers, body: JSON.stringify(plant) });
      await body.dump();
      expectAcknowledged(statusCode);
    },
    close: () => pool.close(),
  };
}

function ours(origin: string): Contender {
  const options = { baseUrl: origin, accessToken, method, encode: json };
  // Measured while everything is open, whatever the types of today ask for.
  const sender = createNewPlantSender(options as never) as unknown as NewPlantSender<
    object,
    Record<never, never>
  >;
  return {
    name: 'createNewPlantSender',
    deliver: () => sender.send(plant),
    close: () => sender.close(),
  };
}

function nativeFetch(origin: string): Contender {
  return {
    name: 'fetch',
    async deliver() {
      const response = await fetch(origin + path, { method, headers, body: JSON.stringify(plant) });
      await response.arrayBuffer();
      expectAcknowledged(response.status);
    },
    close: () => Promise.resolve(),
  };
}

const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };

function expectAcknowledged(status: number): void {
  if (status !== 204) throw new Error(`The server answered ${status}.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
