/** What each answer changes in a request, alone or with the answers that it needs. Nothing changes before. */
import type { Answers, ExecutableId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisTest } from '@plant-store/test-support';
import { createSenderUnder } from '../src/new-plant-sender.js';
import { json, type NewPlantSenderOptions, type SendOptions } from '../src/index.js';
import { respondWith, type RawRequest, startRawServer } from './support/raw-server.js';
import { type Open } from './support/senders.js';

const accessToken = 'example-token';
const plant = { name: 'example' };
const event = { addedOn: '2026-01-31' };
const eventId = 'example-1';
const signingKey = 'whsec_YW4gZXhhbXBsZSBrZXkgb2YgMzIgYnl0ZXMgaGVyZSE=';

interface Case {
  /** Answers beside that to the question. */
  readonly with?: readonly ExecutableId[];
  /** In place of the example. */
  readonly answer?: unknown;
  /** What the options lack. */
  readonly without?: readonly ('baseUrl' | 'method' | 'encode')[];
  readonly options?: object;
  /** The request, where it is another than while everything is open. */
  readonly line?: string;
  readonly contentType?: string;
  readonly added?: readonly unknown[];
  readonly content?: string;
}

/** One case or several for every question whose answer software carries out. */
const cases: { readonly [Id in ExecutableId]: readonly Case[] } = {
  'authentication-realm': [{}],
  'base-address': [{ without: ['baseUrl'] }],
  'error-codes': [{}],
  'error-payloads': [{}],
  'event-identity': [{ added: [`webhook-id: ${eventId}`] }, { answer: { pointer: '/id' } }],
  'event-payload-fields': [
    {},
    {
      with: ['payload', 'media-type'],
      without: ['encode'],
      content: '{"addedOn":"2026-01-31","plant":{"name":"example"}}',
    },
  ],
  'http-method': [{ without: ['method'], line: 'PUT /plant/webhook HTTP/1.1' }, {}],
  'media-type': [
    {},
    { options: { encode: (given: unknown) => ({ content: JSON.stringify(given) }) } },
    {
      answer: 'application/vnd.example+json',
      with: ['payload'],
      without: ['encode'],
      contentType: 'application/vnd.example+json',
      content: '{"plant":{"name":"example"}}',
    },
  ],
  payload: [
    {},
    { with: ['media-type'] },
    { with: ['media-type'], without: ['encode'], content: '{"plant":{"name":"example"}}' },
    { answer: 'plant', with: ['media-type'], without: ['encode'] },
    {
      answer: 'plant',
      with: ['media-type', 'event-payload-fields'],
      without: ['encode'],
      content: '{"addedOn":"2026-01-31","name":"example"}',
    },
  ],
  'plant-fields': [{}],
  'rate-limits': [{}],
  'receiver-response': [{}],
  'request-versioning': [
    { added: ['plant-store-version: 1.0.0'] },
    { answer: { pathPrefix: '/v1' }, line: 'POST /v1/plant/webhook HTTP/1.1' },
  ],
  retry: [{}],
  signing: [
    {
      with: ['event-identity'],
      options: { signingKey },
      added: [
        `webhook-id: ${eventId}`,
        expect.stringMatching(/^webhook-timestamp: \d{10}$/),
        expect.stringMatching(/^webhook-signature: v1,[A-Za-z0-9+/]{43}=$/),
      ],
    },
    {
      answer: {
        ...exampleAnswers.signing,
        algorithm: 'hmac-sha512',
        signed: ['content'],
        signature: { header: 'example-signature', prefix: '', encoding: 'hex' },
        timestamp: undefined,
        key: { prefix: '', encoding: 'utf8' },
      },
      options: { signingKey: 'any text' },
      added: [expect.stringMatching(/^example-signature: [0-9a-f]{128}$/)],
    },
  ],
  'size-limits': [{}],
  'status-codes': [{}],
  'time-outs': [{}],
  'token-format': [{}],
};

describe.each(Object.entries(cases))('%s', (id, list) => {
  test.each(list.map((entry) => [JSON.stringify(entry), entry] as const))('%s', async (_, entry) => {
    const answered = await sent((url) => answersOf(id as ExecutableId, entry, url), entry);
    const open = await sent(() => ({}), {});

    const { line, contentType = 'application/json', added = [], content = '{"name":"example"}' } = entry;
    expect(open.line).toBe('POST /plant/webhook HTTP/1.1');
    expect(open.content.toString()).toBe('{"name":"example"}');
    expect(headersOf(open)).toEqual([
      `authorization: Bearer ${accessToken}`,
      'content-type: application/json',
    ]);
    expect(answered.line).toBe(line ?? open.line);
    expect(answered.content.toString()).toBe(content);
    expect(headersOf(answered)).toEqual([
      `authorization: Bearer ${accessToken}`,
      `content-type: ${contentType}`,
      ...added,
    ]);
  });
});

function answersOf(id: ExecutableId, { with: others = [], answer }: Case, url: string): Answers {
  const given = [id, ...others].map((name) => [name, exampleAnswers[name]]);
  return Object.fromEntries([
    ...given,
    ...(answer === undefined ? [] : [[id, answer]]),
    ...(id === 'base-address' ? [[id, url]] : []),
  ]) as Answers;
}

/** The request of one delivery. `send` always gets an event and its identifier. */
async function sent(
  given: (url: string) => Answers,
  { without = [], options }: Pick<Case, 'without' | 'options'>,
): Promise<RawRequest> {
  const server = await startRawServer(respondWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  const all = { baseUrl: server.url, method: 'POST', encode: json, accessToken, ...options };
  const some = Object.entries(all).filter(([name]) => !without.some((lacking) => lacking === name));
  const sender = createSenderUnder<Open>(
    given(server.url),
    Object.fromEntries(some) as unknown as NewPlantSenderOptions<unknown, Open>,
  );
  afterThisTest(() => sender.close());
  await sender.send(plant, { event, eventId } as SendOptions<Open>);
  return server.request(0);
}

/** The header lines without those that frame the message. */
function headersOf({ headers }: RawRequest): string[] {
  return headers.filter((header) => !/^(?:host|connection|content-length):/.test(header));
}
