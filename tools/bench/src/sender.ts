/**
 * `npm run bench sender`: compares the sender with undici, which it uses, and with other clients. Each has the same
 * number of connections. Takes about 100 seconds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { createNewPlantSender, json, type NewPlantSender } from '@plant-store/sdk';
import axios from 'axios';
import { got } from 'got';
import ky from 'ky';
import { Agent, fetch, Pool, setGlobalDispatcher } from 'undici';
import { compare, type Figures, ratio } from './compare.js';

interface Contender {
  readonly name: string;
  deliver(): Promise<unknown>;
  close(): unknown;
}

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
const plant = { arbitrary: 'x'.repeat(1_000) };
const accessToken = 'arbitrary-access-token';
const method = 'POST';
const path = '/plant/webhook';
const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };

const rounds = 7;
const roundMilliseconds = 400;
const connections = 64;
const levels = [1, 16, 64, 256];
const variants = [16, 64];

const server = fork(new URL('./sender-server.js', import.meta.url));
try {
  const [port] = (await once(server, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  for (const inFlight of levels) await measureLevel('static token', inFlight, everyClient(origin));
  for (const inFlight of variants) {
    const withFunction = ours(origin, { accessToken: () => Promise.resolve(accessToken) });
    await measureLevel('a token function', inFlight, [rawUndici(origin), withFunction]);
  }
  for (const inFlight of variants) {
    const withSignal = [rawUndici(origin, makeSignal), ours(origin, { accessToken }, makeSignal)];
    await measureLevel('a signal with a time-out for each', inFlight, withSignal);
  }
} finally {
  server.disconnect();
}

function everyClient(origin: string): readonly Contender[] {
  return [rawUndici(origin), ours(origin, { accessToken }), ...otherClients(origin)];
}

function makeSignal(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

async function measureLevel(
  variant: string,
  inFlight: number,
  contenders: readonly Contender[],
): Promise<void> {
  await compare({
    title: `1 kB of JSON, ${inFlight} in flight, ${variant}`,
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

function rawUndici(origin: string, signalOf?: () => AbortSignal): Contender {
  const pool = new Pool(origin, { connections });
  return {
    name: 'undici Pool.request',
    async deliver() {
      const content = JSON.stringify(plant);
      const signal = signalOf?.() ?? null;
      const { body, statusCode } = await pool.request({ path, method, headers, body: content, signal });
      await body.dump();
      expectAcknowledged(statusCode);
    },
    close: () => pool.close(),
  };
}

function ours(
  origin: string,
  token: { readonly accessToken: string | (() => Promise<string>) },
  signalOf?: () => AbortSignal,
): Contender {
  const options = { baseUrl: origin, ...token, method, encode: json, maxConnections: connections };
  // The benchmark measures the sender with every question open, whatever answers.ts requires.
  const sender = createNewPlantSender(options as never) as unknown as NewPlantSender<
    object,
    Record<never, never>
  >;
  return {
    name: 'createNewPlantSender',
    deliver:
      signalOf === undefined ? () => sender.send(plant) : () => sender.send(plant, { signal: signalOf() }),
    close: () => sender.close(),
  };
}

/** The clients that a team would take without this package. */
function otherClients(origin: string): readonly Contender[] {
  const url = origin + path;
  const dispatcher = new Agent({ connections });
  const agent = new HttpAgent({ keepAlive: true, maxSockets: connections });
  // ky makes requests of Node's own kind, which the other fetch doesn't send.
  setGlobalDispatcher(dispatcher);
  return [
    {
      name: 'undici fetch',
      async deliver() {
        const response = await fetch(url, { method, headers, body: JSON.stringify(plant), dispatcher });
        await response.arrayBuffer();
        expectAcknowledged(response.status);
      },
      close: () => dispatcher.close(),
    },
    {
      name: 'axios',
      deliver: async () =>
        expectAcknowledged((await axios.post(url, plant, { headers, httpAgent: agent })).status),
      close: () => agent.destroy(),
    },
    {
      name: 'got',
      deliver: async () => {
        const options = { headers, json: plant, agent: { http: agent }, retry: { limit: 0 } };
        expectAcknowledged((await got.post(url, options)).statusCode);
      },
      close: () => {},
    },
    {
      name: 'ky',
      deliver: async () => {
        const response = await ky.post(url, { headers, json: plant, retry: 0 });
        await response.arrayBuffer();
        expectAcknowledged(response.status);
      },
      close: () => {},
    },
  ];
}

function expectAcknowledged(status: number): void {
  if (status !== 204) throw new Error(`The server responded with ${status}.`);
}
