import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { Executable as Answers } from '@plant-store/contract';
import type { Observations } from '@plant-store/contract/kinds';
import { type AnySender, loadBuilt } from './built.js';
import { SIGNING_KEY } from './example-delivery.js';

/** The responses to the requests. Requests after the last one get the last one. */
type Script = readonly { readonly status: number; readonly mediaType?: string; readonly content?: string }[];

interface Received {
  readonly request: IncomingMessage;
  readonly content: string;
}

/** One send. What is given replaces the usual options. `undefined` leaves an option out. */
interface Trial {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly send?: Readonly<Record<string, unknown>>;
  readonly plant?: unknown;
  readonly script?: Script;
}

const PLANT = { name: 'Fern' };
const ACCEPTED: Script = [{ status: 200 }];
const PROBLEM = { mediaType: 'application/problem+json', content: '{"code":"EXAMPLE_PLANT"}' };

/** Header fields that every HTTP client sends. */
const FIELDS_OF_HTTP = ['host', 'connection', 'content-length', 'transfer-encoding'];

/** Observes the sender under a set of answers. It sends to servers of this test. */
export async function observeSender(answers: Answers): Promise<Observations> {
  const { send, create, sendAtOnce } = await trialsUnder(answers);
  return {
    'with every option': await send({}, ({ request, content }) =>
      [`${request.method} ${request.url}`, fieldsOf(request).join(' '), content].join(' · '),
    ),
    'without `baseUrl`': await create({ baseUrl: undefined }),
    'without `method`': await send({ options: { method: undefined } }, ({ request }) => request.method ?? ''),
    'without `encode`': await send(
      { options: { encode: undefined } },
      ({ request, content }) => `${request.headers['content-type']} ${content}`,
    ),
    'without `signingKey`': await create({ signingKey: undefined }),
    'without `eventId`': await send({ send: { eventId: undefined } }, () => 'sent'),
    'encoded as text/plain': await send(
      { options: { encode: () => ({ content: 'Fern', mediaType: 'text/plain' }) } },
      () => 'sent',
    ),
    'with content of 2000 bytes': await send({ plant: { name: 'F'.repeat(2_000) } }, () => 'sent'),
    'with a token of another format': await send({ options: { accessToken: 'other' } }, () => 'sent'),
    'after a 202': await send({ script: [{ status: 202 }] }, () => 'acknowledged'),
    'after a 503, then a 200': await send(
      { script: [{ status: 503 }, { status: 200 }] },
      (_last, count) => `acknowledged after ${count}`,
    ),
    'after a 409 with a problem': await send({ script: [{ status: 409, ...PROBLEM }] }, () => 'acknowledged'),
    'after a 400 with a code': await send({ script: [{ status: 400, ...PROBLEM }] }, () => 'acknowledged'),
    '21 at once': await sendAtOnce(21),
    'time-out of an attempt': await attemptTimeout(answers),
  };
}

async function attemptTimeout(answers: Answers): Promise<string> {
  const { resolveSettings } = await loadBuilt('libs/sdk/dist/options/resolve-settings.js');
  const given = {
    baseUrl: 'http://127.0.0.1:9',
    ...OPTIONS,
    ...(answers.signing && { signingKey: SIGNING_KEY }),
  };
  return `${resolveSettings(answers, given).attemptTimeout} ms`;
}

const OPTIONS = {
  method: 'PUT',
  encode: (plant: unknown) => ({ content: JSON.stringify(plant), mediaType: 'application/json' }),
  accessToken: 'example-1',
};

async function trialsUnder(answers: Answers) {
  const sdk = await loadBuilt('libs/sdk/dist/index.js');
  const { createNewPlantSender } = await loadBuilt('libs/sdk/dist/new-plant-sender.js');
  const options = { ...OPTIONS, ...(answers.signing && { signingKey: SIGNING_KEY }) };
  const sendOptions = {
    ...(answers['event-identity'] && { eventId: 'event-1' }),
    ...(answers['event-payload-fields'] && { event: { addedOn: '2026-01-31' } }),
  };
  const open = (given: object): AnySender => createNewPlantSender(given, { answers });

  /** Sends one plant. Describes what arrived, or the error. */
  async function send(trial: Trial, describe: (last: Received, count: number) => string): Promise<string> {
    const { server, baseUrl, received } = await listen(trial.script ?? ACCEPTED);
    try {
      const sender = open(defined({ baseUrl, ...options, ...trial.options }));
      await sender.send(trial.plant ?? PLANT, defined({ ...sendOptions, ...trial.send }));
      await sender.close();
      return describe(received.at(-1)!, received.length);
    } catch (error) {
      return failure(error);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  async function create(given: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      await open(defined({ baseUrl: 'http://127.0.0.1:9', ...options, ...given })).close();
      return 'may be left out';
    } catch (error) {
      return failure(error);
    }
  }

  /** Starts some deliveries at once, and counts those that arrive. The last one may wait for a rate limit. */
  async function sendAtOnce(count: number): Promise<string> {
    const { server, baseUrl, received } = await listen(ACCEPTED);
    const giveUp = new AbortController();
    let begun = 0;
    // It is called once the rate limit has room.
    const headers = (): object => ((begun += 1), {});
    const sender = open({ baseUrl, ...options, headers });
    const sendOne = (): Promise<unknown> => sender.send(PLANT, { ...sendOptions, signal: giveUp.signal });
    const others = Array.from({ length: count - 1 }, sendOne);
    const last = sendOne().catch(() => undefined);
    await Promise.all(others);
    if (begun < count) giveUp.abort();
    await last;
    await sender.close();
    server.close();
    return `${received.length} arrive`;
  }

  function failure(error: unknown): string {
    if (error instanceof sdk.InvalidOptionsError)
      return `needs ${error.faults.map(({ option }) => option).join(', ')}`;
    if (error instanceof sdk.NotAcknowledgedError) {
      const { failure: name, payload } = error as { failure?: string; payload?: unknown };
      return ['not acknowledged', name, payload && JSON.stringify(payload)].filter(Boolean).join(' · ');
    }
    if (error instanceof sdk.PlantStoreError) return error.code;
    throw error;
  }

  return { send, create, sendAtOnce };
}

/** Options without those that are undefined. */
function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function fieldsOf({ headers }: IncomingMessage): string[] {
  return Object.keys(headers)
    .filter((name) => !FIELDS_OF_HTTP.includes(name))
    .sort();
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
