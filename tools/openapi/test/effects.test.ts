import { isDeepStrictEqual } from 'node:util';
import {
  type ExecutableAnswers,
  isExecutable,
  openQuestions,
  plainAnswers,
  type QuestionId,
  RateWindow,
} from '@plant-store/contract';
import type { Level } from '@plant-store/contract/kinds';
import { exampleAnswers } from '@plant-store/example-answers';
import {
  type AnswerDifference,
  answerInWords,
  differenceOf,
  effectLines,
  effectRules,
  effectsOf,
  OPEN_AGAIN,
  type PlainAnswers,
  type RolloutOrder,
} from '../src/effects/effects.js';

const PLAIN = plainAnswers(exampleAnswers);
const CONTENT = { 'media-type': 'application/json', payload: 'plant' };
const ERRORS = { 'error-payloads': { mediaType: 'application/json', fields: { error: 'code' } } };
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const COLOUR = { type: 'object', properties: { colour: {} } };
const PREFIX = { pathPrefix: '/v1' };
const VERSION = { header: 'v', value: '1' };
const { signing } = exampleAnswers;
const { timestamp, ...untimed } = signing;
const ofContent = { ...signing, signed: ['content'] };
const response = (status: number) => ({ status, description: 'A.' });
const times = (delivery: number, response: number) => ({ delivery, response });

const retry = (delays: number[], statuses: unknown, withoutResponse = true) => ({
  delays,
  statuses,
  withoutResponse,
});
const rate = (deliveries: number, seconds: number) => ({ deliveries, seconds });

/** The difference that one change makes beside other answers. */
function change(
  id: QuestionId,
  before: unknown,
  after: unknown,
  others: PlainAnswers = {},
): AnswerDifference {
  return differenceOf({ ...others, [id]: before }, { ...others, [id]: after })[0]!;
}

/** A change, and each effect that it has, by its id: its level, and what it says. */
interface Case {
  readonly of: readonly [QuestionId, answer: unknown, others?: PlainAnswers, before?: unknown];
  readonly effects: Readonly<Record<string, `${Level}: ${string}`>>;
}

