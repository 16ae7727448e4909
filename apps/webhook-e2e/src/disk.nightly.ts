import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { compileFlushFaults, type FlushFaults } from '@plant-store/test-support/flush-faults';

import { openConnection } from '../support/connection.js';
import { readInbox } from '../support/inbox.js';
import { delivery, message, POST } from '../support/messages.js';
import { sendAll } from '../support/poison.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const library = compileFlushFaults(makeFolder(afterThisFile));
/** Without Linux or a C compiler, a disk can't be given faults. */
const onLinux = library === undefined ? describe.skip : describe;

const startOnDisk = (faults: FlushFaults, folder = makeFolder()): Promise<RunningReceiver> =>
  startReceiver({ folder, settings: { LD_PRELOAD: library!, ...faults } });

onLinux('on a slow disk', () => {
  const SLOW = { FLUSH_DELAY_MS: '300' };

  test('a request is refused while a delivery waits for its flush', async () => {
    const { port } = await startOnDisk(SLOW);
    const [sender, stranger] = await Promise.all([openConnection(port), openConnection(port)]);
    const order: string[] = [];

    sender.write(delivery());
    const acknowledged = sender.response().then(() => order.push('acknowledged'));
    await new Promise(setImmediate);
    stranger.write(message(POST, []));
    const refused = stranger.response().then(() => order.push('refused'));
    await Promise.all([acknowledged, refused]);

    expect(order).toEqual(['refused', 'acknowledged']);
  });
});

onLinux('after a flush has failed', () => {
  test('nothing is acknowledged before a restart, and the receiver ends with one line and exit code 74', async () => {
    const folder = makeFolder();
    const fault = join(folder, 'fault');
    const receiver = await startOnDisk({ FLUSH_FAILS_IF: fault }, folder);
    await sendAll(receiver, ['before', 'before']);
    const sender = await openConnection(receiver.port);

    writeFileSync(fault, '');
    sender.write(delivery('during') + delivery('during'));

    expect(await sender.response().catch(String)).toBe('Error: No whole response, but "".');
    expect(await receiver.process.exit).toEqual({ code: 74, signal: null });
    expect(receiver.process.entries().at(-1)).toMatchObject({
      level: 'fatal',
      msg: 'the inbox cannot be trusted any more; the receiver ends',
      err: { code: 'INBOX_LOST' },
    });
    rmSync(fault);
    const restarted = await startOnDisk({}, folder);
    await sendAll(restarted, ['after']);
    // What was being flushed may be there all the same.
    const stored = readInbox(restarted.inbox).map(({ content }) => String(content));
    expect(stored.filter((content) => content !== 'during')).toEqual(['before', 'before', 'after']);
  });
});
