import { makeLatch } from '../../test/make-latch.js';
import { rejection } from '../../test/rejection.js';
import { GroupCommit } from './group-commit.js';

/** Doubles what is written, and records the batches. */
function record(): { commits: GroupCommit<number, number>; batches: (readonly number[])[] } {
  const batches: (readonly number[])[] = [];
  const commits = new GroupCommit<number, number>(async (writes) => {
    batches.push(writes);
    return writes.map((write) => 2 * write);
  });
  return { commits, batches };
}

test('what arrives together is committed together', async () => {
  const { commits, batches } = record();

  expect(await Promise.all([1, 2, 3].map((write) => commits.add(write, 1, false)))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('what arrives during a commit is committed after it, together', async () => {
  const latch = makeLatch();
  const batches: (readonly number[])[] = [];
  const commits = new GroupCommit<number, number>(async (writes) => {
    batches.push(writes);
    await latch.opened;
    return writes;
  });
  const first = commits.add(1, 1, false);
  while (batches.length === 0) await new Promise(setImmediate);
  const others = [2, 3].map((write) => commits.add(write, 1, false));
  latch.open();
  await Promise.all([first, ...others]);

  expect(batches).toEqual([[1], [2, 3]]);
});

test('a commit begins before those who wait for the one before are told', async () => {
  const events: string[] = [];
  const commits = new GroupCommit<number, number>(async (writes) => {
    events.push(`begins ${writes.join()}`);
    if (events.length === 1) others = [2, 3].map(add);
    return writes;
  });
  const add = (write: number): Promise<unknown> =>
    commits.add(write, 1, false).then(() => events.push(`told ${write}`));
  let others: Promise<unknown>[] = [];
  await add(1);
  await Promise.all(others);

  expect(events).toEqual(['begins 1', 'begins 2,3', 'told 1', 'told 2', 'told 3']);
});

test('what can wait is committed with what cannot', async () => {
  const { commits, batches } = record();
  const waiting = commits.add(1, 1, true);
  await Promise.all([commits.add(2, 1, false), waiting]);

  expect(batches).toEqual([[1, 2]]);
});

test('what can wait does not wait for ever, nor for the end', async () => {
  const { commits, batches } = record();
  expect(await commits.add(1, 1, true)).toBe(2);
  const last = commits.add(2, 1, true);
  await commits.idle();

  expect(await last).toBe(4);
  expect(batches).toEqual([[1], [2]]);
});

test('a commit is limited by size, and one that is larger is committed alone', async () => {
  const { commits, batches } = record();
  const megabyte = 1_048_576;
  const sizes = [5, 5, 20, 1, 7, 1];
  await Promise.all(sizes.map((size) => commits.add(size, size * megabyte, false)));

  expect(batches).toEqual([[5], [5], [20], [1, 7], [1]]);
});

test('a write that fails refuses no other, and a commit that fails all of its own', async () => {
  const commits = new GroupCommit<number, number>(async (writes) => {
    if (writes.includes(3)) throw new Error('all');
    return writes.map((write) => (write === 1 ? new Error('one') : write));
  });
  const [one, two] = await Promise.allSettled([1, 2].map((write) => commits.add(write, 1, false)));

  expect(one).toMatchObject({ reason: { message: 'one' } });
  expect(two).toMatchObject({ value: 2 });
  expect(await rejection(commits.add(3, 1, false))).toMatchObject({ message: 'all' });
  expect(await commits.add(4, 1, false)).toBe(4);
});
