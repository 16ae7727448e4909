import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { sendAll } from '../support/poison.js';
import { spawnReceiver, startReceiver } from '../support/receiver.js';

/** Overwrites the page with a content, while the receiver is stopped. */
function damage(inbox: string, content: string): void {
  const file = join(inbox, 'inbox.sqlite');
  const bytes = readFileSync(file);
  const start = bytes.indexOf(content);
  bytes.fill('damage', start - (start % 8_192), start - (start % 8_192) + 8_192);
  writeFileSync(file, bytes);
}

test('when the database is removed, the receiver ends with one line and exit code 74', async () => {
  const { process, inbox } = await startReceiver();
  rmSync(join(inbox, 'inbox.sqlite'));

  expect(await process.exit).toEqual({ code: 74, signal: null });
  const lines = process.entries('the inbox cannot be trusted any more; the receiver ends');
  expect(lines).toMatchObject([{ level: 'fatal', err: { code: 'INBOX_LOST' } }]);
  expect((lines[0]!['err'] as Error).message).toContain('/inbox.sqlite was removed');
  expect(process.stderr).toBe('');
});

test('when a damaged page is read, the receiver ends with one line and exit code 65', async () => {
  const folder = makeFolder();
  const settings = { HANDLER_CONCURRENCY: '0' };
  const first = await startReceiver({ folder, settings });
  await sendAll(
    first,
    Array.from({ length: 9 }, (_, index) => `content ${index} `.repeat(300)),
  );
  await first.process.stop();
  damage(first.inbox, 'content 5 ');

  // The handler may read it before the receiver listens.
  const process = spawnReceiver({ folder });

  expect(await process.exit).toEqual({ code: 65, signal: null });
  const lines = process.entries('the inbox cannot be trusted any more; the receiver ends');
  expect(lines).toMatchObject([{ level: 'fatal', err: { code: 'INBOX_DAMAGED' } }]);
});
