import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { keepReading, readInbox } from '../support/inbox.js';
import { ask } from '../support/operations.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { inboxOf, startReceiver } from '../support/receiver.js';

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
  mkdirSync(inboxOf(folder));
  const database = new DatabaseSync(join(inboxOf(folder), 'inbox.sqlite'));
  database.exec(readFileSync(new URL('../../webhook/test/earlier/sqlite-6.sql', import.meta.url), 'utf8'));
  database.close();

  const FOR_EVER = String(Number.MAX_SAFE_INTEGER);
  const settings = { RETENTION_MS: FOR_EVER, EVENT_RETENTION_MS: FOR_EVER };
  const { inbox } = await startReceiver({ folder, settings });
  expect(existsSync(join(inbox, 'inbox.sqlite.version-6'))).toBe(true);
  await ask(inbox, '/handler/resume', 'POST');
  await untilNothingWaits(inbox);

  expect(readInbox(inbox).map(({ state, attempts }) => [state, attempts])).toEqual([
    ...[
      ['handled', 2],
      ['handled', 1],
      ['handled', 3],
      ['handled', 2],
      ['handled', 4],
    ],
    ...[
      ['parked', 12],
      ['discarded', 1],
      ['handled', 1],
      ['handled', 1],
      ['handled', 3],
    ],
  ]);
});
