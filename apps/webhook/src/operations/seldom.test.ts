import { makeLatch } from '../../test/make-latch.js';
import { rejection } from '../../test/rejection.js';
import { seldom } from './seldom.js';

test('looks up once in an interval', async () => {
  let time = 0;
  let count = 0;
  const look = seldom(
    1_000,
    async () => (count += 1),
    () => time,
  );

  expect([await look(), await look()]).toEqual([1, 1]);
  time = 999;
  expect(await look()).toBe(1);
  time = 1_000;
  expect(await look()).toBe(2);
});

test('does not look up again while it runs', async () => {
  let time = 0;
  let count = 0;
  const latch = makeLatch();
  const look = seldom(
    1_000,
    async () => {
      count += 1;
      await latch.opened;
      return count;
    },
    () => time,
  );

  const first = look();
  time = 5_000;
  const second = look();
  latch.open();

  expect(await Promise.all([first, second])).toEqual([1, 1]);
  expect(await look()).toBe(2);
});

test('a failure is a result too', async () => {
  let time = 0;
  let count = 0;
  const look = seldom(
    1_000,
    async () => {
      count += 1;
      throw new Error(`failure ${count}`);
    },
    () => time,
  );

  expect([await rejection(look()), await rejection(look())]).toEqual([
    new Error('failure 1'),
    new Error('failure 1'),
  ]);
  time = 1_000;
  expect(await rejection(look())).toEqual(new Error('failure 2'));
});
