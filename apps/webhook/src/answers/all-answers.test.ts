import 'reflect-metadata';

import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { type AnswerValues, type AnswerSchema, type Failure, FAILURES } from '@plant-store/contract';
import { answerFaults, valueFaults } from '@plant-store/contract/check';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisFile, afterThisTest, type CleanUp } from '@plant-store/test-support';

import { runReceiver, type RunningReceiver, type Sent, TOKEN } from '../../test/run-receiver.js';
import { ReceiverError } from '../errors.js';
import { composeAnswers, composeEntries } from './compose-answers.js';

const KEY = 'an example key of 32 bytes here!';
const event = JSON.stringify({ plant: { name: 'Fern' }, addedOn: '2026-01-31' });

/** A delivery as all the example answers require it, signed according to Standard Webhooks. */
function delivery(content: string | Uint8Array = event, eventId = 'event-1'): Sent & { fields: object } {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', KEY)
    .update(`${eventId}.${timestamp}.`)
    .update(content)
    .digest('base64');
  const fields = {
    'content-type': 'application/json',
    'plant-store-version': '1.0.0',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
  return { content, fields };
}

const SETTINGS = { SIGNING_KEYS: `whsec_${Buffer.from(KEY).toString('base64')}` };

const run = (cleanUp?: CleanUp): Promise<RunningReceiver> => runReceiver(exampleAnswers, SETTINGS, cleanUp);

test('a delivery that follows the answers is stored as it was sent, and acknowledged when it is repeated, too', async () => {
  const receiver = await run();
  const odd = `\n{ "addedOn":"2026-01-31",\t"plant":{"more":1.0,"name":"\\u00d6l\u{1f33f}"}}\n`;

  for (const content of [odd, event]) {
    expect(await receiver.send(delivery(content))).toEqual({
      status: 200,
      fields: { 'content-type': 'application/json' },
      content: '{"taken":true}',
    });
  }
  expect(receiver.stored()).toEqual([{ eventId: 'event-1', content: odd }]);
});

/** The content of an error response: what is known, and nothing else. */
interface Problem {
  readonly status: number;
  readonly title?: string;
  readonly code?: string;
}

let receiver: RunningReceiver | undefined;

test.each<[name: string, want: Problem, sent: Sent]>([
  ['another path', { status: 404 }, { ...delivery(), path: '/' }],
  ['no token', { status: 401 }, without('authorization')],
  ['malformed credentials', { status: 400 }, { fields: { authorization: 'Bearer' } }],
  ['another token', { status: 401, code: 'EXAMPLE_TOKEN' }, { fields: { authorization: 'Bearer a' } }],
  ['another method', { status: 405 }, { ...delivery(), method: 'POST' }],
  ['no content', { status: 400 }, { ...delivery(), content: '' }],
  ['no version', { status: 400 }, without('plant-store-version')],
  ['no media type', { status: 415 }, without('content-type')],
  ['encoded content', { status: 415 }, withField('content-encoding', 'gzip')],
  ['no identifier', { status: 400 }, without('webhook-id')],
  ['no signature', { status: 403 }, without('webhook-signature')],
  ['another content than was signed', { status: 403 }, { ...delivery(), content: `${event} ` }],
  ['no JSON, signed', { status: 400 }, delivery('{')],
  ['no plant', { status: 409, title: 'The plant is not as agreed.', code: 'EXAMPLE_PLANT' }, delivery('{}')],
  ['a large plant', { status: 413, title: 'The plant is too large.' }, delivery(event.padEnd(1_001))],
  [
    'everything wrong, the token too',
    { status: 401, code: 'EXAMPLE_TOKEN' },
    { method: 'POST', content: '', fields: { authorization: 'Bearer a' } },
  ],
])('%s: %j', async (_name, want, sent) => {
  receiver ??= await run(afterThisFile);
  const answered = await receiver.send(sent);

  expect(answered).toMatchObject({
    status: want.status,
    fields: { 'content-type': 'application/problem+json' },
  });
  expect(JSON.parse(answered.content)).toEqual(want);
  expect(receiver.stored()).toEqual([]);
});

describe('error payloads that require a code and a message', () => {
  const names = Object.keys(FAILURES) as Failure[];
  const answers: AnswerValues = {
    ...exampleAnswers,
    'error-payloads': {
      mediaType: 'application/json',
      fields: { code: 'code', message: 'description' },
      required: ['code', 'message'],
    },
    'error-codes': Object.fromEntries(names.map((name) => [name, name.toUpperCase()])),
    'status-codes': Object.fromEntries(
      names.map((name) => [
        name,
        ['path-unknown', 'token-invalid', 'method-not-allowed'].includes(name) || name.startsWith('cred')
          ? { description: `Said of ${name}.` }
          : { status: FAILURES[name], description: `Said of ${name}.` },
      ]),
    ),
  };

  test('have both', async () => {
    const { send } = await runReceiver(answers, SETTINGS);
    const given: [Failure, number, Sent][] = [
      ['path-unknown', 404, { ...delivery(), path: '/' }],
      ['method-not-allowed', 405, { ...delivery(), method: 'POST' }],
      ['content-invalid', 422, delivery('{}')],
    ];
    for (const [failure, status, sent] of given) {
      const { content, ...answered } = await send(sent);
      expect(answered).toMatchObject({ status });
      expect(JSON.parse(content)).toEqual({ code: failure.toUpperCase(), message: `Said of ${failure}.` });
    }
  });

  test('show in the document with every status, and both are required there', () => {
    const { responses, schemas } = composeAnswers(answers).document;

    expect(schemas?.['ErrorPayload']).toMatchObject({
      required: ['code', 'message'],
      properties: { code: { enum: names.map((name) => name.toUpperCase()) }, message: { type: 'string' } },
    });
    expect(responses?.['404']).toEqual({
      description: 'Said of path-unknown.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorPayload' } } },
    });
    expect(responses?.['401']?.description).toBe('Said of credentials-missing.\n\nSaid of token-invalid.');
  });
});

