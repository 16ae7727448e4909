import { Random } from './random.js';

const draw = (random: Random): number[] => Array.from({ length: 20 }, () => random.integer(0, 1_000_000));

test('the same seed draws the same', () => {
  expect(draw(new Random(7))).toEqual(draw(new Random(7)));
  expect(new Random(7).shuffle([1, 2, 3, 4, 5, 6])).toEqual(new Random(7).shuffle([1, 2, 3, 4, 5, 6]));
});

test('another seed draws something else', () => {
  expect(draw(new Random(7))).not.toEqual(draw(new Random(8)));
});

test('numbers are between their bounds, and each of them comes', () => {
  const random = new Random(1);
  const drawn = new Set(Array.from({ length: 200 }, () => random.integer(3, 6)));
  expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
});

test('shuffling keeps every item', () => {
  expect(new Random(3).shuffle(['a', 'b', 'c']).sort()).toEqual(['a', 'b', 'c']);
});

test('what a fork is asked changes nothing', () => {
  const [one, other] = [new Random(5), new Random(5)];
  draw(one.fork());
  other.fork();
  expect(draw(one)).toEqual(draw(other));
});
