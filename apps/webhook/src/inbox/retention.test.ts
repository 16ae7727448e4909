import { afterThisTest } from '@plant-store/test-support';

import { makeLatch } from '../../test/make-latch.js';
import { recordLog } from '../../test/record-log.js';
import { ForwardJumps, startRemovingExpired } from './retention.js';

const retention = { maxAge: 1, maxBytes: undefined, maxEventAge: 1 };
const forgetDeleted = async (): Promise<void> => undefined;

test('it deletes at once, until nothing is left', async () => {
  const left = [3, 2, 1, 0, 7];
  const done = makeLatch();
  const log = recordLog();
  const inbox = {
    forgetDeleted,
    removeExpired: async () => {
      const removed = left.shift()!;
      if (removed === 0) done.open();
      return removed;
    },
  };
  afterThisTest(startRemovingExpired(inbox, retention, log.logger));
  await done.opened;

  expect(await log.line('deleted expired deliveries')).toMatchObject({ level: 'debug', removed: 6 });
  expect(left).toEqual([7]);
});

test('a failure is logged, and ends nothing', async () => {
  const log = recordLog();
  const again = makeLatch();
  let calls = 0;
  const inbox = {
    forgetDeleted,
    removeExpired: async () => {
      calls += 1;
      if (calls === 1) throw new Error('a fault');
      again.open();
      return 0;
    },
  };
  const stop = startRemovingExpired(inbox, retention, log.logger);

  expect(await log.line('failed to delete expired deliveries')).toMatchObject({
    level: 'error',
    err: { message: 'a fault' },
  });
  await again.opened;
  await stop();
});

test('stopping waits for a transaction, and begins no further one', async () => {
  const started = makeLatch();
  const finished = makeLatch();
  let calls = 0;
  const inbox = {
    forgetDeleted,
    removeExpired: async () => {
      calls += 1;
      started.open();
      await finished.opened;
      return 1;
    },
  };
  const stop = startRemovingExpired(inbox, retention, recordLog().logger);
  await started.opened;
  let isStopped = false;
  const stopped = stop().then(() => (isStopped = true));
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  finished.open();
  await stopped;

  expect(calls).toBe(1);
});

test('a wall clock that is set forward is in doubt for an hour', () => {
  const HOUR = 3_600_000;
  let passed = 0;
  const seen: number[] = [];
  const jumps = new ForwardJumps({ now: () => passed }, (milliseconds) => seen.push(milliseconds / HOUR));
  const at = (hours: number, wall: number): boolean => {
    passed = hours * HOUR;
    return jumps.isInDoubt(wall * HOUR);
  };

  expect(at(0, 1_000)).toBe(false);
  expect(at(1, 1_101)).toBe(true);
  expect(at(1.9, 1_101.9)).toBe(true);
  expect(at(2, 1_102)).toBe(false);
  // A correction, and a clock that is set back.
  expect(at(3, 1_103.01)).toBe(false);
  expect(at(4, 1_000)).toBe(false);
  expect(seen).toEqual([100]);
});
