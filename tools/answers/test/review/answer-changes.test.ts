import { answerChanges, statedAnswers } from '../../src/review/answer-changes.js';

const action = (question: string, fields: string): string => `
  - target: $
    x-question: ${question}
    x-answered-by: Ada
    x-date: 2026-01-31
    x-reason: Minutes
    ${fields}`;
const overlay = (...actions: string[]) => statedAnswers(`overlay: 1.0.0\nactions:${actions.join('')}\n`);

const stated = (answer: unknown) => ({ answer, answeredBy: 'Ada', date: '2026-01-31', reason: 'Minutes' });

test.each([undefined, '', 'overlay: 1.0.0\nactions: []\n', 'overlay: 1.0.0\n'])(
  'an overlay without actions has no answers: %j',
  (text) => expect(statedAnswers(text).size).toBe(0),
);

test('an answer is that of the action that has it', () => {
  const answers = overlay(
    action('error-payloads', 'update: { a: 1 }'),
    action('error-payloads', 'x-answer: { mediaType: application/json }'),
  );
  expect([...answers]).toEqual([['error-payloads', stated({ mediaType: 'application/json' })]]);
});

test('an alias is the value that it stands for', () => {
  const answers = overlay(action('retry', 'x-answer: { delays: &a [1, 2], statuses: *a }'));
  expect(answers.get('retry')?.answer).toEqual({ delays: [1, 2], statuses: [1, 2] });
});

test('each question whose answer differs is a change, in the order of the register', () => {
  const before = overlay(
    action('time-outs', 'x-answer: { delivery: 1000, response: 2000 }'),
    action('size-limits', 'x-answer: 1000'),
    action('retry', 'x-answer: { delays: [1], statuses: [503] }'),
    action('event-order', 'x-answer: None'),
    action('unheard-of', 'x-answer: 1'),
  );
  const after = overlay(
    action('http-method', 'x-answer: PUT'),
    action('size-limits', 'x-answer: 2000'),
    action('retry', 'x-answer: { statuses: [503], delays: [1] }'),
    action('event-order', 'x-answer: None').replace('Ada', 'Grace'),
  );
  const changes = answerChanges(before, after);
  expect(changes.map(({ question, kind }) => [question, kind])).toEqual([
    ['http-method', 'new'],
    ['event-order', 'stated again'],
    ['size-limits', 'changed'],
    ['time-outs', 'withdrawn'],
    ['unheard-of', 'withdrawn'],
  ]);
  expect(changes[2]).toMatchObject({ before: stated(1000), after: stated(2000) });
  expect(changes[3]!.after).toBeUndefined();
});

test('1 is not "1"', () => {
  const one = overlay(action('token-format', 'x-answer: 1'));
  const text = overlay(action('token-format', 'x-answer: "1"'));
  expect(answerChanges(one, text)).toHaveLength(1);
  expect(answerChanges(one, one)).toEqual([]);
});
