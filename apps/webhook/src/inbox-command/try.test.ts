import { act, HANDLED, only, PARKED } from '../../test/open-inbox.js';
import { plantInbox, type Result } from '../../test/run-plant-inbox.js';
import { fillInbox } from '../../test/serve-inbox.js';
import { proposeAnswers } from './try.js';

const JSON_TYPE = { mediaType: 'application/json' };

/** In every value that is sent. */
const CANARY = 'canary';

const plant = (fields: object): string => JSON.stringify({ name: CANARY, ...fields });

test('counts the deliveries that would be refused, by the reason, and prints nothing that was sent', async () => {
  const { folder, inbox } = await fillInbox([
    [plant({ height: 40 }), HANDLED, JSON_TYPE],
    [plant({}), HANDLED, JSON_TYPE],
    [plant({ height: null }), HANDLED, JSON_TYPE],
    [plant({ height: 40 }), PARKED, JSON_TYPE],
  ]);
  await act(inbox, 'discard', only(4), 'arbitrary');
  await inbox.close();
  const schema = { type: 'object', properties: { height: { type: 'integer' } }, required: ['height'] };
  const answers = {
    'media-type': 'application/json',
    payload: 'plant',
    'plant-fields': JSON.stringify(schema),
  };
  const proposed = Object.entries(answers).flatMap(([id, answer]) => ['--question', id, '--answer', answer]);
  const tryThem = (...args: readonly string[]): Promise<Result> =>
    plantInbox('try', ...proposed, ...args, '--inbox', folder);

  const text = await tryThem();
  const json = await tryThem('-ojson');

  expect(JSON.parse(json.stdout)).toEqual({
    deliveries: 3,
    discarded: 1,
    refused: [{ status: 422, failure: 'content-invalid', deliveries: 2, ids: [2, 3] }],
    untried: [],
  });
  expect(text).toEqual({
    code: 0,
    stdout: expect.stringContaining('3 deliveries tried: 2 would be') as string,
    stderr: '',
  });
  expect(text.stdout + json.stdout).not.toContain(CANARY);
});

test.each<[name: string, questions: string[], answers: string[], says: string]>([
  ['a wrong answer', ['http-method'], ['GET'], 'http-method: must be "POST"'],
  ['no such question', ['method'], ['PUT'], 'method: is not a question of OPEN_QUESTIONS.md'],
  [
    'a question without its answer',
    ['http-method', 'payload'],
    ['PUT'],
    'Each --question needs its --answer.',
  ],
  [
    'a schema that cannot be read',
    ['plant-fields'],
    ['{"type":"a"}'],
    "plant-fields: this JSON Schema can't be tried: unsupported type: a.",
  ],
  [
    'a schema with a keyword of another form',
    ['plant-fields'],
    ['{"type":"object","properties":{"a":5}}'],
    'a keyword in it has no valid value.',
  ],
  ['a pattern that is none', ['plant-fields'], ['{"type":"string","pattern":"("}'], 'no regular expression.'],
  ['a keyword that is not read', ['plant-fields'], ['{"not":{"type":"string"}}'], 'not is not supported.'],
  ['a schema that is text', ['plant-fields'], ['a'], 'must be a Standard Schema'],
])('%s is wrong usage', (_name, questions, answers, says) => {
  expect(() => proposeAnswers(questions, answers, {})).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(says) as string }) as Error,
  );
});
