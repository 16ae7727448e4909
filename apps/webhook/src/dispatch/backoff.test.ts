import fc from '../../test/fast-check.js';
import { backoff } from './backoff.js';

const least = () => 0;
const most = () => 1 - Number.EPSILON;

test.each([
  { failures: 1, first: 1_000, maximum: 3_600_000, from: 500, to: 1_000 },
  { failures: 2, first: 1_000, maximum: 3_600_000, from: 1_000, to: 2_000 },
  { failures: 5, first: 1_000, maximum: 3_600_000, from: 8_000, to: 16_000 },
  { failures: 12, first: 1_000, maximum: 3_600_000, from: 1_024_000, to: 2_048_000 },
  { failures: 13, first: 1_000, maximum: 3_600_000, from: 1_800_000, to: 3_600_000 },
  { failures: 5_000, first: 1_000, maximum: 3_600_000, from: 1_800_000, to: 3_600_000 },
  { failures: 1, first: 1_000, maximum: 100, from: 50, to: 100 },
  { failures: 1, first: 1, maximum: 1, from: 1, to: 1 },
  { failures: 1, first: 3, maximum: 3, from: 2, to: 3 },
])('after $failures failures: from $from to $to ms', ({ failures, first, maximum, from, to }) => {
  expect(backoff(failures, first, maximum, least)).toBe(from);
  expect(backoff(failures, first, maximum, most)).toBe(to);
});

test('is a whole number within the upper half, whatever is drawn', () => {
  const time = fc.integer({ min: 1, max: 2_147_483_647 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), time, time, (failures, first, maximum) => {
      const longest = Math.min(maximum, first * 2 ** (failures - 1));
      const wait = backoff(failures, first, maximum);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }),
  );
});

test('does not draw the same each time', () => {
  const draws = Array.from({ length: 100 }, () => backoff(1, 1_000_000, 1_000_000));

  expect(new Set(draws).size).toBeGreaterThan(1);
});