const cases: readonly Case[] = [
  {
    of: ['base-address', 'https://a.example'],
    effects: {
      'sender.sends-to-address': 'info: Sends to https://a.example unless the caller passes `baseUrl`.',
    },
  },
  {
    of: ['http-method', 'PUT'],
    effects: {
      'receiver.refuses-method': 'breaking: Takes PUT only; other methods get 405.',
      'sender.sends-method': 'info: Sends PUT unless the caller passes another `method`.',
    },
  },
  {
    of: ['media-type', 'text/csv'],
    effects: {
      'receiver.refuses-media-type':
        'breaking: Takes content of the type text/csv only; other content gets 415.',
      'sender.sends-media-type':
        'breaking: Sends content as text/csv, and refuses content that `encode` gives another type.',
    },
  },
  {
    of: ['payload', { plantField: 'plant' }, CONTENT],
    effects: {
      'receiver.refuses-payload':
        'breaking: Takes JSON with the plant in the field `plant`; content that is no JSON gets 400, encoded content 415, content without that field 422.',
    },
  },
  {
    of: ['payload', 'plant', CONTENT],
    effects: {
      'sender.encodes-payload': 'info: Sends JSON with the plant alone unless the caller passes `encode`.',
    },
  },
  {
    of: ['plant-fields', NAME, CONTENT],
    effects: {
      'receiver.refuses-plant':
        'breaking: Takes plants with these fields: `name` (string, required); another plant gets 422.',
    },
  },
  {
    of: ['plant-fields', COLOUR, CONTENT, NAME],
    effects: {
      'receiver.may-refuse-plant':
        'warning: It may refuse plants that it took, and take plants that it refused: compare the two schemas.',
    },
  },
  {
    of: ['plant-fields', COLOUR],
    effects: {
      'sender.types-plant': 'breaking: Asks the compiler for plants with these fields: `colour`.',
    },
  },
  {
    of: ['event-payload-fields', NAME, CONTENT],
    effects: {
      'receiver.refuses-event':
        "breaking: Takes events with these fields beside the plant's: `name` (string, required); another event gets 422.",
    },
  },
  {
    of: ['event-payload-fields', COLOUR, CONTENT, NAME],
    effects: {
      'receiver.may-refuse-event':
        'warning: It may refuse events that it took, and take events that it refused: compare the two schemas.',
    },
  },
  {
    of: ['event-payload-fields', COLOUR],
    effects: {
      'sender.needs-event':
        'breaking: Needs `event` for each delivery, beside the plant, with these fields: `colour`.',
    },
  },
  {
    of: ['receiver-response', response(200), {}, response(202)],
    effects: {
      'receiver.responds': 'breaking: Responds with 200 once the delivery is on disk.',
    },
  },
  {
    of: ['receiver-response', response(200)],
    effects: {
      'sender.takes-acknowledgement': 'breaking: Takes only 200 as an acknowledgement.',
    },
  },
  {
    of: ['token-format', { name: 'a', pattern: '^a' }],
    effects: {
      'receiver.refuses-token': 'breaking: Takes only access tokens that match `/^a/`; other tokens get 401.',
      'sender.refuses-token': 'breaking: Refuses an access token that does not match `/^a/`.',
    },
  },
  {
    of: ['authentication-realm', 'plants'],
    effects: {
      'receiver.names-realm': 'info: Names the realm "plants" in each challenge.',
    },
  },
  {
    of: ['retry', retry([], 'all'), {}, retry([1], 'all')],
    effects: {
      'sender.sends-again': 'warning: Sends never again, unless the caller passes `retry`.',
    },
  },
  {
    of: ['signing', signing],
    effects: {
      'receiver.refuses-signature':
        'breaking: Needs `SIGNING_KEYS`; a delivery without a valid signature in webhook-signature gets 403.',
      'sender.signs':
        'breaking: Needs `signingKey`, and signs: hmac-sha256 over event-id, timestamp and content, in the header webhook-signature; the time in webhook-timestamp, at most 300 s off.',
    },
  },
  {
    of: ['event-identity', { pointer: '/id' }],
    effects: {
      'receiver.refuses-unidentified':
        'breaking: Keeps one delivery of each event, which is identified in the content, at `/id`; content that is no JSON gets 400, encoded content 415, and a delivery without an identifier gets 400.',
    },
  },
  {
    of: ['event-identity', { header: 'id' }],
    effects: {
      'sender.needs-event-id': 'breaking: Needs `eventId` for each delivery, and sends it in the header id.',
    },
  },
  {
    of: ['error-codes', { unavailable: 'E1' }, ERRORS],
    effects: {
      'receiver.sends-code': 'info: Sends a code with these refusals: `E1` for unavailable.',
      'sender.reads-code': 'info: Names the failure in the error of a delivery, by the code.',
    },
  },
  {
    of: ['status-codes', { 'content-invalid': { status: 409, description: 'A.' } }],
    effects: {
      'receiver.refuses-with-status': 'info: Refuses with 409 for content-invalid.',
      'sender.reads-status': 'info: Names the failure in the error of a delivery, by the status.',
    },
  },
  {
    of: ['error-payloads', ERRORS['error-payloads']],
    effects: {
      'receiver.sends-error-payload': 'info: Sends content with each refusal: application/json with `error`.',
      'sender.gives-error-payload': 'info: Gives the caller that content in the error of a delivery.',
    },
  },
  {
    of: ['rate-limits', rate(20, 60)],
    effects: {
      'receiver.refuses-rate': 'breaking: Takes 20 deliveries in 60 s with one access token; more get 429.',
      'sender.keeps-rate': 'warning: Sends at most 20 deliveries in 60 s; others wait.',
    },
  },
  {
    of: ['size-limits', 1_000],
    effects: {
      'receiver.refuses-size': 'breaking: Takes content of at most 1000 bytes; larger content gets 413.',
      'sender.refuses-size': 'breaking: Refuses content of more than 1000 bytes before it is sent.',
    },
  },
  {
    of: ['time-outs', times(2_000, 4_000)],
    effects: {
      'receiver.refuses-slow-request': 'breaking: Waits 2000 ms for a whole request; a slower one gets 408.',
      'sender.stops-waiting':
        'breaking: Waits 4000 ms for a whole response unless the caller passes `attemptTimeout`.',
    },
  },
  {
    of: ['request-versioning', VERSION],
    effects: {
      'receiver.refuses-version': 'breaking: Takes only requests with v: 1; others get 400.',
      'sender.sends-version': 'info: Sends v: 1.',
    },
  },
  {
    of: ['request-versioning', PREFIX],
    effects: {
      'receiver.serves-prefix': 'breaking: Serves /v1/plant/webhook; the path without the prefix gets 404.',
      'sender.sends-to-prefix': 'breaking: Sends to /v1/plant/webhook below `baseUrl`.',
    },
  },
  {
    of: ['receiver-response', undefined, {}, response(200)],
    effects: {
      'receiver.is-open-again':
        'breaking: 204 without content, once the delivery is on disk. It is the success that says least (RFC 9110 §15.3.5).',
    },
  },
  {
    of: ['base-address', undefined, {}, 'https://a.example'],
    effects: {
      'sender.is-open-again': 'breaking: `baseUrl` is a required option without a default.',
    },
  },
];
const tested = cases.flatMap(({ of, effects }) =>
  Object.entries(effects).map(([id, said]) => ({ id, said, of })),
);

