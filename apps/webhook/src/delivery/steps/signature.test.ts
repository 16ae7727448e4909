import 'reflect-metadata';

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisFile } from '@plant-store/test-support';

import { runReceiver, type RunningReceiver } from '../../../test/run-receiver.js';
import { readSigningKey } from './signature.js';

interface Vector {
  readonly name: string;
  readonly key: string;
  readonly eventId: string;
  readonly timestamp: string;
  readonly content: string;
  readonly signature: string;
}

/** Known answers that the sender makes, too. */
const vectors = JSON.parse(
  readFileSync(new URL('../../../../../libs/example-answers/signing-vectors.json', import.meta.url), 'utf8'),
) as Vector[];

const { signing, 'event-identity': identity } = exampleAnswers;

/** The vectors were signed long ago. */
const YEARS = 1_000_000_000_000;
const given: AnswerValues = {
  signing: { ...signing, timestamp: { ...signing.timestamp, toleranceSeconds: YEARS } },
  'event-identity': identity,
};

/** Those that run, by their key and their tolerance. Most vectors have the same. */
const receivers = new Map<string, Promise<RunningReceiver>>();

async function statusOf(vector: Vector, keys: string, answers = given): Promise<number> {
  const id = JSON.stringify([keys, answers.signing]);
  const running = receivers.get(id) ?? runReceiver(answers, { SIGNING_KEYS: keys }, afterThisFile);
  receivers.set(id, running);
  const receiver = await running;
  const before = receiver.stored();
  const { status } = await receiver.send({
    fields: {
      'webhook-id': vector.eventId,
      'webhook-timestamp': vector.timestamp,
      'webhook-signature': vector.signature,
    },
    content: vector.content,
  });
  if (status === 204) {
    const { eventId, content } = vector;
    expect(receiver.stored()).toContainEqual({ eventId, content });
  } else {
    expect(receiver.stored()).toEqual(before);
  }
  return status;
}

describe.each(vectors)('$name:', (vector) => {
  const otherKey = 'whsec_YW5vdGhlciBrZXk=';

  test('accepted', async () => {
    expect(await statusOf(vector, vector.key)).toBe(204);
  });

  test('accepted while the key is replaced, on either side', async () => {
    expect(await statusOf(vector, `${otherKey},${vector.key}`)).toBe(204);
    const signature = `v1a,another v1,another ${vector.signature}`;
    expect(await statusOf({ ...vector, signature }, vector.key)).toBe(204);
  });

  test.each<[what: string, altered: Partial<Vector>]>([
    ['content', { content: `${vector.content} ` }],
    ['identifier', { eventId: `${vector.eventId}.` }],
    ['time', { timestamp: `${vector.timestamp}0` }],
    ['signature', { signature: vector.signature.replace(/.=$/, 'A=') }],
    ['encoding of the signature', { signature: vector.signature.replace('=', '') }],
    ['prefix of the signature', { signature: vector.signature.replace('v1,', 'v2,') }],
  ])('refused with another %s', async (_what, altered) => {
    expect(await statusOf({ ...vector, ...altered }, vector.key)).toBe(403);
  });

  test('refused with another key', async () => {
    expect(await statusOf(vector, otherKey)).toBe(403);
  });
});

test('a timestamp outside the tolerance is refused, on either side, and so is a malformed one', async () => {
  const seconds = Math.floor(Date.now() / 1_000);
  for (const timestamp of [seconds - 400, seconds + 400, '', 'now', '-1', '1e3', '9'.repeat(400)]) {
    const vector = { ...(vectors[0] as Vector), timestamp: String(timestamp) };
    expect(await statusOf(vector, vector.key, { ...given, signing })).toBe(403);
  }
});

test('the bytes of an identifier are signed, also those that are not ASCII', async () => {
  const id = Buffer.from('Frauenmantel-\u{1f33f}-ä');
  const signature = createHmac('sha256', 'key').update(id).update('arbitrary').digest('base64');
  const answers: AnswerValues = {
    signing: {
      algorithm: 'hmac-sha256',
      signed: ['event-id', 'content'],
      separator: '',
      signature: { header: 'signature', prefix: '', encoding: 'base64' },
      key: { prefix: '', encoding: 'utf8' },
    },
    'event-identity': { header: 'event-id' },
  };
  const { send } = await runReceiver(answers, { SIGNING_KEYS: 'key' });

  // Node sends each character as a byte, if the content isn't text.
  const fields = { 'event-id': id.toString('latin1'), signature };
  expect(await send({ fields, content: Buffer.from('arbitrary') })).toMatchObject({ status: 204 });
  expect(await send({ fields: { ...fields, 'event-id': 'another' } })).toMatchObject({ status: 403 });
});

test('the content alone can be signed, in hexadecimal, with a text as the key', async () => {
  // RFC 4231 §4.3, for SHA-512.
  const answers: AnswerValues = {
    signing: {
      algorithm: 'hmac-sha512',
      signed: ['content'],
      separator: '',
      signature: { header: 'signature', prefix: '', encoding: 'hex' },
      key: { prefix: '', encoding: 'utf8' },
    },
  };
  const signature =
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737';
  const { send } = await runReceiver(answers, { SIGNING_KEYS: 'Jefe' });
  const content = 'what do ya want for nothing?';

  expect(await send({ fields: { signature }, content })).toMatchObject({ status: 204 });
  expect(await send({ fields: { signature }, content: `${content}?` })).toMatchObject({ status: 403 });
});

test.each([
  { text: 'whsec_YQ==', encoding: 'base64', want: 'a' },
  { text: 'whsec_YQ', encoding: 'base64', want: 'a' },
  { text: 'whsec_Y', encoding: 'base64', want: undefined },
  { text: 'whsec_YQ=', encoding: 'base64', want: undefined },
  { text: 'whsec_Y-Q_', encoding: 'base64', want: undefined },
  { text: 'whsec_\u00e9', encoding: 'utf8', want: '\u00e9' },
  { text: 'whsec_', encoding: 'utf8', want: undefined },
  { text: 'whsec_one,other', encoding: 'utf8', want: undefined },
  { text: 'whsec_key ', encoding: 'utf8', want: undefined },
  { text: 'YQ==', encoding: 'base64', want: undefined },
] as const)('the key $text in $encoding: $want', ({ text, encoding, want }) => {
  expect(readSigningKey({ prefix: 'whsec_', encoding }, text)?.toString()).toBe(want);
});
