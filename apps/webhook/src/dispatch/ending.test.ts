import { of } from 'rxjs';
import type { DeliveryHandler, Handler } from '@plant-store/handler';

import { endingOf } from './ending.js';

const thenable = (value?: unknown): object => ({
  then: (resolve: (value: unknown) => void) => resolve(value),
});

test.each<[name: string, returned: unknown]>([
  ['a promise', Promise.resolve()],
  ['a thenable', thenable()],
  ['a function that is a thenable', Object.assign(() => undefined, thenable())],
  ['a promise of a promise', thenable(thenable())],
])('%s of nothing is waited for', async (_name, returned) => {
  expect(await endingOf(returned, 'the handler')).toBeUndefined();
});

test('nothing is over at once', () => {
  expect(endingOf(undefined, 'the handler')).toBeUndefined();
});

const refuse = (): never => {
  throw new Error('refused');
};

const MISTAKES: readonly (readonly [name: string, make: () => unknown, said: string])[] = [
  ['null', () => null, 'Null'],
  ['0', () => 0, 'Number'],
  ['an empty string', () => '', 'String'],
  ['a symbol', () => Symbol('arbitrary'), 'Symbol'],
  ['an object without a prototype', () => Object.create(null) as unknown, 'Object'],
  ['an Error', () => new RangeError('arbitrary'), 'Error'],
  ['an Observable', () => of(1), 'Object'],
  ['a Response', () => new Response(null, { status: 500 }), 'Response'],
  ['promises', () => [Promise.resolve()], 'Array'],
  ['a stream', () => new ReadableStream(), 'ReadableStream'],
  ['a generator', function* () {}, 'Generator'],
  ['a function', () => () => undefined, 'Function'],
];

describe('it is a fault to return', () => {
  test.each(MISTAKES)('%s', (_name, make, said) => {
    expect(() => endingOf(make(), 'the handler')).toThrow(
      `the handler returned a value (${said}); await what it begins, throw what failed, and return nothing`,
    );
  });

  test.each(MISTAKES)('a promise of %s', async (_name, make, said) => {
    await expect(endingOf(thenable(make()), 'the handler')).rejects.toThrow(
      `the handler returned a promise of a value (${said}); `,
    );
  });

  test('what cannot be read', () => {
    expect(() => endingOf(new Proxy({}, { get: refuse }), 'the handler')).toThrow('refused');
  });
});

describe('the compiler says so, too:', () => {
  test('of a function', () => {
    const right: readonly DeliveryHandler[] = [
      () => {},
      async () => {},
      () => undefined,
      () => Promise.resolve(),
      () => {
        throw new Error('arbitrary');
      },
    ];
    const wrong: readonly DeliveryHandler[] = [
      // @ts-expect-error -- an Observable
      () => of(1),
      // @ts-expect-error -- a Response
      () => fetch('http://127.0.0.1/'),
      // @ts-expect-error -- a generator
      function* () {},
      // @ts-expect-error -- an asynchronous one
      async function* () {},
      // @ts-expect-error -- an Error
      () => new Error('arbitrary'),
      // @ts-expect-error -- promises
      () => [Promise.resolve()],
      // @ts-expect-error -- null is something
      () => null,
      // @ts-expect-error -- a promise of a number
      async () => 1,
      // @ts-expect-error -- the rows of the work of a transaction
      (_delivery, attempt) => attempt.transaction((client) => client.query('SELECT')),
    ];

    expect([right, wrong].map(({ length }) => length)).toEqual([5, 9]);
  });

  test('of a class', () => {
    class Right implements Handler {
      async handle(): Promise<void> {}
    }
    class Wrong implements Handler {
      // @ts-expect-error -- an Observable
      handle() {
        return of(1);
      }
    }

    expect([new Right(), new Wrong()]).toHaveLength(2);
  });
});
