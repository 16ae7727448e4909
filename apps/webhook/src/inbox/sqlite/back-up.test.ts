import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { copyInbox } from '../../../test/copy-inbox.js';
import { Claims, incoming, openEmbedded } from '../../../test/open-inbox.js';
import type { Inbox } from '../inbox.js';
import { backUp, requireUndamaged } from './back-up.js';

const withCode = (code: string): Error => expect.objectContaining({ code }) as Error;

/** Puts a copy into a folder of its own, and opens it. */
function restore(copy: string): Promise<Inbox> {
  const folder = join(makeFolder(), 'restored');
  mkdirSync(folder);
  renameSync(copy, join(folder, 'inbox.sqlite'));
  return openEmbedded(folder);
}

async function contentsOf(inbox: Inbox): Promise<string[]> {
  const { deliveries } = await inbox.operations.read({ filter: {}, after: 0, limit: 1_000 });
  return deliveries.map(({ content }) => Buffer.from(content).toString());
}

test('an inbox that a crash has left is copied with its log', async () => {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  for (let count = 0; count < 10; count += 1) await inbox.accept(incoming('arbitrary'));
  const crashed = copyInbox(folder);
  const copy = join(makeFolder(), 'copy');

  const bytes = backUp(crashed, copy);

  expect(statSync(copy)).toMatchObject({ size: bytes });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(await contentsOf(await restore(copy))).toHaveLength(10);
});

test('a restored inbox gives ids again, and no key', async () => {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  const claims = Claims.begin(inbox);
  const copy = join(makeFolder(), 'copy');
  await inbox.accept(incoming('before'));
  const [kept] = await claims.claim();
  backUp(folder, copy);
  await inbox.accept(incoming('lost'));
  const [lost] = await claims.claim();

  const restored = await restore(copy);
  const restoredClaims = Claims.begin(restored);
  await restored.accept(incoming('after'));

  const [again, next] = await restoredClaims.claim();
  expect(again).toMatchObject({ id: 1, key: kept!.key });
  expect(next).toMatchObject({ id: lost!.id, key: expect.not.stringMatching(lost!.key) as string });
});

test('a file that exists stays as it is', async () => {
  const folder = makeFolder();
  await (await openEmbedded(folder)).accept(incoming('arbitrary'));
  const copies = makeFolder();
  writeFileSync(join(copies, 'copy'), '');

  expect(() => backUp(folder, join(copies, 'copy'))).toThrow(withCode('EEXIST'));

  expect(readdirSync(copies)).toEqual(['copy']);
  expect(statSync(join(copies, 'copy')).size).toBe(0);
});

test('what a copy that was killed has left is removed', async () => {
  const folder = makeFolder();
  await (await openEmbedded(folder)).accept(incoming('arbitrary'));
  const copies = makeFolder();
  for (const name of ['copy.partial', 'copy.partial-journal'])
    writeFileSync(join(copies, name), 'a part of a copy');

  backUp(folder, join(copies, 'copy'));

  expect(readdirSync(copies)).toEqual(['copy']);
});

test.each([
  { what: 'some', where: 'id > 90', says: 'row 91 missing from index delivery_due' },
  { what: 'all', where: 'true', says: 'row 1 missing from index delivery_due' },
])(
  'an index that lacks $what rows is found: the message says how to make it again, which mends it',
  async ({ where, says }) => {
    const folder = makeFolder();
    const inbox = await openEmbedded(folder);
    await Promise.all(Array.from({ length: 100 }, () => inbox.accept(incoming('arbitrary'))));
    await inbox.close();
    const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
    afterThisTest(() => database.close());
    // The index is kept from the change.
    const [index] = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'delivery_due'").all();
    const edit = (statement: string): void => {
      database.enableDefensive(false);
      database.exec(`PRAGMA writable_schema = ON; ${statement}; PRAGMA writable_schema = RESET`);
    };
    const { sql } = index as { sql: string };
    edit(`UPDATE sqlite_schema SET sql = sql || ' AND NOT (${where})' WHERE name = 'delivery_due'`);
    database.exec('REINDEX');
    edit(`UPDATE sqlite_schema SET sql = '${sql}' WHERE name = 'delivery_due'`);

    expect(() => requireUndamaged(folder)).toThrow(
      `An index of ${join(folder, 'inbox.sqlite')} is damaged, and no delivery: ${says}. Stop the receiver, run: sqlite3 '${join(folder, 'inbox.sqlite')}' REINDEX, and check again.`,
    );
    database.exec('REINDEX');
    requireUndamaged(folder);
  },
);

test('damage is found, and there is no copy', async () => {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  await Promise.all(Array.from({ length: 2_000 }, () => inbox.accept(incoming('arbitrary '.repeat(50)))));
  await inbox.close();
  requireUndamaged(folder);
  const file = join(folder, 'inbox.sqlite');
  const copy = join(makeFolder(), 'copy');
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(200_000, 0xff), 0, 200_000, 400_000);
  closeSync(descriptor);

  expect(() => requireUndamaged(folder)).toThrow(withCode('INBOX_DAMAGED'));
  expect(() => backUp(folder, copy)).toThrow(withCode('INBOX_DAMAGED'));

  expect(existsSync(copy)).toBe(false);
});
