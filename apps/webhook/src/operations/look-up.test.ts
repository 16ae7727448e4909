import { atMostEvery } from './look-up.js';

test('whoever asks within the interval gets the last result, but nobody hears of a failure that is over', async () => {
  const results = [Promise.reject(new Error('no')), Promise.resolve(1), Promise.resolve(2)];
  const ask = atMostEvery(3_600_000, () => results.shift()!);

  await expect(ask()).rejects.toThrow('no');
  expect([await ask(), await ask()]).toEqual([1, 1]);
});