test.each(tested)('$id', ({ id, said, of: [question, answer, others, before] }) => {
  const found = change(question, before, answer, others).effects.filter((effect) => effect.id === id);
  expect(found.map(({ level, text }) => `${level}: ${text}`)).toEqual([said]);
});

test('each effect has a test of its name, at its level', () => {
  const ofTests = tested.map(({ id, said }) => `${id} ${said.split(':')[0]}`);
  const all = [...effectRules, ...OPEN_AGAIN].map(({ id, level }) => `${id} ${level}`);
  expect(ofTests.toSorted()).toEqual(all.toSorted());
});

test('an effect is less than its level, if nothing that worked fails', () => {
  const levels = change('size-limits', 1_000, 2_000).effects.map(({ id, level }) => [id, level]);
  expect(levels).toEqual([
    ['receiver.refuses-size', 'info'],
    ['sender.refuses-size', 'info'],
  ]);
});

const NOTHING = {
  effects: [],
  rollout: { order: 'any order', reason: 'Old and new senders work with old and new receivers.' },
  step: 'patch',
};

test.each<[QuestionId, unknown]>([
  ['event-order', 'None.'],
  ['signing', { inWords: 'As another service does.' }],
])('%s: an answer in words changes no software', (question, answer) => {
  expect(change(question, undefined, answer)).toEqual({ ...NOTHING, question, isExecutable: false });
});

test('words in place of an answer open the question again for the software', () => {
  const opened = change('http-method', 'PUT', undefined);
  expect(change('http-method', 'PUT', { inWords: 'Either.' })).toEqual({ ...opened, isExecutable: false });
});

test('another answer in words counts as open', () => {
  const others = { ...CONTENT, 'media-type': { inWords: 'JSON, or CBOR.' } };
  expect(change('payload', undefined, 'plant', others)).toMatchObject(NOTHING);
});

test('the lines of a change: both sides with their levels, the rollout and the version step', () => {
  expect(effectLines(change('http-method', 'POST', 'PUT'))).toEqual([
    'Receiver: Takes PUT only; other methods get 405. (breaking)',
    'Sender: Sends PUT unless the caller passes another `method`.',
    'Roll out: needs a transition. From an old sender to a new receiver: POST gets 405. From a new sender to an old receiver: PUT gets 405. With `stillAccepted`, new receivers take POST too: then receivers first.',
    'Version step: major',
  ]);
});

