import { ACCESS_TOKEN_PATTERN } from '@plant-store/contract';

import fc from '../../test/fast-check.js';
import { linesOf } from '../http/message.js';
import { type BearerCredentials, readBearerCredentials } from './bearer.strategy.js';

const none: BearerCredentials = { kind: 'missing' };
const malformed: BearerCredentials = { kind: 'malformed' };
const token = (value: string): BearerCredentials => ({ kind: 'token', token: value });

/** Every character of a b64token. */
const everyCharacter = 'ABCXYZabcxyz0189-._~+/===';

test.each<[value: string, want: BearerCredentials, clause: string]>([
  ['Bearer mF_9.B5f-4.1JqM', token('mF_9.B5f-4.1JqM'), 'RFC 6750 §2.1, its example'],
  [`Bearer ${everyCharacter}`, token(everyCharacter), 'RFC 6750 §2.1'],
  ['Bearer a', token('a'), 'RFC 6750 §2.1'],
  ['Bearer a==', token('a=='), 'RFC 6750 §2.1'],
  ['bearer a', token('a'), 'RFC 9110 §11.1: case-insensitive'],
  ['BEARER a', token('a'), 'RFC 9110 §11.1'],
  ['bEaReR a', token('a'), 'RFC 9110 §11.1'],
  ['Bearer    a', token('a'), 'RFC 9110 §11.4: 1*SP'],
  [`Bearer ${'a'.repeat(100_000)}`, token('a'.repeat(100_000)), 'any length'],

  ['', none, 'no scheme'],
  ['Basic YTpi', none, 'another scheme'],
  ['Digest a="Bearer a"', none, 'another scheme'],
  ['a', none, 'another scheme'],
  ['Bearers a', none, 'another scheme'],
  ['Bearer-Token a', none, 'another scheme, RFC 9110 §5.6.2'],
  ['Bearer.a', none, 'another scheme, RFC 9110 §5.6.2'],
  ['Bearera', none, 'another scheme'],
  ['Bear er a', none, 'another scheme'],
  [' Bearer a', none, 'the whitespace before a value is not part of it'],
  ['"Bearer" a', none, 'no scheme'],

  ['Bearer', malformed, 'no token'],
  ['Bearer ', malformed, 'no token'],
  ['Bearer     ', malformed, 'no token'],
  ['Bearer a b', malformed, 'two tokens'],
  ['Bearer a,b', malformed, 'two tokens'],
  ['Bearer a, Bearer b', malformed, 'two credentials, RFC 9110 §11.6.2'],
  ['Bearer a, Basic YTpi', malformed, 'two credentials'],
  ['Bearer a=b', malformed, 'a parameter'],
  ['Bearer token="a"', malformed, 'a parameter'],
  ['Bearer "a"', malformed, 'a quoted string'],
  ['Bearer =', malformed, 'padding alone'],
  ['Bearer =a', malformed, 'padding first'],
  ['Bearer a\u00e9', malformed, 'not ASCII'],
  ['Bearer a\u00a0', malformed, 'a space that HTTP does not know'],
  ['Bearer \u00a0a', malformed, 'a space that HTTP does not know'],
  ['Bearer\u00a0a', malformed, 'a space that HTTP does not know'],
  ['Bearer a%20b', malformed, 'not in the alphabet'],
  ['Bearer a:b', malformed, 'not in the alphabet'],
  ['Bearer a\n', malformed, 'a line'],
  ['Bearer a\0', malformed, 'a control character'],
  ['Bearer\ta', malformed, 'a tab, RFC 9110 §11.4: 1*SP'],
  ['Bearer \ta', malformed, 'a tab'],
  ['Bearer=a', malformed, 'the scheme without a space'],
  ['Bearer,a', malformed, 'the scheme without a space'],
])('%j: %j (%s)', (value, want) => {
  expect(readBearerCredentials([value])).toEqual(want);
});

test.each<[name: string, rawHeaders: string[], want: BearerCredentials]>([
  ['other fields', ['Host', 'a', 'Cookie', 'Bearer a', 'Proxy-Authorization', 'Bearer a'], none],
  ['the field among others', ['Host', 'a', 'AUTHORIZATION', 'Bearer a', 'Via', 'b'], token('a')],
  ['a value that is called like the field', ['X', 'Authorization', 'Bearer a', 'X'], none],
  ['the field twice', ['Authorization', 'Bearer a', 'authorization', 'Bearer b'], malformed],
  ['another scheme first', ['Authorization', 'Basic YTpi', 'Authorization', 'Bearer a'], malformed],
  ['an empty one first', ['Authorization', '', 'Authorization', 'Bearer a'], malformed],
])('%s', (_name, rawHeaders, want) => {
  expect(readBearerCredentials(linesOf({ rawHeaders }, 'authorization'))).toEqual(want);
});

describe('whatever the fields are', () => {
  const b64token = fc.stringMatching(/^[A-Za-z0-9\-._~+/]{1,20}={0,2}$/);
  const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'Basic', 'Bearers', '');
  const separator = fc.constantFrom(' ', '   ', '\t', '', ',', '=');
  const credentials = fc
    .tuple(scheme, separator, fc.oneof(b64token, fc.string()), fc.constantFrom('', ' ', '\u00a0', ',a'))
    .map((parts) => parts.join(''));
  const field = fc.tuple(
    fc.oneof(fc.constantFrom('Authorization', 'authorization', 'AUTHORIZATION', 'Host'), fc.string()),
    fc.oneof(credentials, fc.string({ unit: 'binary' })),
  );
  const authorizationsOf = (fields: readonly (readonly [string, string])[]): string[] =>
    fields.filter(([name]) => /^authorization$/i.test(name)).map(([, value]) => value);

  test('a token is read only from a single Authorization with the bearer scheme and a b64token', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), (fields) => {
        const result = readBearerCredentials(linesOf({ rawHeaders: fields.flat() }, 'authorization'));

        const values = authorizationsOf(fields);
        if (result.kind === 'token') {
          expect(values).toHaveLength(1);
          expect(result.token).toMatch(ACCESS_TOKEN_PATTERN);
          expect(values[0]!.replace(/^bearer +/i, '')).toBe(result.token);
          expect(values[0]).not.toBe(result.token);
        } else if (values.length > 1) {
          expect(result).toEqual(malformed);
        } else if (values.length === 0) {
          expect(result).toEqual(none);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('a valid token is read, wherever the field is', () => {
    const others = fc.array(
      field.filter(([name]) => !/^authorization$/i.test(name)),
      { maxLength: 3 },
    );
    const spaces = fc.integer({ min: 1, max: 5 }).map((count) => ' '.repeat(count));
    fc.assert(
      fc.property(others, spaces, b64token, others, (before, space, value, after) => {
        const fields = [...before, ['authorization', `bEARER${space}${value}`], ...after];

        expect(readBearerCredentials(linesOf({ rawHeaders: fields.flat() }, 'authorization'))).toEqual(
          token(value),
        );
      }),
    );
  });

  test('the time grows linearly with their length', () => {
    const long = 100_000;
    for (const value of [
      `Bearer${' '.repeat(long)}a b`,
      `Bearer ${'a'.repeat(long)} b`,
      `Bearer ${'='.repeat(long)}b`,
      `Bearer ${'a='.repeat(long)}`,
    ]) {
      expect(readBearerCredentials([value])).toEqual(malformed);
    }
  });
});
