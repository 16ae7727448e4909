import { PassThrough } from 'node:stream';
import { exampleAnswers } from '@plant-store/example-answers';
import {
  type AnswerOptions,
  type AnswerRequest,
  askForRest,
  readValue,
  requestFaults,
  requestOf,
} from '../src/enter/request.js';

const SIGNED = { who: 'A. Person', date: '2026-01-31', reason: 'Minutes' };

describe('a request is refused with', () => {
  test.each<{ name: string; request: Partial<AnswerRequest>; want: string[] }>([
    {
      name: 'everything that is missing',
      request: { question: '', who: undefined, reason: undefined },
      want: ['--question is missing', '--who is missing', '--reason is missing'],
    },
    {
      name: 'no question of the register',
      request: { question: 'nope' },
      want: ['--question: there is no nope'],
    },
    { name: 'no value', request: { question: 'retry' }, want: ['--value is missing'] },
    {
      name: 'a schema',
      request: { question: 'plant-fields', value: {} },
      want: ['--value: plant-fields is answered with a schema, which is code'],
    },
    {
      name: 'nothing to remove',
      request: { question: 'retry', remove: true },
      want: ['--remove: retry has no answer'],
    },
    {
      name: 'an answer on which another one is built',
      request: { question: 'event-identity', remove: true },
      want: ['--remove: another answer needs this one. '],
    },
    {
      name: 'every fault, and an answer that is there',
      request: { question: 'http-method', value: 'GET', date: '2026-13-41', reason: '' },
      want: [
        'http-method has an answer already. To replace it, add --replace',
        '--value: http-method: ',
        '--date must be a day such as 2026-01-31 (got 2026-13-41)',
        '--reason is missing',
      ],
    },
  ])('$name', ({ request, want }) => {
    const { signing } = exampleAnswers;
    const answers = { 'http-method': 'PUT', 'event-identity': { header: 'webhook-id' }, signing } as const;
    const whole = { replace: false, remove: false, ...SIGNED, question: '', ...request };
    expect(requestFaults(whole, answers, false)).toEqual(
      want.map((line): unknown => expect.stringContaining(line)),
    );
  });
});

describe('in a terminal', () => {
  const asked = async (given: AnswerOptions, lines: string) => {
    const options = { ...given };
    const output = new PassThrough({ encoding: 'utf8' });
    await askForRest(options, () => false, { input: new PassThrough().end(lines), output });
    return { request: requestOf(options), shown: String(output.read()) };
  };

  test('it asks for what is missing, and shows the form of an answer', async () => {
    const { request, shown } = await asked({}, 'size-limits\n5000\nA. Person\nMinutes\n');
    expect(request).toMatchObject({
      question: 'size-limits',
      value: 5000,
      who: 'A. Person',
      reason: 'Minutes',
    });
    expect(shown).toContain('An answer: ');
  });

  test('it reads a value once the question is known', async () => {
    const { request } = await asked({ value: '3600', who: 'A', reason: 'B' }, 'token-lifetime\n');
    expect(request).toMatchObject({ question: 'token-lifetime', value: '3600' });
  });

  test('it asks for nothing else', async () => {
    expect((await asked({ question: 'retry', remove: true }, '')).shown).toBe('null');
  });
});

describe('a value is JSON, or text where only text is an answer', () => {
  test.each<[question: string, text: string, value: unknown]>([
    ['receiver-response', '{"status":200,"description":"Taken."}', { status: 200, description: 'Taken.' }],
    ['http-method', 'PUT', 'PUT'],
    ['http-method', '"PUT"', 'PUT'],
    ['http-method', '{"inWords":"Any."}', { inWords: 'Any.' }],
    ['size-limits', '1e3', 1000],
    ['size-limits', '007', '007'],
    ['size-limits', '0', 0],
    ...['2026', 'true', 'null', '1e3', '-', '-5', '007', '[1]', '{"a":1}', '9007199254740993'].map(
      (text): [string, string, string] => ['authentication-realm', text, text],
    ),
    ['authentication-realm', '"2026"', '2026'],
    ['authentication-realm', '{"inWords":"By region."}', { inWords: 'By region.' }],
    ...['3600', 'false', '{"a":1}'].map((text): [string, string, string] => ['token-lifetime', text, text]),
    ['token-lifetime', '"3600 s"', '3600 s'],
    ['token-lifetime', '{"inWords":"An hour."}', 'An hour.'],
  ])('%s, %s', (question, text, value) => {
    expect(readValue(question, text)).toEqual(value);
  });

  test.each([
    ['event-order', 'No order.'],
    ['http-method', { inWords: 'No order.' }],
  ])('--words: %s', (question, value) => {
    expect(requestOf({ question, words: 'No order.' }).value).toEqual(value);
  });
});
