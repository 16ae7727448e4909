import {
  type ExecutableAnswers,
  isExecutable,
  openQuestions,
  plainAnswers,
  type QuestionId,
  RateWindow,
} from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import {
  answerInWords,
  type AnswerEffect,
  differenceOf,
  effectLines,
  effectOf,
  type RolloutOrder,
} from '../src/effects/effects.js';

const PLAIN = plainAnswers(exampleAnswers);
const ids = openQuestions.map(({ id }) => id);
const CONTENT = { 'media-type': 'application/json', payload: { plantField: 'plant' } };

test('http-method, from open to an answer', () => {
  expect(effectOf('http-method', undefined, 'PUT')).toEqual({
    receiver: 'Takes PUT only; other methods get 405.',
    sender: 'Sends PUT unless the caller passes another `method`.',
    rollout: {
      order: 'senders first',
      reason: 'From an old sender to a new receiver: POST and PATCH get 405.',
    },
    step: 'minor',
    isCarriedOut: true,
  });
});

test('http-method, from one answer to another', () => {
  expect(effectOf('http-method', 'POST', 'PUT').rollout).toEqual({
    order: 'needs a transition',
    reason:
      'From an old sender to a new receiver: POST gets 405. From a new sender to an old receiver: PUT gets 405. With `accepts`, new receivers take POST too: then receivers first.',
  });
});

test('http-method, from an answer to open', () => {
  expect(effectOf('http-method', 'PUT', undefined)).toEqual({
    receiver:
      'Accepts the methods that carry content and change state: POST, PUT and PATCH. Any other gets 405 with `Allow` (RFC 9110 §15.5.6), except CONNECT (501, §15.6.2) and what Node.js does not read as a method (400).',
    sender: '`method` is a required option without a default.',
    rollout: {
      order: 'receivers first',
      reason: 'From a new sender to an old receiver: POST and PATCH get 405.',
    },
    step: 'major',
    isCarriedOut: true,
  });
});

const NOTHING = {
  receiver: undefined,
  sender: undefined,
  rollout: { order: 'any order', reason: 'Old and new senders work with old and new receivers.' },
};

test.each<[QuestionId, unknown]>([
  ['event-order', 'None.'],
  ['signing', { inWords: 'As another service does.' }],
])('%s: an answer in words changes no software', (id, answer) => {
  expect(effectOf(id, undefined, answer)).toEqual({ ...NOTHING, step: 'patch', isCarriedOut: false });
});

test('words in place of an answer open the question again for the software', () => {
  const opened = effectOf('http-method', 'PUT', undefined);
  expect(effectOf('http-method', 'PUT', { inWords: 'Either.' })).toEqual({ ...opened, isCarriedOut: false });
});

test('another answer in words counts as open', () => {
  const others = { ...CONTENT, 'media-type': { inWords: 'JSON, or CBOR.' } };
  expect(effectOf('payload', undefined, 'plant', others)).toMatchObject({ ...NOTHING, step: 'patch' });
});

test('fields that differ may break, in both directions', () => {
  const before = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const after = { ...before, properties: { name: { type: 'string', minLength: 1, maxLength: 10 } } };

  expect(effectOf('plant-fields', before, after, CONTENT)).toEqual({
    receiver:
      'Takes plants with these fields: `name` (string, minLength 1, maxLength 10, required); another plant gets 422. May refuse plants that it took, and take plants that it refused: compare the two schemas.',
    sender:
      'Asks the compiler for plants with these fields: `name` (string, minLength 1, maxLength 10, required).',
    rollout: {
      order: 'needs a transition',
      reason:
        'From an old sender to a new receiver: a plant that fits only the other schema gets 422. From a new sender to an old receiver: a plant that fits only the other schema gets 422. If every one of the old plants fits the new schema, receivers first.',
    },
    step: 'major',
    isCarriedOut: true,
  });
});

