/** The compiler tests these: a wrong `@ts-expect-error` fails the typecheck gate. */
import { type Answers, type Executable, executableOf, type ShownOn } from './answer-types.js';

/** Answers that nobody gave, to try the types while some questions are answered. */
const exampleAnswers = {
  'http-method': 'PUT',
  'base-address': 'https://receiver.example',
  'event-order': 'An example of an answer that the software cannot carry out.',
} as const satisfies Answers;

const inWords = { ...exampleAnswers, 'http-method': { inWords: 'PUT, and POST for old senders.' } } as const;

describe('Answers', () => {
  test('take a question of the register, and an answer of its type', () => {
    const none: Answers = {};
    const all: Answers = exampleAnswers;
    // @ts-expect-error GET carries no content.
    const method: Answers = { 'http-method': 'GET' };
    // @ts-expect-error a base address is text.
    const address: Answers = { 'base-address': new URL('https://receiver.example') };
    const words: Answers = inWords;
    // @ts-expect-error the software carries out no answer to this question, so words need no sign.
    const signed: Answers = { 'event-order': { inWords: 'none' } };
    // @ts-expect-error nothing of the register has this id.
    const unknown: Answers = { 'plant-colour': 'green' };
    // @ts-expect-error an answered question has an answer.
    const empty: Answers = { 'event-order': undefined };

    expect([none, all, method, address, words, signed, unknown, empty]).toHaveLength(8);
  });

  test('cannot be changed', () => {
    const given: Answers = { ...exampleAnswers };
    // @ts-expect-error an answer is changed in answers.ts and nowhere else.
    given['event-order'] = 'none';

    expect(given['event-order']).toBe('none');
  });
});

test('executableOf leaves out what is in words', () => {
  const carried = executableOf(inWords);
  const address: 'https://receiver.example' = carried['base-address'];
  // @ts-expect-error the method is in words.
  const method: unknown = carried['http-method'];
  // @ts-expect-error the software cannot carry out any answer to this question.
  const order: unknown = carried['event-order'];

  expect([carried, address, method, order]).toEqual([
    { 'base-address': address },
    address,
    undefined,
    undefined,
  ]);
});

test('of any answers, what is carried out is no words', () => {
  const carried: Executable = executableOf<Answers>({
    'http-method': { inWords: 'any' },
    retry: { inWords: 'no' },
  });
  const method: 'POST' | 'PUT' | 'PATCH' | undefined = carried['http-method'];

  expect(method).toBeUndefined();
});

test('ShownOn lists the executable questions whose answer shows on a surface', () => {
  const shown: ShownOn<'types'>[] = ['base-address', 'http-method'];
  // @ts-expect-error the register says that an answer to retry shows in the sender.
  const elsewhere: ShownOn<'receiver'> = 'retry';
  // @ts-expect-error an answer to webhook-key is words, which the software cannot carry out.
  const neverExecutable: ShownOn<'document'> = 'webhook-key';

  expect([...shown, elsewhere, neverExecutable]).toHaveLength(4);
});
