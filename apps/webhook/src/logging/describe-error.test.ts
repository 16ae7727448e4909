import { runInNewContext } from 'node:vm';

import { freePort } from '@plant-store/test-support';

import { recordLog } from '../../test/record-log.js';
import { DescribedError, errorText } from './describe-error.js';
import { errorGroupOf } from './error-group.js';
import { nestLogger } from './logger.js';

const refuse = (): never => {
  throw new Error('This trap throws.');
};

const withGetter = new Error();
Object.defineProperty(withGetter, 'message', { get: refuse });

const withSymbol = new Error();
Object.assign(withSymbol, { message: Symbol('arbitrary') });

const withObject = new Error();
Object.assign(withObject, { message: Object.create(null) as unknown });

describe('whatever was thrown has a text and is logged:', () => {
  test.each<[name: string, thrown: unknown, text: string]>([
    ['an error', new TypeError('arbitrary'), 'TypeError: arbitrary'],
    ['an error without a message', new Error(), 'Error: '],
    ['only errors of an error', new AggregateError([new Error('one'), 2]), 'AggregateError: one; 2'],
    ['text', 'arbitrary', "'arbitrary'"],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('arbitrary'), 'Symbol(arbitrary)'],
    ['an object', { code: 'arbitrary' }, "{ code: 'arbitrary' }"],
    ['an error whose message is a symbol', withSymbol, 'Error: Symbol(arbitrary)'],
    ['an error whose message has no text', withObject, 'an error that cannot be read'],
    ['an error with a getter that throws', withGetter, 'an error that cannot be read'],
    [
      'a revoked proxy',
      (() => {
        const { proxy, revoke } = Proxy.revocable(new Error(), {});
        revoke();
        return proxy;
      })(),
      'an error that cannot be read',
    ],
    [
      'a proxy with traps that throw',
      new Proxy(new Error(), { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
      'an error that cannot be read',
    ],
  ])('%s', (_name, thrown, text) => {
    const log = recordLog();
    log.logger.error({ err: thrown }, 'arbitrary');

    expect(errorText(thrown)).toBe(text);
    expect(() => new DescribedError(thrown).stack).not.toThrow();
    expect(new DescribedError(thrown).fields).toMatchObject({ message: expect.any(String) });
    expect(log.lines).toHaveLength(1);
  });
});

const hostile = (errors: unknown): Error => Object.assign(new Error('arbitrary'), { errors });
const withOwn = (name: string, value: unknown): unknown[] =>
  Object.defineProperty([new Error('inner')], name, { value });
class Species extends Array<unknown> {
  static override get [Symbol.species](): never {
    return refuse();
  }
}

describe('whatever is in an error, nothing of it is asked later:', () => {
  test.each<[name: string, thrown: unknown]>([
    [
      'errors whose slice returns no list',
      hostile(withOwn('slice', () => ({ flatMap: () => ({ map: () => [], length: 1 }) }))),
    ],
    ['errors whose slice throws', hostile(withOwn('slice', refuse))],
    ['errors whose flatMap returns what is no error', hostile(withOwn('flatMap', () => [null]))],
    ['errors of another class', hostile(Species.from([new Error('inner')]))],
    ['errors that cannot be iterated', hostile(withOwn(Symbol.iterator as never, refuse))],
    ['errors that are a proxy', hostile(new Proxy([], { get: refuse }))],
    [
      'errors of any length',
      hostile(new Proxy([], { get: (_, name) => (name === 'length' ? {} : refuse()) })),
    ],
    ['a million errors', hostile(Array.from({ length: 1_000_000 }, () => 1))],
    [
      'a name that changes',
      Object.defineProperty(new Error('a'), 'name', { get: () => ({ toString: refuse }) }),
    ],
    ['a message that is a list', Object.assign(new Error(), { message: [{ toString: refuse }] })],
    [
      'a message that has a text once',
      (() => {
        let reads = 0;
        return Object.defineProperty(new Error(), 'message', {
          get: () => (reads++ === 0 ? 'a' : { toString: refuse }),
        });
      })(),
    ],
    ['a stack that is an object', Object.assign(new Error('a'), { stack: { toString: refuse } })],
    ['a stack that throws', Object.defineProperty(new Error('a'), 'stack', { get: refuse })],
    ['members that throw', Object.defineProperty(new Error('a'), 'code', { get: refuse, enumerable: true })],
    [
      'members of Object',
      Object.defineProperty(new Error('a'), '__proto__', { value: 'b', enumerable: true }),
    ],
    [
      'a cause that is a proxy of itself',
      new Error('a', { cause: new Proxy(new Error('b'), { get: refuse }) }),
    ],
    [
      'a class that throws',
      Object.setPrototypeOf(new Error('a'), new Proxy({}, { getPrototypeOf: refuse, get: refuse })),
    ],
    ['a method of inspect that throws', { [Symbol.for('nodejs.util.inspect.custom')]: refuse }],
    ['no text', { toString: refuse, [Symbol.toPrimitive]: refuse }],
  ])('%s', (_name, thrown) => {
    const log = recordLog();
    nestLogger(log.logger).error(thrown);
    nestLogger(log.logger).warn(thrown);
    log.logger.error({ err: thrown }, 'arbitrary');
    const described = new DescribedError(thrown);
    const all = [described.text, described.stack ?? '', described.message, described.type];

    expect(all.map((each) => typeof each)).toEqual(all.map(() => 'string'));
    expect(log.lines).toHaveLength(3);
  });
});

const fetchFailed = (cause: unknown): Error => new TypeError('fetch failed', { cause });
const frozen = Object.freeze(new Error('outer', { cause: Object.freeze(new Error('inner')) }));
const circle = new Error('outer');
circle.cause = new Error('inner', { cause: circle });
const withoutCause = Object.defineProperty(new Error('outer'), 'cause', { get: refuse });
const endless = (): Error => Object.defineProperty(new Error('outer'), 'cause', { get: endless });

describe('the text of an error has its causes:', () => {
  test.each<[name: string, thrown: unknown, text: string]>([
    ['one', fetchFailed(new Error('no')), 'TypeError: fetch failed, caused by Error: no'],
    ['text', fetchFailed('no'), "TypeError: fetch failed, caused by 'no'"],
    ['nothing', fetchFailed(null), 'TypeError: fetch failed'],
    [
      'a cause of a cause',
      new Error('a', { cause: fetchFailed(new Error('no')) }),
      'Error: a, caused by TypeError: fetch failed, caused by Error: no',
    ],
    [
      'one that the message quotes',
      new Error('it failed: no', { cause: new Error('no') }),
      'Error: it failed: no',
    ],
    [
      'several addresses',
      fetchFailed(new AggregateError([new Error('::1'), new Error('::2')])),
      'TypeError: fetch failed, caused by AggregateError: ::1; ::2',
    ],
    [
      'several errors',
      new AggregateError([new Error('a'), fetchFailed(new Error('b'))], 'all'),
      'AggregateError: all, caused by Error: a; TypeError: fetch failed, caused by Error: b',
    ],
    [
      'equal errors',
      new AggregateError([new Error('a'), new Error('a')], 'all'),
      'AggregateError: all, caused by Error: a',
    ],
    [
      'a sentence',
      new Error('It failed.', { cause: new Error('no') }),
      'Error: It failed, caused by Error: no',
    ],
    ['a circle', circle, 'Error: outer, caused by Error: inner'],
    ['one that cannot be read', withoutCause, 'Error: outer'],
    ['frozen ones', frozen, 'Error: outer, caused by Error: inner'],
    [
      'one of another realm',
      fetchFailed(runInNewContext("new RangeError('no')")),
      'TypeError: fetch failed, caused by RangeError: no',
    ],
  ])('%s', (_name, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });

  test('however long a message is, and however many there are', () => {
    expect(errorText(new Error('a'.repeat(5_000), { cause: new Error('ENOTFOUND') }))).toMatch(
      /, caused by Error: ENOTFOUND$/,
    );
    expect(errorText(endless()).length).toBeLessThan(1_000);
  });
});

test('errors that only their causes tell apart are of two groups', async () => {
  const refused: unknown = await fetch(`http://127.0.0.1:${await freePort()}`).catch(
    (error: unknown) => error,
  );
  const unknown = fetchFailed(new Error('getaddrinfo ENOTFOUND plants.example'));

  expect([refused, unknown].map((error) => errorGroupOf(errorText(error)))).toEqual([
    'TypeError: fetch failed, caused by Error: connect ECONNREFUSED …',
    'TypeError: fetch failed, caused by Error: getaddrinfo ENOTFOUND plants.example',
  ]);
});

test('the log has the name, the text, the stacks and plain members', () => {
  const cause = Object.assign(new RangeError('inner'), { code: 'OTHER', errno: -2 });
  const error = Object.assign(new Error('outer', { cause }), {
    code: 'ARBITRARY',
    other: { large: 'object' },
  });
  const framesOf = ({ stack }: Error): string => stack!.slice(stack!.indexOf('\n'));

  expect(new DescribedError(error).fields).toEqual({
    type: 'Error',
    message: 'outer, caused by RangeError: inner',
    code: 'ARBITRARY',
    errno: -2,
    stack: `Error: outer, caused by RangeError: inner${framesOf(error)}\ncaused by RangeError: inner${framesOf(cause)}`,
  });
});

test('an error has one text: of the row, of the line of the log, and of its stack', () => {
  const log = recordLog();
  const thrown = fetchFailed(new Error('no'));
  log.logger.error({ err: thrown }, 'arbitrary');
  const { err } = log.lines[0] as unknown as { err: { type: string; message: string; stack: string } };

  expect([`${err.type}: ${err.message}`, err.stack.split('\n')[0]]).toEqual(Array(2).fill(errorText(thrown)));
});

test.each<[name: string, thrown: (secret: object) => unknown]>([
  ['what was thrown', (secret) => Object.assign(new Error('a'), secret)],
  [
    'a cause of a cause',
    (secret) => new Error('a', { cause: fetchFailed(Object.assign(new Error('b'), secret)) }),
  ],
  ['one of several errors', (secret) => new AggregateError([Object.assign(new Error('b'), secret)])],
])('members of %s that may be credentials are not logged', (_name, make) => {
  const log = recordLog();
  const members = ['token', 'accessToken', 'Authorization', 'password', 'clientSecret'];
  const secret = Object.fromEntries(members.map((name) => [name, 'arbitrary-secret']));
  log.logger.error({ err: make(secret) }, 'arbitrary');

  expect(log.text()).toContain('Authorization');
  expect(log.text()).not.toContain('arbitrary-secret');
});

test.each<[name: string, thrown: () => unknown]>([
  ['message', () => new Error('a'.repeat(50_000_000))],
  ['member', () => Object.assign(new Error(), { body: 'a'.repeat(50_000_000) })],
  ['name', () => Object.assign(new Error(), { name: 'a'.repeat(50_000_000) })],
  [
    'list of members',
    () =>
      Object.assign(
        new Error(),
        Array.from({ length: 10_000 }, () => 'a'.repeat(500)),
      ),
  ],
  ['cause', () => new Error('a', { cause: 'a'.repeat(50_000_000) })],
  ['list of errors', () => new AggregateError(Array.from({ length: 10_000 }, () => new Error('a')))],
  ['text', () => 'a'.repeat(50_000_000)],
  [
    'object',
    () =>
      Object.assign(
        {},
        Array.from({ length: 100_000 }, () => 'a'.repeat(500)),
      ),
  ],
  [
    'object of objects',
    () => ({
      a: Object.assign(
        {},
        Array.from({ length: 100_000 }, () => 'a'.repeat(500)),
      ),
    }),
  ],
  [
    'circle of causes',
    () => {
      const error = new Error('a'.repeat(10_000));
      error.cause = error;
      return error;
    },
  ],
])('a large %s does not make a large line', (_name, make) => {
  const log = recordLog();
  const thrown = make();
  log.logger.error({ err: thrown }, 'arbitrary');

  expect(log.text().length).toBeLessThan(60_000);
  expect(errorText(thrown).length).toBeLessThanOrEqual(1_000);
});