test.each(ids)('%s: the same answer again changes nothing', (id) => {
  expect(effectOf(id, PLAIN[id], PLAIN[id], PLAIN)).toMatchObject({ ...NOTHING, step: 'none' });
});

test.each(ids)('%s: each text is whole, in each direction', (id) => {
  const words = answerInWords(id, PLAIN[id]);
  const effects = [effectOf(id, undefined, PLAIN[id], PLAIN), effectOf(id, PLAIN[id], undefined, PLAIN)];
  const texts = effects.flatMap(({ receiver, sender, rollout }) => [receiver, sender, rollout.reason]);
  for (const text of [words, ...texts]) expect(text ?? '').not.toMatch(/undefined|\[object|NaN/);
  for (const text of texts) expect(text ?? '.').toMatch(/^[^a-z].*\.$|^\.$|^`/);
});

test.each(ids.filter(isExecutable))('%s: there is a sentence for each side that shows it', (id) => {
  const { shows } = openQuestions.find((question) => question.id === id)!;
  const { receiver, sender } = effectOf(id, undefined, PLAIN[id], PLAIN);
  expect(receiver !== undefined).toBe((shows as readonly string[]).includes('receiver'));
  expect(sender !== undefined).toBe(/sender|types/.test(shows.join()));
});

/** Question, answer before, answer after, order, step, and other answers. */
type Case = readonly [
  QuestionId,
  unknown,
  unknown,
  RolloutOrder,
  AnswerEffect['step'],
  Record<string, unknown>?,
];

const scheme = PLAIN['signing'] as typeof exampleAnswers.signing;
const plant = PLAIN['plant-fields'] as { properties: object; required: string[] };
const { timestamp, ...untimed } = scheme;
const ofContent = { ...scheme, signed: ['content'] };
const name = { type: 'object', properties: { name: {} } };

const cases: readonly Case[] = [
  ['media-type', 'application/json', 'text/plain', 'needs a transition', 'major'],
  ['media-type', undefined, 'application/json', 'senders first', 'major'],
  ['media-type', 'application/json', 'Application/JSON', 'any order', 'major'],
  // Without a JSON media type, nobody reads the content.
  ['payload', undefined, 'plant', 'any order', 'patch'],
  ['payload', undefined, 'plant', 'senders first', 'minor', CONTENT],
  ['payload', 'plant', { plantField: 'plant' }, 'needs a transition', 'major', CONTENT],
  ['payload', 'plant', { shape: 'plant', description: 'A plant.' }, 'any order', 'patch', CONTENT],
  ['plant-fields', undefined, plant, 'any order', 'major'],
  ['plant-fields', undefined, plant, 'senders first', 'major', CONTENT],
  ['plant-fields', plant, undefined, 'receivers first', 'minor', CONTENT],
  ['plant-fields', plant, { ...plant, required: [] }, 'any order', 'major'],
  ['plant-fields', plant, { ...plant, required: [] }, 'needs a transition', 'major', CONTENT],
  ['event-payload-fields', name, undefined, 'any order', 'major'],
  ['receiver-response', undefined, { status: 204, description: 'Taken.' }, 'any order', 'major'],
  ['receiver-response', undefined, { status: 200, description: 'Taken.' }, 'receivers first', 'major'],
  [
    'receiver-response',
    { status: 200, description: 'A.' },
    { status: 200, description: 'B.' },
    'any order',
    'patch',
  ],
  [
    'receiver-response',
    { status: 200, description: 'A.' },
    { status: 204, description: 'A.' },
    'needs a transition',
    'major',
  ],
  ['signing', undefined, scheme, 'senders first', 'major'],
  ['signing', scheme, { ...scheme, algorithm: 'hmac-sha512' }, 'needs a transition', 'major'],
  ['signing', scheme, { ...scheme, key: { prefix: '', encoding: 'utf8' } }, 'any order', 'major'],
  [
    'signing',
    scheme,
    { ...scheme, timestamp: { ...scheme.timestamp, toleranceSeconds: 9 } },
    'any order',
    'patch',
  ],
  ['signing', untimed, { ...untimed, timestamp }, 'senders first', 'minor'],
  ['signing', scheme, untimed, 'receivers first', 'major'],
  ['signing', ofContent, { ...ofContent, separator: '-' }, 'any order', 'patch'],
  ['event-identity', undefined, { header: 'webhook-id' }, 'senders first', 'major'],
  ['event-identity', undefined, { pointer: '/id' }, 'senders first', 'patch'],
  ['event-identity', { pointer: '/id' }, { header: 'webhook-id' }, 'needs a transition', 'major'],
  ['rate-limits', undefined, { deliveries: 20, seconds: 60 }, 'senders first', 'major'],
  [
    'rate-limits',
    { deliveries: 20, seconds: 60 },
    { deliveries: 30, seconds: 60 },
    'receivers first',
    'minor',
  ],
  ['rate-limits', { deliveries: 1, seconds: 1 }, { deliveries: 60, seconds: 60 }, 'receivers first', 'minor'],
  [
    'rate-limits',
    { deliveries: 10, seconds: 1 },
    { deliveries: 100, seconds: 60 },
    'needs a transition',
    'major',
  ],
  ['size-limits', undefined, 1_000, 'senders first', 'major'],
  ['size-limits', undefined, 2_000_000, 'receivers first', 'major'],
  ['size-limits', 1_000, 2_000, 'receivers first', 'minor'],
  ['size-limits', 2_000, 1_000, 'senders first', 'major'],
  ['time-outs', undefined, { delivery: 2_000, response: 4_000 }, 'needs a transition', 'major'],
  [
    'time-outs',
    { delivery: 2_000, response: 4_000 },
    { delivery: 1_000, response: 4_000 },
    'senders first',
    'patch',
  ],
  [
    'time-outs',
    { delivery: 2_000, response: 4_000 },
    { delivery: 2_000, response: 5_000 },
    'senders first',
    'minor',
  ],
  ['token-format', undefined, { name: 'a', pattern: '^a' }, 'senders first', 'major'],
  ['token-format', { name: 'a', pattern: '^a' }, { name: 'b', pattern: '^a' }, 'any order', 'patch'],
  ['token-format', { name: 'a', pattern: '^a' }, { name: 'b', pattern: '^b' }, 'needs a transition', 'major'],
  ['token-format', { name: 'a', pattern: '^a' }, undefined, 'receivers first', 'minor'],
  ['request-versioning', undefined, { header: 'v', value: '1' }, 'senders first', 'minor'],
  ['request-versioning', undefined, { pathPrefix: '/v1' }, 'needs a transition', 'major'],
  ['request-versioning', { header: 'v', value: '1' }, undefined, 'receivers first', 'major'],
  [
    'request-versioning',
    { header: 'v', value: '1' },
    { header: 'w', value: '1' },
    'needs a transition',
    'major',
  ],
  ['error-codes', undefined, { unavailable: 'E1' }, 'any order', 'patch'],
  ['base-address', undefined, 'https://a.example', 'any order', 'minor'],
  ['base-address', 'https://a.example', 'https://b.example', 'needs a transition', 'major'],
  [
    'retry',
    { delays: [1], statuses: 'all', withoutResponse: true },
    { delays: [1], statuses: [503], withoutResponse: true },
    'any order',
    'major',
  ],
  ['retry', undefined, { delays: [1], statuses: 'all', withoutResponse: true }, 'any order', 'minor'],
  [
    'retry',
    { delays: [1, 2], statuses: 'all', withoutResponse: true },
    { delays: [1], statuses: 'all', withoutResponse: true },
    'any order',
    'major',
  ],
  [
    'retry',
    { delays: [1], statuses: 'all', withoutResponse: true },
    { delays: [1], statuses: 'all', withoutResponse: false },
    'any order',
    'major',
  ],
];

// Jest would pass a callback instead of a missing argument.
const rows = cases.map(([id, before, after, order, step, others = {}]) => ({
  id,
  before,
  after,
  order,
  step,
  others,
}));

test.each(rows)('$id: $before, then $after: $order, $step', ({ id, before, after, order, step, others }) => {
  const effect = effectOf(id, before, after, others);
  expect([effect.rollout.order, effect.step]).toEqual([order, step]);
});

test.each([
  ['http-method', 'PUT', 'PUT'],
  ['size-limits', 1_000, '1000 bytes'],
  ['time-outs', { delivery: 2_000, response: 4_000 }, '2000 ms for a request, 4000 ms for its response'],
  ['rate-limits', { deliveries: 20, seconds: 60 }, '20 deliveries in 60 s'],
  [
    'plant-fields',
    PLAIN['plant-fields'],
    '`name` (string, minLength 1, required), `heightInCentimetres` (number, exclusiveMinimum 0)',
  ],
  ['retry', exampleAnswers.retry, 'again after 100 ms and 200 ms, following 429, 503 or no response'],
  ['retry', { delays: [], statuses: 'all', withoutResponse: true }, 'never again'],
  ['event-order', 'None.', 'None.'],
  ['signing', { inWords: 'As another service does.' }, 'As another service does.'],
] as const)('%s in words', (id, answer, words) => {
  expect(answerInWords(id, answer)).toBe(words);
});

describe('rate limits of different spans', () => {
  const limits = [1, 2, 5, 10].flatMap((deliveries) =>
    [1, 2, 3, 7].map((seconds) => ({ deliveries, seconds })),
  );

  /** Whether a sender that sends as early as its own limit allows always keeps the other limit. */
  function keeps(own: ExecutableAnswers['rate-limits'], other: ExecutableAnswers['rate-limits']): boolean {
    const [sender, receiver] = [new RateWindow(own), new RateWindow(other)];
    for (let now = 0; now <= 30_000; now += 500) {
      while (sender.take(now) === 0) if (receiver.take(now) > 0) return false;
    }
    return true;
  }

  test.each(limits)('$deliveries in $seconds s', (before) => {
    for (const after of limits) {
      const { order } = effectOf('rate-limits', before, after).rollout;
      const isSafe = [keeps(before, after), keeps(after, before)].join();
      const orders = {
        'true,true': 'any order',
        'true,false': 'receivers first',
        'false,true': 'senders first',
        'false,false': 'needs a transition',
      };
      expect({ after, order }).toEqual({ after, order: orders[isSafe as keyof typeof orders] });
    }
  });
});

describe('the difference of all answers', () => {
  const name = { type: 'object', properties: { name: {} }, required: ['name'] };
  const fields = { 'plant-fields': name, payload: { plantField: 'plant' } };

  test('a media type makes earlier answers start: its entry lists what they refuse from now on', () => {
    const [entry, ...more] = differenceOf(fields, { ...fields, 'media-type': 'application/json' });

    expect(more).toEqual([]);
    expect(effectLines(entry!)).toEqual([
      'Receiver: Takes content of the type application/json only; other content gets 415. Takes plants with these fields: `name` (required); another plant gets 422. Takes JSON with the plant in the field `plant`; content that is no JSON gets 400, content without that field 422.',
      'Sender: Sends content as application/json, and refuses content that `encode` gives another type. Sends JSON with the plant in the field `plant` unless the caller passes `encode`.',
      'Roll out: senders first. From an old sender to a new receiver: content of another type than application/json gets 415. From an old sender to a new receiver: a plant such as `0` gets 422; content of another shape is refused.',
      'Version step: major',
    ]);
  });

  test('without it, they do nothing at the receiver', () => {
    expect(differenceOf({}, fields).flatMap(({ effects }) => effects.map(({ side }) => side))).toEqual([
      'sender',
    ]);
  });

  test('the same answers have no difference', () => {
    expect(differenceOf(fields, { ...fields })).toEqual([]);
  });
});
