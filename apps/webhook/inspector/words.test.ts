import { ago, duration, shortTime, size, time } from './words.mjs';

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
  expect(ago(1e12 - milliseconds, 1e12)).toBe(words);
});

test('a time has its day if it is another one', () => {
  const at = new Date(2026, 0, 31, 9, 5).getTime();
  expect(time(at)).toBe('2026-01-31 09:05:00');
  expect(shortTime(at, at + 3_600_000)).toBe('09:05:00');
  expect(shortTime(at, at + 86_400_000)).toBe('2026-01-31 09:05:00');
});
