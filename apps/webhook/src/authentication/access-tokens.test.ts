import fc from '../../test/fast-check.js';
import { AccessTokens } from './bearer.strategy.js';

test.each([
  { tokens: ['one', 'two'], candidate: 'two', has: true },
  { tokens: ['one'], candidate: 'on', has: false },
  { tokens: ['one', 'two'], candidate: 'one,two', has: false },
  { tokens: [], candidate: '', has: false },
])('$candidate among $tokens: $has', ({ tokens, candidate, has }) => {
  expect(new AccessTokens({ tokens }).find(candidate) !== undefined).toBe(has);
});

test('is a set of tokens, however often they are replaced', () => {
  const lists = fc.array(fc.array(fc.string(), { maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lists, fc.array(fc.string()), (given, others) => {
      const source = { tokens: [] as string[] };
      const accessTokens = new AccessTokens(source);
      for (const tokens of given) {
        source.tokens = tokens;
        const set = new Set(tokens);
        for (const candidate of [...given.flat(), ...others]) {
          expect(accessTokens.find(candidate) !== undefined).toBe(set.has(candidate));
        }
      }
    }),
  );
});

test('shows no token when it is inspected', () => {
  expect(JSON.stringify(new AccessTokens({ tokens: ['a-secret'] }))).not.toContain('a-secret');
});
