import { recordLog } from '../../test/record-log.js';
import { createErrorSerializer, errorStack, errorText } from './describe-error.js';

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
    expect(() => errorStack(thrown)).not.toThrow();
    expect(createErrorSerializer()(thrown)).toMatchObject({ message: expect.any(String) });
    expect(log.lines).toHaveLength(1);
  });
});

test('the log has the name, the message, the stack, plain members and the causes', () => {
  const cause = Object.assign(new RangeError('inner'), { errno: -2, other: { large: 'object' } });
  const error = Object.assign(new Error('outer', { cause }), { code: 'ARBITRARY' });
  const describe = createErrorSerializer();

  expect(describe(error)).toEqual({
    type: 'Error',
    message: 'outer',
    code: 'ARBITRARY',
    stack: error.stack,
    cause: { type: 'RangeError', message: 'inner', errno: -2, stack: cause.stack },
  });
  expect(describe(new AggregateError([cause], 'several'))).toMatchObject({
    message: 'several',
    errors: [{ message: 'inner' }],
  });
});

test('a stack is logged in full once for each name and place, then without Node.js and packages', () => {
  const thrown = (message: string, frame = 'first (/app/first.js:1:2)'): Error => {
    const frames = [
      frame,
      'run (/app/node_modules/a/b.js:1:2)',
      'second (/app/second.js:1:2)',
      'node:net:1:2',
    ];
    return Object.assign(new Error(message), {
      stack: [`Error: ${message}`, ...frames.map((each) => `    at ${each}`)].join('\n'),
    });
  };
  const describe = createErrorSerializer();
  const stacks = [thrown('one'), thrown('two'), thrown('three', 'other (/app/other.js:1:2)')].map(
    (error) => (describe(error) as Error).stack,
  );

  expect(stacks).toEqual([
    thrown('one').stack,
    'Error: two\n    at first (/app/first.js:1:2)\n    at second (/app/second.js:1:2)',
    thrown('three', 'other (/app/other.js:1:2)').stack,
  ]);
  expect(errorStack(thrown('stored'))).toBe(thrown('stored').stack);
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
