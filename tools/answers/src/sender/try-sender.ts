/**
 * Runs in a world: sends with its SDK to a receiver of its own, and prints what was seen as JSON. The argument is the
 * list of answered questions, which tells what a sender has to be given.
 */
import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import {
  createNewPlantSender,
  InvalidOptionsError,
  NotAcknowledgedError,
  PlantStoreError,
} from '@plant-store/sdk';

/** What the receiver answers; requests beyond the last get the last. */
type Script = readonly { readonly status: number; readonly mediaType?: string; readonly content?: string }[];

interface Received {
  readonly request: IncomingMessage;
  readonly content: string;
}

/** One thing that is tried. What is given replaces what is agreed on; undefined leaves an option out. */
interface Trial {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly send?: Readonly<Record<string, unknown>>;
  readonly plant?: unknown;
  readonly answers?: Script;
}

const answered = new Set((process.argv[2] ?? '').split(','));
const SIGNING_KEY = `whsec_${Buffer.from('an example key of 32 bytes here!').toString('base64')}`;
const TAKEN: Script = [{ status: 200 }];

const agreedOptions = {
  method: 'PUT',
  encode: (plant: unknown) => ({ content: JSON.stringify(plant), mediaType: 'application/json' }),
  accessToken: 'example-1',
  ...(answered.has('signing') && { signingKey: SIGNING_KEY }),
};
const agreedSend = {
  ...(answered.has('event-identity') && { eventId: 'event-1' }),
  ...(answered.has('event-payload-fields') && { event: { addedOn: '2026-01-31' } }),
};
const PLANT = { name: 'Fern' };
const OWN_FIELDS = ['host', 'connection', 'content-length', 'transfer-encoding'];

const seen: Record<string, string> = {
  'with every option': await attempt({}, ({ request, content }) =>
    [
      `${request.method} ${request.url}`,
      Object.keys(request.headers)
        .filter((name) => !OWN_FIELDS.includes(name))
        .sort()
        .join(' '),
      content,
    ].join(' · '),
  ),
  'without `baseUrl`': await create({ baseUrl: undefined }),
  'without `method`': await attempt(
    { options: { method: undefined } },
    ({ request }) => request.method ?? '',
  ),
  'without `encode`': await attempt(
    { options: { encode: undefined } },
    ({ request, content }) => `${request.headers['content-type']} ${content}`,
  ),
  'without `signingKey`': await create({ signingKey: undefined }),
  'without `eventId`': await attempt({ send: { eventId: undefined } }, () => 'sent'),
  'encoded as text/plain': await attempt(
    { options: { encode: () => ({ content: 'Fern', mediaType: 'text/plain' }) } },
    () => 'sent',
  ),
  'with content of 2000 bytes': await attempt({ plant: { name: 'F'.repeat(2_000) } }, () => 'sent'),
  'with a token of another format': await attempt({ options: { accessToken: 'other' } }, () => 'sent'),
  'answered 202': await attempt({ answers: [{ status: 202 }] }, () => 'acknowledged'),
  'answered 503, then 200': await attempt(
    { answers: [{ status: 503 }, { status: 200 }] },
    (_last, count) => `acknowledged after ${count}`,
  ),
  'answered 409 with a problem': await attempt(
    {
      answers: [{ status: 409, mediaType: 'application/problem+json', content: '{"code":"EXAMPLE_PLANT"}' }],
    },
    () => 'acknowledged',
  ),
  'answered 400 with a code': await attempt(
    {
      answers: [{ status: 400, mediaType: 'application/problem+json', content: '{"code":"EXAMPLE_PLANT"}' }],
    },
    () => 'acknowledged',
  ),
  '21 at once': await sendMany(21),
  'time-out of an attempt': timeOut(),
};
process.stdout.write(JSON.stringify(seen));

/** A sender, whatever is answered: what its types ask for is tried elsewhere. */
interface AnySender {
  send(plant: unknown, options: object): Promise<unknown>;
  close(): Promise<void>;
}

function openSender(options: object): AnySender {
  return createNewPlantSender(options as never);
}

/** Sends one plant, and says what arrived or why nothing did. */
async function attempt(trial: Trial, describe: (last: Received, count: number) => string): Promise<string> {
  const { server, baseUrl, received } = await listen(trial.answers ?? TAKEN);
  try {
    const sender = openSender(given({ baseUrl, ...agreedOptions, ...trial.options }));
    await sender.send(trial.plant ?? PLANT, given({ ...agreedSend, ...trial.send }));
    await sender.close();
    return describe(received.at(-1)!, received.length);
  } catch (error) {
    return failure(error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function create(options: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    await openSender(given({ baseUrl: 'http://127.0.0.1:9', ...agreedOptions, ...options })).close();
    return 'may be left out';
  } catch (error) {
    return failure(error);
  }
}

/** Options without those that are undefined. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Starts so many deliveries, and counts those that arrive before the last one that may. */
async function sendMany(count: number): Promise<string> {
  const { server, baseUrl, received } = await listen(TAKEN);
  const giveUp = new AbortController();
  const sender = openSender({ baseUrl, ...agreedOptions });
  const send = (): Promise<unknown> => sender.send(PLANT, { ...agreedSend, signal: giveUp.signal });
  const others = Array.from({ length: count - 1 }, send);
  const last = send().catch(() => undefined);
  await Promise.all(others);
  const patience = setTimeout(() => giveUp.abort(), 2_000);
  await last;
  clearTimeout(patience);
  await sender.close();
  server.close();
  return `${received.length} arrive`;
}

/** What the command line says is its default. */
function timeOut(): string {
  const command = fileURLToPath(new URL('libs/sdk/bin/plant-store.js', import.meta.url));
  const help = execFileSync(process.execPath, [command, 'send', '--help'], { encoding: 'utf8', env: {} });
  return /attempt-timeout.*\(default: (.*)\)/.exec(help)?.[1] ?? 'not said';
}

function failure(error: unknown): string {
  if (error instanceof InvalidOptionsError)
    return `needs ${error.faults.map(({ option }) => option).join(', ')}`;
  if (error instanceof NotAcknowledgedError) {
    const { failure: name, payload } = error as { failure?: string; payload?: unknown };
    return ['not acknowledged', name, payload && JSON.stringify(payload)].filter(Boolean).join(' · ');
  }
  if (error instanceof PlantStoreError) return error.code;
  throw error;
}

async function listen(script: Script): Promise<{ server: Server; baseUrl: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      const { status, mediaType, content: body = '' } = script[Math.min(received.length, script.length - 1)]!;
      received.push({ request, content });
      response.writeHead(status, mediaType === undefined ? {} : { 'content-type': mediaType }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
