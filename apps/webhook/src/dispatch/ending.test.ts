import { Readable, Writable } from 'node:stream';

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
  ['null', () => null, 'null; return nothing'],
  ['true', () => true, 'a boolean; return nothing'],
  ['0', () => 0, 'a number; return nothing'],
  ['an empty string', () => '', 'a string; return nothing'],
  ['a bigint', () => 0n, 'a bigint; return nothing'],
  ['a symbol', () => Symbol('arbitrary'), 'a symbol; return nothing'],
  ['an object', () => ({ ok: true }), 'an object; return nothing'],
  ['an object without a prototype', () => Object.create(null) as unknown, 'an object; return nothing'],
  ['an Error', () => new RangeError('arbitrary'), 'an Error; throw it'],
  ['an Observable', () => of(1), 'an Observable; await firstValueFrom(…) of it, and return nothing'],
  [
    'a Response',
    () => new Response(null, { status: 500 }),
    'a Response; check response.ok, and return nothing',
  ],
  ['promises', () => [Promise.resolve()], 'an array; await Promise.all(…), and return nothing'],
  ...[Readable.from([]), new Writable(), new ReadableStream()].map(
    (stream, index) =>
      [
        `a stream (${index})`,
        () => stream,
        'a stream; await pipeline(…) of node:stream/promises, and return nothing',
      ] as const,
  ),
  ['a generator', function* () {}, 'a generator; make it an async function, which runs by itself'],
  [
    'an asynchronous one',
    async function* () {},
    'a generator; make it an async function, which runs by itself',
  ],
  ['a function', () => () => undefined, 'a function; call it, and return nothing'],
  ['what cannot be read', () => new Proxy({}, { get: refuse }), 'refused'],
];

describe('it is a fault to return', () => {
  test.each(MISTAKES)('%s', (_name, make, said) => {
    expect(() => endingOf(make(), 'the handler')).toThrow(said);
  });

  test.each(MISTAKES)('a promise of %s', async (_name, make, said) => {
    await expect(endingOf(thenable(make()), 'the handler')).rejects.toThrow(said);
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
