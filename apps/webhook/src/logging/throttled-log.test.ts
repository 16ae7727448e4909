import { throttledLog } from './throttled-log.js';

const { jest } = import.meta;

test('writes the first line at once, then at most one an interval, with the number of those it stands for', () => {
  jest.useFakeTimers();
  const written: unknown[] = [];
  const start = Date.now();
  const log = throttledLog((fields) => written.push([Date.now() - start, fields]), 1_000);

  let now = 0;
  for (const [time, id] of [
    [0, 1],
    [1, 2],
    [998, 3],
    [999, 4],
    [1_500, 5],
    [9_000, 6],
  ] as const) {
    jest.advanceTimersByTime(time - now);
    now = time;
    log({ id });
  }
  jest.advanceTimersByTime(10_000);
  jest.useRealTimers();

  expect(written).toEqual([
    [0, { id: 1 }],
    [1_000, { id: 4, times: 3 }],
    [2_000, { id: 5 }],
    [9_000, { id: 6 }],
  ]);
});
