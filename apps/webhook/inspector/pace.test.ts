import { calmly } from './pace.mjs';

const { jest } = import.meta;

test('however often it is asked to, it works at most once a second, and a last time after the last request', async () => {
  jest.useFakeTimers();
  try {
    const works: number[] = [];
    const want = calmly(async () => void works.push(Date.now()));
    const start = Date.now();

    for (let millisecond = 0; millisecond < 2_500; millisecond += 10) {
      void want();
      await jest.advanceTimersByTimeAsync(10);
    }
    await jest.advanceTimersByTimeAsync(10_000);

    expect(works.map((time) => time - start)).toEqual([0, 1_000, 2_000, 3_000]);
  } finally {
    jest.useRealTimers();
  }
});
