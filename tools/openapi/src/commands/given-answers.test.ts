import { stringify } from 'yaml';
import { inFolder } from '../../test/run-cli.js';
import { givenAnswers } from './given-answers.js';

const action = (question: string, answeredBy: string, more: object) => ({
  target: '$',
  'x-question': question,
  'x-answered-by': answeredBy,
  'x-date': '2026-02-03',
  'x-reason': 'Minutes',
  ...more,
});

const answers = { 'size-limits': 1000, 'http-method': 'PUT', 'event-order': 'None.' } as const;

test('an answer has its words, and who stated it', () => {
  const overlay = stringify({
    overlay: '1.0.0',
    actions: [
      action('http-method', 'Not this one', { target: '$.webhooks', update: {} }),
      action('http-method', 'Ada', { 'x-answer': 'PUT' }),
      action('size-limits', 'Grace', { 'x-answer': 1000 }),
      action('retry', 'Nobody', { 'x-answer': 'none' }),
    ],
  });
  const words = JSON.stringify({ 'size-limits': '1000 bytes', retry: 'none' });
  inFolder({ 'o.yaml': overlay, 'w.json': words }, (folder) => {
    const given = givenAnswers(answers, { overlay: `${folder}/o.yaml`, words: `${folder}/w.json` });
    expect(given).toMatchObject({
      'size-limits': {
        value: 1000,
        inWords: '1000 bytes',
        stated: { answeredBy: 'Grace', date: '2026-02-03' },
      },
      'http-method': { value: 'PUT', stated: { answeredBy: 'Ada', reason: 'Minutes' } },
    });
    expect(given['event-order']).toEqual({ value: 'None.' });
    expect(Object.keys(given)).toEqual(Object.keys(answers));
  });
});

test('without files, an answer is its value', () => {
  expect(givenAnswers({ 'http-method': 'PUT' }, {})).toEqual({ 'http-method': { value: 'PUT' } });
  expect(givenAnswers({ 'http-method': 'PUT' }, { overlay: 'none.yaml' })).toEqual({
    'http-method': { value: 'PUT' },
  });
});
