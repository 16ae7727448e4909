/**
 * `npm run bench sender`: compares the sender with undici, which it uses. Both have the same number of connections. Takes
 * about a minute.
 */
import { json } from '@plant-store/sdk';
import { createSenderUnder } from '@plant-store/sdk/internal';
import { Pool } from 'undici';
import { compare, count, type Figures, ratio } from '../compare.js';
import { drive } from '../drive.js';
import { accessToken, plant, startPeer } from '../servers.js';

interface Client {
  readonly name: string;
  deliver(): Promise<unknown>;
  close(): Promise<void>;
}

const ROUND_MS = 400;
const connections = 64;
const path = '/plant/webhook';
const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };

export default async function run(): Promise<void> {
  const { origin } = await startPeer('the server', 'http');
  for (const inFlight of [1, 16, 64, 256])
    await compareClients('static token', inFlight, [pool(origin), sender(origin)]);
  const token = (): Promise<string> => Promise.resolve(accessToken);
  for (const inFlight of [16, 64])
    await compareClients('a token function', inFlight, [pool(origin), sender(origin, token)]);
}

async function compareClients(variant: string, inFlight: number, clients: readonly Client[]): Promise<void> {
  await compare({
    title: `1 kB of JSON, ${inFlight} in flight, ${variant}`,
    contenders: clients,
    rounds: 7,
    measure: (client) => measure(client, inFlight),
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'CPU µs each': (own) => own.cpuMicroseconds.toFixed(1),
      'of undici': ({ perSecond }, [undici]) => ratio(perSecond, undici.perSecond),
    },
  });
  await Promise.all(clients.map((client) => client.close()));
}

async function measure(client: Client, inFlight: number): Promise<Figures<'perSecond' | 'cpuMicroseconds'>> {
  const cpu = process.cpuUsage();
  const { count, perSecond } = await drive(() => client.deliver(), inFlight, ROUND_MS);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond, cpuMicroseconds: (user + system) / count };
}

function pool(origin: string): Client {
  const pool = new Pool(origin, { connections });
  return {
    name: 'undici Pool.request',
    async deliver() {
      const content = JSON.stringify(plant);
      const { body, statusCode } = await pool.request({ path, method: 'POST', headers, body: content });
      await body.dump();
      expectAcknowledged(statusCode);
    },
    close: () => pool.close(),
  };
}

/** The sender with every question open, whatever answers.ts requires. */
function sender(origin: string, token: string | (() => Promise<string>) = accessToken): Client {
  const options = { baseUrl: origin, accessToken: token, maxConnections: connections };
  const sender = createSenderUnder({ ...options, method: 'POST', encode: json }, { answers: {} });
  return {
    name: 'createNewPlantSender',
    deliver: () => sender.send(plant),
    close: () => sender.close(),
  };
}

function expectAcknowledged(status: number): void {
  if (status !== 204) throw new Error(`The server responded with ${status}.`);
}
