import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { makeLatch } from '../../test/make-latch.js';
import { Readiness, type ReadinessChecks } from './health.js';

const fine = async (): Promise<void> => undefined;
const empty: ReadinessChecks['oldestWaiting'] = async () => ({ oldestWaitingAt: null, now: 0 });

function makeReadiness(checks: Partial<ReadinessChecks> = {}): Readiness {
  const folder = makeFolder();
  const readiness = new Readiness({
    checkInbox: fine,
    oldestWaiting: empty,
    folder,
    freeInFile: async () => 0,
    minFreeBytes: 1,
    ...checks,
  });
  readiness.started();
  return readiness;
}

test('not ready while it starts, nor once it is about to stop', async () => {
  const readiness = new Readiness({
    checkInbox: fine,
    oldestWaiting: empty,
    folder: undefined,
    freeInFile: async () => 0,
  });
  expect(await readiness.reasons()).toEqual(['The receiver is starting: opening the inbox.']);
  readiness.starting('loading the handler');
  expect(await readiness.reasons()).toEqual(['The receiver is starting: loading the handler.']);
  readiness.started();
  expect(await readiness.reasons()).toEqual([]);
  readiness.stopping();
  expect(await readiness.reasons()).toEqual(['The receiver is stopping.']);
  readiness.started();
  expect(await readiness.reasons()).toEqual(['The receiver is stopping.']);
});

test('not ready while disk and file have too little space for deliveries', async () => {
  const folder = makeFolder();
  const [reason, ...more] = await makeReadiness({ folder, minFreeBytes: Number.MAX_SAFE_INTEGER }).reasons();
  expect(reason).toMatch(
    new RegExp(
      `^The inbox in ${folder} has \\d+ bytes left, on its disk and in its file, and 9007199254740991 are needed.$`,
    ),
  );
  expect(more).toEqual([]);
});

test('ready on a full disk if the file has space: what was deleted has left it there', async () => {
  const minFreeBytes = 2 ** 50;
  const readiness = makeReadiness({ minFreeBytes, freeInFile: async () => minFreeBytes });

  expect(await readiness.reasons()).toEqual([]);
  expect(await readiness.freeBytes()).toBeGreaterThanOrEqual(minFreeBytes);
});

test('not ready while what waits was stored in the future', async () => {
  const at = (oldestWaitingAt: number): Promise<readonly string[]> =>
    makeReadiness({ oldestWaiting: async () => ({ oldestWaitingAt, now: 0 }) }).reasons();

  expect(await at(60_000)).toEqual([]);
  expect(await at(60_001)).toEqual([
    'The oldest delivery that waits was stored in the future, at 1970-01-01T00:01:00.001Z, and it is 1970-01-01T00:00:00.000Z: the clock is behind, or was ahead. Check it.',
  ]);
});

test('not ready for several reasons', async () => {
  const checkInbox = (): Promise<void> => Promise.reject(new Error('It is lost.'));
  const reasons = await makeReadiness({ checkInbox, folder: join(makeFolder(), 'none') }).reasons();
  expect(reasons).toEqual(['It is lost.', expect.stringContaining('ENOENT')]);
});

test('however often it is asked, it checks once in a second, and not again while a check runs', async () => {
  let count = 0;
  const latch = makeLatch();
  const readiness = makeReadiness({
    checkInbox: async () => {
      count += 1;
      await latch.opened;
    },
  });

  const asked = Array.from({ length: 100 }, () => readiness.reasons());
  latch.open();

  expect(await Promise.all(asked)).toEqual(Array.from({ length: 100 }, () => []));
  expect(count).toBe(1);
});

test('a check that does not end is a reason', async () => {
  const latch = makeLatch();
  const readiness = makeReadiness({ checkInbox: () => latch.opened, timeout: 10 });

  expect(await readiness.reasons()).toEqual(['The check of the inbox has not ended within 10 ms.']);
  latch.open();
});