test('a fault in the head is reported before the content is sent', async () => {
  const receiver = await run();
  const head = Object.entries({ ...delivery().fields, 'content-type': 'text/plain' });
  const answer = await exchange(receiver.url, [
    ...head.map(([name, value]) => `${name}: ${value}`),
    'expect: 100-continue',
    'content-length: 10',
  ]);

  expect(answer).toMatch(/^HTTP\/1\.1 415 .*\r\n\r\n\{"status":415\}$/s);
});

test('a request that is slower than time-outs allows gets 408', async () => {
  const { url } = await runReceiver({ 'time-outs': { delivery: 50, response: 50 } });

  expect(await exchange(url, ['content-length: 10'])).toMatch(/^HTTP\/1\.1 408 /);
});

test('content does not stay in memory for a schema that is slower than a request may be', async () => {
  const endless: AnswerSchema = {
    '~standard': {
      version: 1,
      vendor: 'this test',
      validate: () => new Promise(() => undefined),
      jsonSchema: { input: () => ({}) },
    },
  };
  const receiver = await runReceiver(
    { 'media-type': 'application/json', payload: 'plant', 'plant-fields': endless },
    { REQUEST_TIMEOUT_MS: '1000', MAX_CONTENT_BYTES: '10', MAX_CONTENT_BYTES_IN_FLIGHT: '10' },
  );
  const sent = { fields: { 'content-type': 'application/json' }, content: '{"a":12345' };

  expect(await receiver.send({ ...sent, content: '{"a":1234}' })).toMatchObject({ status: 503 });
  expect(await receiver.send(sent)).toMatchObject({ status: 400 });
  expect(receiver.stored()).toEqual([]);
});

test('answers that cannot be carried out are listed', () => {
  const given: AnswerValues = { 'size-limits': 0, 'rate-limits': { deliveries: 1, seconds: 0 } };
  const faults = valueFaults(given);

  expect(faults).toHaveLength(2);
  expect(() => composeAnswers(given)).toThrow(
    new ReceiverError('ANSWERS_INVALID', `These answers cannot be carried out:\n  ${faults.join('\n  ')}`),
  );
});

test('a wrong entry is told with what is expected', () => {
  const by = { who: '', on: '2026-02-30', why: 'An example.' } as const;
  const entries = { 'http-method': 'PUT', retry: { inWords: 'No.', ...by }, colour: { is: 'green', ...by } };
  const faults = answerFaults(entries);

  expect(faults).toHaveLength(4);
  expect(() => composeEntries(entries as object)).toThrow(
    new ReceiverError('ANSWERS_INVALID', `These answers cannot be carried out:\n  ${faults.join('\n  ')}`),
  );
});

function withField(name: string, value: string | undefined): Sent {
  const { content, fields } = delivery();
  return { content: content as string, fields: { ...fields, [name]: value } };
}

function without(name: string): Sent {
  return withField(name, undefined);
}

/** Sends a head without content. Resolves with everything that arrives until the connection closes. */
async function exchange(url: string, fields: readonly string[]): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  afterThisTest(() => socket.destroy());
  socket.write(
    [`PUT ${pathname} HTTP/1.1`, 'host: a', `authorization: Bearer ${TOKEN}`, ...fields, '', ''].join('\r\n'),
  );
  return text(socket);
}
