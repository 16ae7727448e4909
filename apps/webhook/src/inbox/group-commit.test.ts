import { setImmediate as nextTurn } from 'node:timers/promises';

import { rejection } from '../../test/rejection.js';
import { GroupCommit, type GroupCommitOptions, type Retry } from './group-commit.js';

interface Write {
  readonly name: string;
  readonly size: number;
}

const write = (name: string, size = 1): Write => ({ name, size });
const HOURS = 10_000_000;

/** A group commit, and what it has committed. */
function makeGroup(given: Partial<GroupCommitOptions<Write, string>> = {}): {
  group: GroupCommit<Write, string>;
  commits: string[][];
} {
  const commits: string[][] = [];
  const group = new GroupCommit<Write, string>({
    commit: async (writes) => {
      commits.push(writes.map(({ name }) => name));
      return writes.map(({ name }) => `${name} is stored`);
    },
    sizeOf: ({ size }) => size,
    maxSize: 10,
    maxDelay: HOURS,
    maxWait: () => 0,
    maySleep: () => false,
    retry: () => 'nothing',
    ...given,
  });
  return { group, commits };
}

test('commits what arrives in one turn together, and returns a result for each', async () => {
  const { group, commits } = makeGroup();

  const results = await Promise.all(['a', 'b', 'c'].map((name) => group.add(write(name))));

  expect(commits).toEqual([['a', 'b', 'c']]);
  expect(results).toEqual(['a is stored', 'b is stored', 'c is stored']);
});

test('commits nothing before the turn is over', () => {
  const { group, commits } = makeGroup();
  void group.add(write('a'));

  expect(commits).toEqual([]);
});

test('commits what arrives in the next turn separately', async () => {
  const { group, commits } = makeGroup();
  await group.add(write('a'));
  await group.add(write('b'));

  expect(commits).toEqual([['a'], ['b']]);
});

test('commits what arrives during a commit with the next one', async () => {
  let second: Promise<string> | undefined;
  const commits: string[][] = [];
  const group: GroupCommit<Write, string> = new GroupCommit<Write, string>({
    commit: async (writes) => {
      second ??= group.add(write('b'));
      commits.push(writes.map(({ name }) => name));
      return writes.map(({ name }) => name);
    },
    sizeOf: () => 1,
    maxSize: 10,
    maxDelay: HOURS,
    maxWait: () => 0,
    maySleep: () => false,
    retry: () => 'nothing',
  });
  await group.add(write('a'));
  await second;

  expect(commits).toEqual([['a'], ['b']]);
});

describe('a commit that may wait', () => {
  const mayWait = { maxWait: () => HOURS };

  test('waits as long as each turn brings a write', async () => {
    const { group, commits } = makeGroup(mayWait);
    for (const name of ['a', 'b', 'c', 'd']) {
      void group.add(write(name));
      await nextTurn();
    }
    await group.idle();

    expect(commits).toEqual([['a', 'b', 'c', 'd']]);
  });

  test('waits no longer after a turn without one', async () => {
    const { group, commits } = makeGroup(mayWait);
    void group.add(write('a'));
    await nextTurn();
    await nextTurn();
    await group.add(write('b'));

    expect(commits).toEqual([['a'], ['b']]);
  });

  test.each([
    { maySleep: true, want: [['a', 'b'], ['c', 'd'], ['e']] },
    { maySleep: false, want: [['a', 'b'], ['c'], ['d'], ['e']] },
  ])(
    'waits for as many writes as the last one had if it may sleep: $maySleep',
    async ({ maySleep, want }) => {
      const { group, commits } = makeGroup({ ...mayWait, maySleep: () => maySleep });
      await Promise.all([group.add(write('a')), group.add(write('b'))]);
      const added = group.add(write('c'));
      await nextTurn();
      await nextTurn();
      await Promise.all([added, group.add(write('d'))]);
      await group.add(write('e'));

      expect(commits).toEqual(want);
    },
  );

  test('does not wait for delayed writes', async () => {
    const { group, commits } = makeGroup(mayWait);
    const added = group.add(write('a'));
    await nextTurn();
    void group.addDelayed(write('b'));
    await nextTurn();
    void group.addDelayed(write('c'));
    await added;
    await group.idle();

    expect(commits).toEqual([['a', 'b'], ['c']]);
  });

  test('does not wait once it has its size', async () => {
    const { group, commits } = makeGroup(mayWait);
    for (const name of ['a', 'b', 'c', 'd']) {
      void group.add(write(name, 5));
      await nextTurn();
    }
    await group.idle();

    expect(commits).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('waits no longer than it may', async () => {
    const { group, commits } = makeGroup({ maxWait: () => 5 });
    void group.add(write('a'));
    while (commits.length === 0) {
      await nextTurn();
      void group.add(write('b', 0));
    }
    await group.idle();

    expect(commits.length).toBeGreaterThan(0);
  });
});

describe('a commit that fails', () => {
  const full = new Error('no room');

  test('rejects exactly its writes, and the next one succeeds', async () => {
    let isFull = true;
    const { group } = makeGroup({
      maxSize: 2,
      commit: async (writes) => {
        const wasFull = isFull;
        isFull = false;
        if (wasFull) throw full;
        return writes.map(({ name }) => name);
      },
    });

    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => group.add(write(name))));

    expect(results).toEqual([
      { status: 'rejected', reason: full },
      { status: 'rejected', reason: full },
      { status: 'fulfilled', value: 'c' },
      { status: 'fulfilled', value: 'd' },
    ]);
    expect(await group.add(write('e'))).toBe('e');
  });

  /** Commits fail that have one of these. */
  const refuse = (refused: readonly string[], retry: Retry) => {
    const tries: string[] = [];
    const { group } = makeGroup({
      retry: () => retry,
      commit: async (writes) => {
        const names = writes.map(({ name }) => name);
        tries.push(names.join(''));
        if (names.some((name) => refused.includes(name))) throw full;
        return names;
      },
    });
    const settleAll = async (urgent: string, canWait: string): Promise<string> => {
      const results = await Promise.allSettled([
        ...Array.from(canWait, (name) => group.addDelayed(write(name))),
        ...Array.from(urgent, (name) => group.add(write(name))),
      ]);
      return results.map((result) => (result.status === 'fulfilled' ? result.value : '-')).join('');
    };
    return { tries, settleAll, idle: () => group.idle() };
  };

  test.each<{ name: string; retry: Retry; urgent: string; refused: string[]; want: string; tries: string[] }>(
    [
      { name: 'nothing', retry: 'nothing', urgent: 'xy', refused: ['b'], want: '-----', tries: ['abcxy'] },
      {
        name: 'what is urgent and what can wait, each by itself',
        retry: 'either kind',
        urgent: 'xy',
        refused: ['b'],
        want: '---xy',
        tries: ['abcxy', 'xy', 'abc'],
      },
      {
        name: 'any part, until only what fails is left',
        retry: 'any part',
        urgent: 'xy',
        refused: ['b', 'y'],
        want: 'a-cx-',
        tries: ['abcxy', 'xy', 'x', 'y', 'abc', 'ab', 'a', 'b', 'c'],
      },
      {
        name: 'nothing of one kind, if parts of it would fail too',
        retry: 'either kind',
        urgent: '',
        refused: ['b'],
        want: '---',
        tries: ['abc'],
      },
    ],
  )('tries again $name', async ({ retry, urgent, refused, want, tries }) => {
    const made = refuse(refused, retry);
    const settling = made.settleAll(urgent, 'abc');
    await made.idle();

    expect(await settling).toBe(want);
    expect(made.tries).toEqual(tries);
  });

  test('does not keep it busy', async () => {
    const { group } = makeGroup({
      commit: async () => {
        throw full;
      },
    });
    const failing = rejection(group.add(write('a')));
    await group.idle();

    expect(await failing).toBe(full);
  });
});