describe('the difference of all answers', () => {
  const fields = { 'plant-fields': NAME, payload: { plantField: 'plant' } };
  const all = { ...fields, 'media-type': 'application/json' };

  test('a media type makes earlier answers start: its entry lists what they refuse from now on', () => {
    const [entry, ...more] = differenceOf(fields, all);

    expect(more).toEqual([]);
    expect(entry?.effects.map(({ id, level }) => `${id} ${level}`)).toEqual([
      'receiver.refuses-media-type breaking',
      'sender.sends-media-type breaking',
      'receiver.refuses-payload breaking',
      'sender.encodes-payload info',
      'receiver.refuses-plant breaking',
    ]);
    expect(entry?.rollout).toEqual({
      order: 'senders first',
      reason:
        'From an old sender to a new receiver: content of another type than application/json gets 415; content of another shape is refused; a plant that does not fit gets 422.',
    });
  });

  test('without it, they do nothing at the receiver', () => {
    expect(differenceOf({}, fields).flatMap(({ effects }) => effects.map(({ side }) => side))).toEqual([
      'sender',
    ]);
  });

  test('a payload that makes receivers refuse plants is a major step, and a minor one without schemas', () => {
    const { payload, ...others } = all;
    const steps = [others, { 'media-type': others['media-type'] }].map(
      (set) => change('payload', undefined, payload, set).step,
    );
    expect(steps).toEqual(['major', 'minor']);
  });

  test('a media type that is open again: what the others stop to do', () => {
    expect(differenceOf(all, fields)[0]?.effects.map(({ id, question }) => `${question}: ${id}`)).toEqual([
      'media-type: receiver.is-open-again',
      'media-type: sender.is-open-again',
      'payload: receiver.is-open-again',
      'payload: sender.is-open-again',
      'plant-fields: receiver.is-open-again',
    ]);
  });

  test('several changes: each says what it adds to those on which it is built', () => {
    const found = differenceOf({}, all).map(({ question, effects }) => [
      question,
      effects.map(({ id }) => id),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      'plant-fields': ['receiver.refuses-plant', 'sender.types-plant'],
      payload: ['receiver.refuses-payload', 'sender.encodes-payload'],
      'media-type': ['receiver.refuses-media-type', 'sender.sends-media-type'],
    });
  });

  test('the same answers have no difference', () => {
    expect(differenceOf(all, { ...all })).toEqual([]);
  });

  test('all that the software does because of them', () => {
    const added = differenceOf({}, all).flatMap(({ effects }) => effects);
    expect(effectsOf(all)).toEqual(expect.arrayContaining(added));
    expect(effectsOf(all)).toHaveLength(added.length);
  });
});

const ids = openQuestions.map(({ id }) => id);

