/** The compiler tests these: a wrong `@ts-expect-error` fails the typecheck gate. */
import { type Answers, type AnswerValues, type ShownOn, valuesOf } from './answer-types.js';

const by = { who: 'Nobody', on: '2026-01-31', why: 'An example.' } as const;

/** Answers that nobody gave, to try the types while some questions are answered. */
const exampleAnswers = {
  'http-method': { is: 'PUT', ...by },
  'base-address': { inWords: 'That of each receiver.', ...by },
  'event-order': { inWords: 'None.', ...by },
} as const satisfies Answers;

describe('Answers', () => {
  test('take a question of the register, and an entry with an answer of its type', () => {
    const none: Answers = {};
    const all: Answers = exampleAnswers;
    // @ts-expect-error GET carries no content.
    const method: Answers = { 'http-method': { is: 'GET', ...by } };
    // @ts-expect-error a base address is text.
    const address: Answers = { 'base-address': { is: new URL('https://receiver.example'), ...by } };
    // @ts-expect-error the software carries out no answer to this question.
    const order: Answers = { 'event-order': { is: 'none', ...by } };
    // @ts-expect-error nothing of the register has this id.
    const unknown: Answers = { 'plant-colour': { inWords: 'green', ...by } };
    // @ts-expect-error who answered is missing.
    const unsigned: Answers = { 'http-method': { is: 'PUT', on: '2026-01-31', why: 'An example.' } };
    // @ts-expect-error a day is written with digits.
    const undated: Answers = { 'http-method': { is: 'PUT', ...by, on: 'yesterday' } };
    // @ts-expect-error an answer is carried out, or in words.
    const both: Answers = { 'http-method': { is: 'PUT', inWords: 'PUT', ...by } };

    expect([none, all, method, address, order, unknown, unsigned, undated, both]).toHaveLength(9);
  });
});

test('valuesOf leaves out what is in words, and who answered', () => {
  const carried = valuesOf(exampleAnswers);
  const method: 'PUT' = carried['http-method'];
  // @ts-expect-error the address is in words.
  const address: unknown = carried['base-address'];
  const values: AnswerValues = carried;

  expect([values, method, address]).toEqual([{ 'http-method': 'PUT' }, 'PUT', undefined]);
});

test('valuesOf leaves out what is no entry, which answerFaults tells', () => {
  const wrong = { 'http-method': 'PUT', retry: null, payload: undefined, signing: {} };
  // @ts-expect-error an entry has an answer and who gave it.
  expect(valuesOf(wrong)).toEqual({});
});

test('ShownOn lists the executable questions whose answer shows on a surface', () => {
  const shown: ShownOn<'types'>[] = ['base-address', 'http-method'];
  // @ts-expect-error the register says that an answer to retry shows in the sender.
  const elsewhere: ShownOn<'receiver'> = 'retry';
  // @ts-expect-error an answer to webhook-key is words, which the software cannot carry out.
  const neverExecutable: ShownOn<'document'> = 'webhook-key';

  expect([...shown, elsewhere, neverExecutable]).toHaveLength(4);
});
