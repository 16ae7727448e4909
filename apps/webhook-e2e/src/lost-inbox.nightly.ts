import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { readInbox } from '../support/inbox.js';
import { plantInbox } from '../support/plant-inbox.js';
import { sendAll } from '../support/poison.js';
import { inboxOf, spawnReceiver, startReceiver } from '../support/receiver.js';

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

const paused = { HANDLER_CONCURRENCY: '0' };

async function expectRefusal(folder: string): Promise<void> {
  const process = spawnReceiver({ folder, settings: paused });
  expect(await process.exit).toEqual({ code: 1, signal: null });
  expect(process.stderr).toMatch(/inbox\.sqlite was removed or replaced: .*INBOX_UNUSABLE/);
}

test('a copy that is written over the database of a running receiver stays as it is, and is used once the log is deleted', async () => {
  const folder = makeFolder();
  const first = await startReceiver({ folder, settings: paused });
  const database = join(first.inbox, 'inbox.sqlite');
  await sendAll(first, ['before']);
  const copy = join(makeFolder(), 'copy');
  expect(await plantInbox('backup', copy, '--inbox', first.inbox)).toMatchObject({ code: 0 });
  await sendAll(first, ['after']);
  cpSync(copy, database);

  expect(await first.process.exit).toEqual({ code: 74, signal: null });
  await expectRefusal(folder);
  expect(readFileSync(database).equals(readFileSync(copy))).toBe(true);

  for (const name of ['-wal', '-shm']) rmSync(`${database}${name}`);
  const { inbox } = await startReceiver({ folder, settings: paused });
  expect(readInbox(inbox).map(({ content }) => String(content))).toEqual(['before']);
});

test('a copy that takes the place of the database after a crash is refused, and the whole folder in another place is not', async () => {
  const folder = makeFolder();
  const { inbox, process, ...first } = await startReceiver({ folder, settings: paused });
  await sendAll({ inbox, process, ...first }, ['first']);
  const database = join(inbox, 'inbox.sqlite');
  // In this run, and without what is in the log: nothing but the file itself tells it from the database.
  cpSync(database, `${database}.copy`);
  await sendAll({ inbox, process, ...first }, ['second']);
  await process.kill();
  const elsewhere = makeFolder();
  cpSync(inbox, inboxOf(elsewhere), { recursive: true, filter: (file) => !file.endsWith('.sock') });
  renameSync(`${database}.copy`, database);

  await expectRefusal(folder);
  await startReceiver({ folder: elsewhere, settings: paused });
  expect(readInbox(inboxOf(elsewhere))).toHaveLength(2);
});

test('a handler that copies the database in the receiver loses nothing that was acknowledged', async () => {
  const folder = makeFolder();
  const handler = join(makeFolder(), 'copying-handler.mjs');
  const database = join(inboxOf(folder), 'inbox.sqlite');
  const copy = join(makeFolder(), 'copy');
  writeFileSync(
    handler,
    `import { copyFile } from 'node:fs/promises';
    export default class { handle() { return copyFile(${JSON.stringify(database)}, ${JSON.stringify(copy)}); } }`,
  );
  const receiver = await startReceiver({ folder, settings: { HANDLER: handler } });
  let acknowledged = 0;
  const over = new AbortController();
  const ended = receiver.process.exit.finally(() => over.abort());
  while (!over.signal.aborted) {
    await sendAll(receiver, ['arbitrary']).then(
      () => (acknowledged += 1),
      () => undefined,
    );
    // Without the locks of the receiver, this one takes itself for the last one, and deletes the log.
    const outside = new DatabaseSync(database);
    outside.exec('SELECT 1 FROM inbox_state');
    outside.close();
  }

  expect(await ended).toEqual({ code: 74, signal: null });
  const [line] = receiver.process.entries('the inbox cannot be trusted any more; the receiver ends');
  expect((line!['err'] as Error).message).toMatch(/something in this process has opened and closed/);
  expect(readInbox(receiver.inbox).length).toBeGreaterThanOrEqual(acknowledged);
});