test.each(ids)('%s: each text is whole, in each direction', (id) => {
  const both = [change(id, undefined, PLAIN[id], PLAIN), change(id, PLAIN[id], undefined, PLAIN)];
  const texts = both.flatMap(({ effects, rollout }) => [...effects.map(({ text }) => text), rollout.reason]);
  for (const text of [answerInWords(id, PLAIN[id]), ...texts])
    expect(text).not.toMatch(/undefined|\[object|NaN/);
  for (const text of texts) expect(text).toMatch(/^[^a-z].*\.$|^`/);
});

test.each(ids.filter(isExecutable))('%s: there is a sentence for each side that shows it', (id) => {
  const { shows } = openQuestions.find((question) => question.id === id)!;
  const sides = change(id, undefined, PLAIN[id], PLAIN).effects.map(({ side }) => side);
  expect(sides.includes('receiver')).toBe((shows as readonly string[]).includes('receiver'));
  expect(sides.includes('sender')).toBe(/sender|types/.test(shows.join()));
});

/** Question, answer before, answer after, order, step, and other answers. */
const rollouts: readonly (readonly [
  QuestionId,
  before: unknown,
  after: unknown,
  order: RolloutOrder,
  AnswerDifference['step'],
  others?: PlainAnswers,
])[] = [
  ['media-type', 'application/json', 'text/plain', 'needs a transition', 'major'],
  ['media-type', undefined, 'application/json', 'senders first', 'major'],
  ['media-type', 'application/json', 'Application/JSON', 'any order', 'major'],
  // Without a JSON media type, nobody reads the content.
  ['payload', undefined, 'plant', 'any order', 'patch'],
  ['payload', undefined, 'plant', 'senders first', 'minor', CONTENT],
  ['payload', 'plant', { plantField: 'plant' }, 'needs a transition', 'major', CONTENT],
  ['payload', 'plant', { shape: 'plant', description: 'A plant.' }, 'any order', 'patch', CONTENT],
  ['plant-fields', undefined, NAME, 'any order', 'major'],
  ['plant-fields', undefined, NAME, 'senders first', 'major', CONTENT],
  ['plant-fields', NAME, undefined, 'receivers first', 'minor', CONTENT],
  ['plant-fields', NAME, COLOUR, 'any order', 'major'],
  ['plant-fields', NAME, COLOUR, 'needs a transition', 'major', CONTENT],
  ['event-payload-fields', NAME, undefined, 'any order', 'major'],
  ['receiver-response', undefined, response(204), 'any order', 'major'],
  ['receiver-response', undefined, response(200), 'receivers first', 'major'],
  ['receiver-response', response(200), { ...response(200), description: 'B.' }, 'any order', 'patch'],
  ['receiver-response', response(200), response(204), 'needs a transition', 'major'],
  ['signing', undefined, signing, 'senders first', 'major'],
  ['signing', signing, { ...signing, algorithm: 'hmac-sha512' }, 'needs a transition', 'major'],
  ['signing', signing, { ...signing, key: { prefix: '', encoding: 'utf8' } }, 'any order', 'major'],
  [
    'signing',
    signing,
    { ...signing, timestamp: { ...timestamp, toleranceSeconds: 9 } },
    'any order',
    'patch',
  ],
  ['signing', untimed, { ...untimed, timestamp }, 'senders first', 'minor'],
  ['signing', signing, untimed, 'receivers first', 'major'],
  ['signing', ofContent, { ...ofContent, separator: '-' }, 'any order', 'patch'],
  ['event-identity', undefined, { header: 'webhook-id' }, 'senders first', 'major'],
  ['event-identity', undefined, { pointer: '/id' }, 'senders first', 'patch'],
  ['event-identity', { pointer: '/id' }, { pointer: '/ID' }, 'needs a transition', 'patch'],
  ['event-identity', { pointer: '/id' }, { header: 'webhook-id' }, 'needs a transition', 'major'],
  ['rate-limits', undefined, rate(20, 60), 'senders first', 'major'],
  ['rate-limits', rate(20, 60), rate(30, 60), 'receivers first', 'minor'],
  ['rate-limits', rate(1, 1), rate(60, 60), 'receivers first', 'minor'],
  ['rate-limits', rate(10, 1), rate(100, 60), 'needs a transition', 'major'],
  ['size-limits', undefined, 1_000, 'senders first', 'major'],
  ['size-limits', undefined, 2_000_000, 'receivers first', 'major'],
  ['size-limits', 1_000, 2_000, 'receivers first', 'minor'],
  ['size-limits', 2_000, 1_000, 'senders first', 'major'],
  ['time-outs', undefined, times(2_000, 4_000), 'needs a transition', 'major'],
  ['time-outs', times(2_000, 4_000), times(1_000, 4_000), 'senders first', 'patch'],
  ['time-outs', times(2_000, 4_000), times(2_000, 5_000), 'senders first', 'minor'],
  ['token-format', undefined, { name: 'a', pattern: '^a' }, 'senders first', 'major'],
  ['token-format', { name: 'a', pattern: '^a' }, { name: 'b', pattern: '^a' }, 'any order', 'patch'],
  ['token-format', { name: 'a', pattern: '^a' }, { name: 'b', pattern: '^b' }, 'needs a transition', 'major'],
  ['token-format', { name: 'a', pattern: '^a' }, undefined, 'receivers first', 'minor'],
  ['request-versioning', undefined, VERSION, 'senders first', 'minor'],
  ['request-versioning', undefined, PREFIX, 'needs a transition', 'major'],
  ['request-versioning', VERSION, undefined, 'receivers first', 'major'],
  ['request-versioning', VERSION, { ...VERSION, header: 'w' }, 'needs a transition', 'major'],
  ['error-codes', undefined, { unavailable: 'E1' }, 'any order', 'patch'],
  ['base-address', undefined, 'https://a.example', 'any order', 'minor'],
  ['base-address', 'https://a.example', 'https://b.example', 'needs a transition', 'major'],
  ['retry', undefined, retry([1], 'all'), 'any order', 'minor'],
  ['retry', retry([1], 'all'), retry([1], [503]), 'any order', 'major'],
  ['retry', retry([1], [503]), retry([1, 2], [429, 503]), 'any order', 'minor'],
  ['retry', retry([1, 2], 'all'), retry([1], 'all'), 'any order', 'major'],
  ['retry', retry([1], 'all'), retry([1], 'all', false), 'any order', 'major'],
];

// Jest would pass a callback instead of a missing argument.
const rows = rollouts.map(([id, before, after, order, step, others = {}]) => ({
  id,
  before,
  after,
  order,
  step,
  others,
}));

test.each(rows)('$id: $before, then $after: $order, $step', ({ id, before, after, order, step, others }) => {
  const { rollout, step: found } = change(id, before, after, others);
  expect([rollout.order, found]).toEqual([order, step]);
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
  [
    'plant-fields',
    {
      $ref: '#/$defs/Plant',
      $defs: { Plant: { properties: { name: { type: 'string' } }, required: ['name'] } },
    },
    '`name` (string, required)',
  ],
  [
    'plant-fields',
    { oneOf: [{ properties: { name: {} } }, { properties: { name: {}, colour: {} } }] },
    '`name`, `colour`',
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
      if (isDeepStrictEqual(before, after)) continue;
      const { order } = change('rate-limits', before, after).rollout;
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
