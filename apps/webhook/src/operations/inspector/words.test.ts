import { duration, size, Times } from './words.js';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [12_345_678, '12 MB'],
])('%p bytes are %s', (bytes, words) => {
  expect(size(bytes)).toBe(words);
});

test.each([
  [0.25, '0.3 ms'],
  [3, '3 ms'],
  [999, '999 ms'],
  [1_400, '1.4 s'],
  [61_000, '61 s'],
  [1_200_000, '20 min'],
  [12_600_000, '3.5 h'],
])('%p ms are %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test.each([
  [-5_000, 'just now'],
  [9_000, 'just now'],
  [59_000, '50 s ago'],
  [41 * 60_000, '41 min ago'],
  [3 * 3_600_000, '3 h ago'],
  [3 * 86_400_000, '3 days ago'],
])('%p ms before now is %s', (milliseconds, words) => {
  expect(new Times('UTC', 1e12).ago(1e12 - milliseconds)).toBe(words);
});

test('a time has its day if it is another one', () => {
  const at = Date.UTC(2026, 0, 31, 9, 5);
  expect(new Times('UTC', at).full(at)).toBe('2026-01-31 09:05:00');
  expect(new Times('UTC', at + 3_600_000).short(at)).toBe('09:05:00');
  expect(new Times('UTC', at + 3_600_000).precise(at + 7)).toBe('09:05:00.007');
  expect(new Times('UTC', at + 86_400_000).short(at)).toBe('2026-01-31 09:05:00');
});

test('times are those of the zone, and the hour that comes twice has its offset', () => {
  const first = Date.UTC(2026, 9, 25, 0, 30);
  const berlin = new Times('Europe/Berlin', first);
  expect(berlin.full(first)).toBe('2026-10-25 02:30:00 +02:00');
  expect(berlin.full(first + 3_600_000)).toBe('2026-10-25 02:30:00 +01:00');
  expect(berlin.precise(first)).toBe('02:30:00.000 +02:00');
  expect(berlin.full(first + 7_200_000)).toBe('2026-10-25 03:30:00');
  expect(berlin.parse('2026-07-01T12:00:00')).toBe(Date.UTC(2026, 6, 1, 10));
  expect(berlin.parse('2026-12-01T12:00')).toBe(Date.UTC(2026, 11, 1, 11));
});

test('what is no zone counts as UTC', () => {
  expect(new Times('<script>', 0).zone).toBe('UTC');
});
