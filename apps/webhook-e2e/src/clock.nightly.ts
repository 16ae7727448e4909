import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { WallClock } from '@plant-store/test-support/wall-clock';

import { readInbox } from '../support/inbox.js';
import { ask, untilReadiness } from '../support/operations.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { startReceiver } from '../support/receiver.js';

const DAY = 86_400;

const clock = WallClock.make(makeFolder(afterThisFile));
/** Without Linux or a C compiler, a process can't be given a clock. */
const onLinux = clock === undefined ? describe.skip : describe;

onLinux('a clock that is wrong', () => {
  test('and is set forward while the receiver runs: new deliveries have its time, and none is deleted too early', async () => {
    const receiver = await startReceiver({ settings: clock!.environment });
    await sendAll(receiver, ['before']);
    await untilNothingWaits(receiver.inbox);
    // Is read after the retention has looked for the first time.
    await ask(receiver.inbox, '/stats');

    clock!.setAhead(40 * DAY);
    await receiver.process.logged('the clock was set forward; nothing expires for an hour');
    await sendAll(receiver, ['after']);
    await untilNothingWaits(receiver.inbox);

    const stored = readInbox(receiver.inbox);
    expect(stored.map(({ content }) => String(content))).toEqual(['before', 'after']);
    const [before, after] = stored.map(({ receivedAt }) => receivedAt);
    expect(after! - before!).toBeGreaterThanOrEqual(40 * DAY * 1_000);
  });

  test('and is right again after a restart: what it has dated into the future alarms, and comes at once', async () => {
    const folder = makeFolder();
    const settings = { ...poisonSettings, ...clock!.environment };
    clock!.setAhead(365 * DAY);
    const ahead = await startReceiver({ folder, settings: { ...settings, HANDLER_BACKOFF_MS: '3600000' } });
    await sendAll(ahead, ['fail once']);
    await ahead.process.logged('attempt 1 of 3 failed; the delivery comes again');
    await ahead.process.stop();
    clock!.setAhead(0);

    const accepting = await startReceiver({ folder, settings: { ...settings, HANDLER_CONCURRENCY: '0' } });
    expect((await ask(accepting.inbox, '/readyz')).content).toContain('in the future');
    await accepting.process.stop();
    const right = await startReceiver({ folder, settings });
    await untilNothingWaits(right.inbox);
    // The log may be read later than the inbox.
    await right.process.logged('attempt', 2);
    expect(right.process.entries('attempt')).toMatchObject([{ attempts: 2 }, { attempts: 3 }]);
    expect(await untilReadiness(right.inbox, 200)).toBe('ok');
  });
});
