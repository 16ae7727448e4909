import { type WriteLine, throttledLog } from './throttled-log.js';

test('writes the first line, then at most one a second, with the number of omitted ones', () => {
  let now = 0;
  const written: unknown[] = [];
  const log: WriteLine = throttledLog(
    (fields) => written.push(fields),
    () => now,
  );

  for (const [time, id] of [
    [0, 1],
    [1, 2],
    [999, 3],
    [1_000, 4],
    [1_500, 5],
    [9_000, 6],
    [10_000, 7],
  ] as const) {
    now = time;
    log({ id });
  }

  expect(written).toEqual([{ id: 1 }, { id: 4, omitted: 2 }, { id: 6, omitted: 1 }, { id: 7 }]);
});
