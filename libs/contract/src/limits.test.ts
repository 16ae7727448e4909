import { RateWindow } from './limits.js';

test('a delivery counts for the whole span, and no longer', () => {
  const window = new RateWindow({ deliveries: 2, seconds: 1 });

  expect([0, 400, 999, 1_000, 1_399, 1_400].map((now) => window.take(now))).toEqual([0, 0, 1, 0, 1, 0]);
});

test('a delivery without room is not counted', () => {
  const window = new RateWindow({ deliveries: 1, seconds: 1 });

  expect([0, 500, 999.5, 1_000].map((now) => window.take(now))).toEqual([0, 500, 0.5, 0]);
});
