/** The compiler tests these: a wrong `@ts-expect-error` fails the typecheck gate. */
import type { Answers, OnceAnswered, RequiredWhileOpen, ShownOn } from './answer-types.js';

/** Answers that nobody gave, to try the types while some questions are answered. */
const exampleAnswers = {
  'http-method': 'PUT',
  'base-address': 'https://receiver.example',
  'event-order': 'An example of an answer that the software cannot carry out.',
} as const satisfies Answers;

type Open = Readonly<Record<never, never>>;
type Answered = typeof exampleAnswers;

interface MethodOption {
  method: 'POST' | 'PUT' | 'PATCH';
}

describe('Answers', () => {
  test('take a question of the register, and an answer of its type', () => {
    const none: Answers = {};
    const all: Answers = exampleAnswers;
    // @ts-expect-error GET carries no content.
    const method: Answers = { 'http-method': 'GET' };
    // @ts-expect-error a base address is text.
    const address: Answers = { 'base-address': new URL('https://receiver.example') };
    // @ts-expect-error nothing of the register has this id.
    const unknown: Answers = { 'plant-colour': 'green' };
    // @ts-expect-error an answered question has an answer.
    const empty: Answers = { 'event-order': undefined };

    expect([none, all, method, address, unknown, empty]).toHaveLength(6);
  });

  test('cannot be changed', () => {
    const given: Answers = { ...exampleAnswers };
    // @ts-expect-error an answer is changed in answers.ts and nowhere else.
    given['event-order'] = 'none';

    expect(given['event-order']).toBe('none');
  });
});

describe('RequiredWhileOpen', () => {
  test('requires an option while its question is open', () => {
    const given: RequiredWhileOpen<Open, 'http-method', MethodOption> = { method: 'POST' };
    // @ts-expect-error the method is an open question: the caller decides.
    const missing: RequiredWhileOpen<Open, 'http-method', MethodOption> = {};

    expect([given, missing]).toEqual([{ method: 'POST' }, {}]);
  });

  test('makes it optional once the question is answered', () => {
    const given: RequiredWhileOpen<Answered, 'http-method', MethodOption> = { method: 'POST' };
    const missing: RequiredWhileOpen<Answered, 'http-method', MethodOption> = {};
    // @ts-expect-error optional isn't arbitrary.
    const wrong: RequiredWhileOpen<Answered, 'http-method', MethodOption> = { method: 'GET' };

    expect([given, missing, wrong]).toHaveLength(3);
  });

  test('looks at its own question only', () => {
    // @ts-expect-error the example leaves the media type open.
    const missing: RequiredWhileOpen<Answered, 'media-type', { mediaType: string }> = {};

    expect(missing).toEqual({});
  });

  test('knows the questions of the register only', () => {
    // @ts-expect-error nothing of the register has this id.
    const unknown: RequiredWhileOpen<Open, 'plant-colour', MethodOption> = { method: 'POST' };

    expect(unknown).toEqual({ method: 'POST' });
  });
});

describe('OnceAnswered', () => {
  test('adds options once the question is answered, and nothing before', () => {
    const before: OnceAnswered<Open, 'http-method', MethodOption> = {};
    const after: OnceAnswered<Answered, 'http-method', MethodOption> = { method: 'POST' };
    // @ts-expect-error the answer brings an option that is required.
    const missing: OnceAnswered<Answered, 'http-method', MethodOption> = {};

    expect([before, after, missing]).toHaveLength(3);
  });
});

test('ShownOn lists the executable questions whose answer shows on a surface', () => {
  const shown: ShownOn<'types'>[] = ['base-address', 'http-method'];
  // @ts-expect-error the register says that an answer to retry shows in the sender.
  const elsewhere: ShownOn<'receiver'> = 'retry';
  // @ts-expect-error an answer to webhook-key is words, which the software cannot carry out.
  const inWords: ShownOn<'document'> = 'webhook-key';

  expect([...shown, elsewhere, inWords]).toHaveLength(4);
});