describe('the largest commit', () => {
  test.each<{ name: string; sizes: number[]; want: number[][] }>([
    { name: 'is filled to its size', sizes: [5, 5], want: [[5, 5]] },
    { name: 'is not exceeded', sizes: [5, 6], want: [[5], [6]] },
    { name: 'commits one write that is larger by itself', sizes: [11], want: [[11]] },
    { name: 'commits nothing together with it', sizes: [11, 1], want: [[11], [1]] },
    { name: 'keeps the order', sizes: [1, 11, 1, 1], want: [[1], [11], [1, 1]] },
    { name: 'commits any number of writes without a size', sizes: [0, 10, 0, 0], want: [[0, 10, 0, 0]] },
  ])('$name', async ({ sizes, want }) => {
    const commits: number[][] = [];
    const { group } = makeGroup({
      commit: async (writes) => {
        commits.push(writes.map(({ size }) => size));
        return writes.map(() => '');
      },
    });
    await Promise.all(sizes.map((size) => group.add(write('a', size))));

    expect(commits).toEqual(want);
  });
});

describe('a delayed write', () => {
  test('is committed with one that is not delayed, in the order of arrival, and causes no other commit', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { group, commits } = makeGroup();
    const results = await Promise.all([
      group.addDelayed(write('a')),
      group.add(write('b')),
      group.addDelayed(write('c')),
    ]);

    expect(commits).toEqual([['a', 'b', 'c']]);
    expect(results).toEqual(['a is stored', 'b is stored', 'c is stored']);
    expect(timers()).toBe(before);
  });

  test('is committed alone after its delay', async () => {
    const { group, commits } = makeGroup({ maxDelay: 1 });

    expect(await Promise.all([group.addDelayed(write('a')), group.addDelayed(write('b'))])).toEqual([
      'a is stored',
      'b is stored',
    ]);
    expect(commits).toEqual([['a', 'b']]);
  });

  test('that comes after a commit has its own delay', async () => {
    const { group, commits } = makeGroup({ maxDelay: 1 });
    await Promise.all([group.addDelayed(write('a')), group.add(write('b'))]);
    await group.addDelayed(write('c'));

    expect(commits).toEqual([['a', 'b'], ['c']]);
  });
});

describe('being idle', () => {
  test('is immediate with nothing to write', async () => {
    await expect(makeGroup().group.idle()).resolves.toBeUndefined();
  });

  test('comes after everything, however many commits that needs, and does not wait for delayed writes', async () => {
    const { group, commits } = makeGroup({ maxSize: 1 });
    const made = Promise.all([group.add(write('a')), group.addDelayed(write('b')), group.add(write('c'))]);
    await group.idle();

    expect(commits).toEqual([['a'], ['b'], ['c']]);
    await made;
  });

  test('is reported to everybody who waits for it', async () => {
    const { group } = makeGroup();
    const made = group.addDelayed(write('a'));

    await Promise.all([group.idle(), group.idle()]);
    await made;
  });
});
