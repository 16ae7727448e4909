import { documentOf, reader } from './documents.js';
import { gate } from '../src/gate/gate.js';

const QUESTIONS = ['retry', 'size-limits', 'payload'];
const PROVENANCE = { 'x-answered-by': 'A. Person', 'x-date': '2026-01-31', 'x-reason': 'Minutes' };

const says = (question: string, answer: unknown) => ({
  target: '$',
  'x-question': question,
  'x-answer': answer,
  ...PROVENANCE,
});
const adds = (question: string, update: object) => ({
  target: '$',
  'x-question': question,
  update,
  ...PROVENANCE,
});

/** Each question with the state of its two sides. */
function compared(actions: readonly object[], answers?: object, fields: object = {}) {
  const texts = {
    b: documentOf({ paths: {} }),
    d: documentOf({ paths: {}, ...fields }),
    o: JSON.stringify({ overlay: '1.0.0', actions }),
    a: JSON.stringify({ source: 'answers.ts', questions: QUESTIONS, answers }),
  };
  const overlay = actions.length === 0 ? undefined : 'o';
  const report = gate({
    readText: reader(texts),
    baseline: 'b',
    document: 'd',
    overlay,
    answers: answers && 'a',
  });
  return report.answers.map(({ state, question }) => [question, state]);
}

describe('the two sides of an answer', () => {
  const policy = { delays: [1, 2], statuses: 'all' };

  it.each<{ name: string; actions?: object[]; answers: object; want: string[][] }>([
    { name: 'nothing on both', answers: {}, want: [] },
    {
      name: 'the same value, whatever the order of its keys',
      actions: [says('retry', policy)],
      answers: { retry: { statuses: 'all', delays: [1, 2] } },
      want: [['retry', 'answered']],
    },
    {
      name: 'the same number in another notation',
      actions: [says('size-limits', 1e3)],
      answers: { 'size-limits': 1000 },
      want: [['size-limits', 'answered']],
    },
    {
      name: 'a list in another order',
      actions: [says('retry', { ...policy, delays: [2, 1] })],
      answers: { retry: policy },
      want: [['retry', 'contradicting answers']],
    },
    {
      name: 'a number and its text',
      actions: [says('size-limits', '1000')],
      answers: { 'size-limits': 1000 },
      want: [['size-limits', 'contradicting answers']],
    },
    {
      name: 'one key more',
      actions: [says('retry', { ...policy, withoutResponse: true })],
      answers: { retry: policy },
      want: [['retry', 'contradicting answers']],
    },
    { name: 'the code alone', answers: { retry: policy }, want: [['retry', 'missing answer']] },
    {
      name: 'the overlay alone',
      actions: [says('retry', policy)],
      answers: {},
      want: [['retry', 'missing answer']],
    },
    {
      name: 'facts without the answer',
      actions: [adds('payload', { 'x-a': 1 }), adds('payload', { 'x-b': 1 })],
      answers: { payload: 'plant' },
      want: [['payload', 'answer without value']],
    },
    {
      name: 'facts beside the answer',
      actions: [adds('payload', { 'x-a': 1 }), says('payload', 'plant')],
      answers: { payload: 'plant' },
      want: [['payload', 'answered']],
    },
    {
      name: 'unknown questions',
      actions: [says('pay-load', 'plant'), adds('pay-load', { 'x-a': 1 }), adds('resize', { 'x-b': 1 })],
      answers: { payload: 'plant' },
      want: [
        ['pay-load', 'unknown question'],
        ['pay-load', 'unknown question'],
        ['resize', 'unknown question'],
        ['payload', 'missing answer'],
      ],
    },
  ])('$name', ({ actions = [], answers, want }) => {
    expect(compared(actions, answers)).toEqual(want);
  });

  it('are not compared without the answers of the code', () => {
    const actions = [says('retry', policy), adds('made-up', { 'x-a': 1 })];
    expect(compared(actions)).toEqual([
      ['retry', 'answered'],
      ['made-up', 'answered'],
    ]);
  });
});

describe('the answers of the code', () => {
  const read = (file: unknown) =>
    gate({
      readText: reader({ b: documentOf({ paths: {} }), a: JSON.stringify(file) }),
      baseline: 'b',
      document: 'b',
      answers: 'a',
    });
  const FILE = { source: 'answers.ts', questions: QUESTIONS, answers: {} };

  it.each([
    [[], 'a:1: not a file of answers. Write it with: openapi answers --output FILE'],
    [{ ...FILE, source: 1 }, 'not a file of answers'],
    [{ ...FILE, questions: [1] }, 'not a file of answers'],
    [{ ...FILE, schemas: 'retry' }, 'not a file of answers'],
    [{ ...FILE, answers: [] }, 'not a file of answers'],
    [{ ...FILE, answers: { 're-try': 1 } }, 'a:1: re-try has an answer and is not one of the questions'],
  ])('cannot be %j', (file, want) => {
    expect(() => read(file)).toThrow(want);
  });
});
