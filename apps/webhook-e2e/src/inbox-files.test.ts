import { statSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { keepReading, readInbox } from '../support/inbox.js';
import { buildNextVersion, VERSION } from '../support/next-version.js';
import { ask } from '../support/operations.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { startReceiver } from '../support/receiver.js';

const MEBIBYTE = 1_048_576;

test('the write-ahead log shrinks again after somebody has read while much was written', async () => {
  const receiver = await startReceiver();
  const sizeOfLog = (): number => statSync(join(receiver.inbox, 'inbox.sqlite-wal')).size;
  const large = 'a'.repeat(MEBIBYTE - 1);
  const stopReading = keepReading(receiver.inbox);
  while (sizeOfLog() < 40 * MEBIBYTE) await sendAll(receiver, Array<string>(8).fill(large));
  stopReading();

  while (sizeOfLog() > 20 * MEBIBYTE) await sendAll(receiver, ['small']);
});

test('a receiver handles what an inbox of an earlier version has, and keeps a backup of it', async () => {
  const folder = makeFolder();
  const earlier = await startReceiver({ folder });
  await ask(earlier.inbox, '/handler/pause', 'POST');
  await sendAll(earlier, ['first', 'second']);
  await earlier.process.stop();

  const { inbox } = await startReceiver({ folder, main: buildNextVersion() });
  await ask(inbox, '/handler/resume', 'POST');
  await untilNothingWaits(inbox);

  expect(readInbox(inbox).map(({ state, attempts }) => [state, attempts])).toEqual([
    ['handled', 1],
    ['handled', 1],
  ]);
  const copy = new DatabaseSync(join(inbox, `inbox.sqlite.version-${VERSION}`), { readOnly: true });
  expect(copy.prepare('SELECT state FROM delivery').all()).toMatchObject([
    { state: 'waiting' },
    { state: 'waiting' },
  ]);
  copy.close();
});
