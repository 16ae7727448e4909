import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { overviewOf, statesOf } from '../support/inbox.js';
import { poisonSettings, sendAll, superviseUntilDone, untilNothingWaits } from '../support/poison.js';
import { startReceiver } from '../support/receiver.js';

describe('a handler that ends the process', () => {
  test.each(['exit', 'kill', 'throw outside its promise'])(
    'by %s is parked after HANDLER_MAX_ATTEMPTS crashes, and everything beside it is handled',
    async (poison) => {
      const folder = makeFolder();
      const first = await startReceiver({ folder, settings: poisonSettings });
      await sendAll(first, ['wait 1', poison, 'wait 2', 'handled 1', 'handled 2']).catch(() => undefined);
      await first.process.exit;

      const { starts, attempts } = await superviseUntilDone(folder);

      expect(starts).toBe(3);
      const rows = overviewOf(first.inbox);
      const poisoned = rows.findIndex(([, , , , content]) => content === poison) + 1;
      for (const [id, state, failures, error, content] of rows) {
        if (content === poison)
          expect([state, failures, error]).toEqual([
            'parked',
            3,
            'Error: the process ended during the attempt',
          ]);
        else expect([id, state]).toEqual([id, 'handled']);
      }
      // Alone with the poison delivery, no other is counted further.
      expect(attempts.flat().filter(([id, failures]) => id !== poisoned && failures > 1)).toEqual([]);
    },
  );

  test('counts nothing while it stops in order', async () => {
    const folder = makeFolder();
    const first = await startReceiver({ folder, settings: { ...poisonSettings, SHUTDOWN_TIMEOUT_MS: '50' } });
    await sendAll(first, ['wait']);
    await first.process.logged('attempt');
    expect(await first.process.stop()).toEqual({ code: 1, signal: null });

    const { attempts } = await superviseUntilDone(folder);

    expect(attempts).toEqual([[[1, 0]]]);
  });
});

test('a handler that blocks keeps back no response to what it gets', async () => {
  const receiver = await startReceiver({ settings: { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '1' } });
  const responses = makeFolder();
  const sendOneByOne = async (sender: number): Promise<void> => {
    for (let sent = 0; sent < 20; sent += 1) {
      const file = join(responses, `${sender}-${sent}`);
      await sendAll(receiver, [`block until ${file}`]);
      writeFileSync(file, '');
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, sender) => sendOneByOne(sender)));
  await untilNothingWaits(receiver.inbox);

  expect(new Set(statesOf(receiver.inbox))).toEqual(new Set(['handled']));
});

test('a rejection that nobody handles is logged, and the receiver goes on', async () => {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, ['reject unhandled']);
  const entry = await receiver.process.logged('unhandled promise rejection; the receiver goes on');
  await sendAll(receiver, ['handled']);
  await receiver.process.logged('attempt', 2);

  expect(entry).toMatchObject({ level: 'error', err: { message: 'rejected on purpose' } });
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
  expect(overviewOf(receiver.inbox).map(([, state]) => state)).toEqual(['handled', 'handled']);
});

test('an exception that nobody catches is logged, and the process ends', async () => {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, ['throw outside its promise']);

  expect(await receiver.process.exit).toEqual({ code: 1, signal: null });
  expect(receiver.process.entries('uncaught exception; the process ends')).toMatchObject([
    { level: 'fatal', err: { message: 'thrown on purpose' } },
  ]);
});

test('a handler that changes its delivery changes nothing in the inbox', async () => {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, ['change the delivery']);
  await receiver.process.logged('the handler failed for the last time; the delivery is parked');
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });

  expect(overviewOf(receiver.inbox)).toEqual([
    [1, 'parked', 3, 'Error: changed on purpose', 'change the delivery'],
  ]);
});
