import type { AnswerValues, Failure } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { receiverTable } from './receiver-table.js';
import { type KeptDelivery, prepareTrial } from './try-answers.js';

/** A delivery that follows every example answer. */
const DELIVERY: KeptDelivery = {
  method: 'PUT',
  mediaType: 'application/json; charset=utf-8',
  contentEncoding: null,
  fields: [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Plant-Store-Version', '1.0.0'],
    ['Webhook-Id', 'event-1'],
  ],
  content: Buffer.from('{"addedOn":"2026-01-31","plant":{"name":"Fern"}}'),
};

const content = (text: string): Partial<KeptDelivery> => ({ content: Buffer.from(text) });

const some = (...ids: (keyof typeof exampleAnswers)[]): AnswerValues =>
  Object.fromEntries(ids.map((id) => [id, exampleAnswers[id]]));

const FIELDS = some('media-type', 'payload', 'plant-fields', 'event-payload-fields');

test.each<[name: string, answers: AnswerValues, other: Partial<KeptDelivery>, want: Failure]>([
  ['another method', some('http-method'), { method: 'POST' }, 'method-not-allowed'],
  ['another media type', some('media-type'), { mediaType: 'text/plain' }, 'media-type-unsupported'],
  ['no media type', some('media-type'), { mediaType: null }, 'media-type-unsupported'],
  ['a coding', FIELDS, { contentEncoding: 'gzip' }, 'media-type-unsupported'],
  ['no version', some('request-versioning'), { fields: [] }, 'version-unsupported'],
  [
    'two versions',
    some('request-versioning'),
    { fields: ['1.0.0', '1.0.0'].map((value) => ['plant-store-version', value] as const) },
    'version-unsupported',
  ],
  ['no identifier', some('event-identity'), { fields: [] }, 'event-id-missing'],
  ['no identifier at a pointer', { 'event-identity': { pointer: '/id' } }, {}, 'event-id-missing'],
  ['a large content', { 'size-limits': 47 }, {}, 'content-too-large'],
  ['no content', {}, content(''), 'content-missing'],
  ['no JSON', FIELDS, content('{'), 'content-malformed'],
  ['no plant', FIELDS, content('{}'), 'content-invalid'],
  ['another plant', FIELDS, content('{"addedOn":"2026-01-31","plant":{}}'), 'content-invalid'],
  ['another event', FIELDS, content('{"plant":{"name":"Fern"}}'), 'content-invalid'],
])('%s is refused', async (_name, answers, other, want) => {
  const { refusalOf } = prepareTrial(answers, []);

  expect(await refusalOf({ ...DELIVERY, ...other })).toBe(want);
});

test('with every example answer, a delivery that follows them is accepted, signed or not', async () => {
  const trial = prepareTrial(exampleAnswers, Object.keys(exampleAnswers));

  expect(await trial.refusalOf(DELIVERY)).toBeUndefined();
  expect(trial.statusOf('content-invalid')).toBe(409);
});

test('an answer that no delivery can be refused by is named with the reason', () => {
  const { untried } = prepareTrial(exampleAnswers, Object.keys(receiverTable));

  expect(Object.fromEntries(untried.map(({ question, reason }) => [question, reason]))).toEqual({
    'authentication-realm': 'it changes responses, and refuses nothing',
    'error-codes': 'it changes responses, and refuses nothing',
    'error-payloads': 'it changes responses, and refuses nothing',
    'rate-limits': 'the access token of a delivery is not kept',
    'receiver-response': 'it changes responses, and refuses nothing',
    'status-codes': 'it changes responses, and refuses nothing',
    'time-outs': 'how long a request took is not kept',
    'token-format': 'the access token of a delivery is not kept',
    signing: expect.stringContaining('needs the signing keys'),
  });
});

test.each<[question: string, answers: AnswerValues, reason: string]>([
  ['retry', some('retry'), 'the receiver does not use this answer'],
  [
    'request-versioning',
    { 'request-versioning': { pathPrefix: '/v1' } },
    'the path of a request is not kept',
  ],
  ['plant-fields', some('plant-fields'), 'only if payload is answered, and media-type with JSON'],
  ['payload', some('payload'), 'only if payload is answered, and media-type with JSON'],
])('%s may not be tried', (question, answers, reason) => {
  expect(prepareTrial(answers, [question]).untried).toEqual([
    { question, reason: expect.stringContaining(reason) },
  ]);
});

test('answers that cannot be carried out have the faults of the contract', async () => {
  const answers = { 'http-method': 'GET', signing: {} } as unknown as AnswerValues;

  expect(() => prepareTrial(answers, [])).toThrow(/http-method: must be "POST".*signing: algorithm is/s);
});
