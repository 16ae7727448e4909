/** `npm run bench sender`: compares the sender with undici, which it uses, and with `fetch`. Takes about 45 seconds. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createNewPlantSender, json, type NewPlantSender } from '@plant-store/sdk';
import { Pool } from 'undici';
import { compare, type Figures, ratio } from './compare.js';

interface Contender {
  readonly name: string;
  deliver(): Promise<unknown>;
  close(): Promise<void>;
}

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
const plant = { arbitrary: 'x'.repeat(1_000) };
const accessToken = 'arbitrary-access-token';
const method = 'POST';
const path = '/plant/webhook';
const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };

const rounds = 11;
const roundMilliseconds = 600;
const levels = [16, 64];

const server = fork(new URL('./sender-server.js', import.meta.url));
try {
  const [port] = (await once(server, 'message')) as [number];
  for (const inFlight of levels) await measureLevel(`http://127.0.0.1:${port}`, inFlight);
} finally {
  server.disconnect();
}

async function measureLevel(origin: string, inFlight: number): Promise<void> {
  const contenders = [rawUndici(origin), ours(origin), nativeFetch(origin)];
  await compare({
    title: `1 kB of JSON, ${inFlight} in flight`,
    contenders,
    rounds,
    measure: (contender) => measure(contender, inFlight),
    columns: {
      'deliveries/s': ({ perSecond }) => Math.round(perSecond).toLocaleString('en'),
      'CPU µs each': ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1),
      'of undici': ({ perSecond }, [undici]) => ratio(perSecond, undici.perSecond),
    },
  });
  await Promise.all(contenders.map((contender) => contender.close()));
}

async function measure(
  contender: Contender,
  inFlight: number,
): Promise<Figures<'perSecond' | 'cpuMicroseconds'>> {
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
  // The benchmark measures the sender with every question open, whatever answers.ts requires.
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

function expectAcknowledged(status: number): void {
  if (status !== 204) throw new Error(`The server responded with ${status}.`);
}
