import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { readInbox } from '../support/inbox.js';
import { plantInbox } from '../support/plant-inbox.js';
import { sendAll } from '../support/poison.js';
import { inboxOf, spawnReceiver, startReceiver } from '../support/receiver.js';
import { Load, openSender } from '../support/sender.js';

const COUNT = 60;

/** A function that returns true this many times. */
function times(count: number): () => boolean {
  let left = count;
  return () => left-- > 0;
}

/** The folder of an inbox whose receiver was killed, and what was acknowledged. */
async function makeKilled(
  sizes: [least: number, most: number] = [500, 2_000],
): Promise<{ folder: string; load: Load }> {
  const folder = makeFolder();
  const receiver = await startReceiver({ folder });
  const load = new Load();
  await load.send(openSender(receiver), 8, times(COUNT), sizes);
  expect(load.acknowledged.size).toBe(COUNT);
  await receiver.process.kill();
  return { folder, load };
}

const main = (folder: string): string => join(inboxOf(folder), 'inbox.sqlite');
const log = (folder: string): string => join(inboxOf(folder), 'inbox.sqlite-wal');

const halve = (file: string): void => truncateSync(file, statSync(file).size / 2);

/** Moves everything to the database's file. */
function checkpoint(folder: string, sql = ''): void {
  const database = new Database(main(folder));
  database.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}

function damagePage(folder: string, page: number): void {
  const descriptor = openSync(main(folder), 'r+');
  writeSync(descriptor, Buffer.alloc(8_192, 'damage'), 0, 8_192, page * 8_192);
  closeSync(descriptor);
}

describe('at the start', () => {
  test.each<[string, (folder: string) => void, string]>([
    ['a log cut in half', (folder) => halve(log(folder)), 'FILE ends with delivery '],
    ['a missing log', (folder) => rmSync(log(folder)), 'FILE has lost its tables. '],
    ['an empty database', (folder) => truncateSync(main(folder)), 'FILE is empty. '],
    [
      'a damaged first page',
      (folder) => {
        checkpoint(folder);
        damagePage(folder, 0);
      },
      'FILE: file is not a database. ',
    ],
    [
      'an empty table "progress"',
      (folder) => checkpoint(folder, 'DELETE FROM progress'),
      'the table "progress" of FILE ',
    ],
  ])('%s is one line, exit code 1, and no change of the files', async (_name, damage, says) => {
    const { folder } = await makeKilled();
    damage(folder);
    const bytesOf = (): string[] =>
      [main(folder), log(folder)].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''));
    const before = bytesOf();

    const receiver = spawnReceiver({ folder });

    expect(await receiver.exit).toEqual({ code: 1, signal: null });
    const start = `The inbox in ${inboxOf(folder)} is damaged: ${says.replace('FILE', main(folder))}`;
    expect(receiver.stderr.slice(0, start.length)).toBe(start);
    expect(receiver.stderr.indexOf('[INBOX_DAMAGED]\n')).toBe(receiver.stderr.length - 16);
    expect(receiver.stderr.split('\n')).toHaveLength(2);
    expect(receiver.stdout).toBe('');
    expect(bytesOf().map((bytes, file) => bytes === before[file])).toEqual([true, true]);
  });

  test('a backup in the folder of a later inbox is refused, and taken in a folder of its own', async () => {
    const { folder } = await makeKilled();
    const backup = join(makeFolder(), 'backup.sqlite');
    checkpoint(folder, `VACUUM INTO '${backup}'`);
    const later = await startReceiver({ folder });
    await new Load().send(openSender(later), 1, times(1));
    await later.process.stop();

    cpSync(backup, main(folder));
    const refused = spawnReceiver({ folder });
    expect(await refused.exit).toEqual({ code: 1, signal: null });
    expect(refused.stderr).toContain(`ends with delivery ${COUNT}, but ${COUNT + 1} was acknowledged`);

    const own = makeFolder();
    mkdirSync(inboxOf(own));
    cpSync(backup, main(own));
    expect(readInbox((await startReceiver({ folder: own })).inbox)).toHaveLength(COUNT);
  });
});

describe('while the receiver runs', () => {
  /** Damages the page of a delivery that was handled, before the receiver starts. */
  async function makeDamaged(): Promise<string> {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder });
    await sendAll(
      receiver,
      Array.from({ length: 9 }, (_, index) => `content ${index + 1} `.repeat(300)),
    );
    await receiver.process.stop();
    damagePage(folder, Math.floor(readFileSync(main(folder)).indexOf('content 5 ') / 8_192));
    return folder;
  }

  test('damage that is found ends it with one line and exit code 65', async () => {
    const folder = await makeDamaged();
    const receiver = await startReceiver({ folder });

    expect(await plantInbox('export', '--inbox', receiver.inbox)).toMatchObject({ code: 1 });

    expect(await receiver.process.exit).toEqual({ code: 65, signal: null });
    const [line] = receiver.process.entries(
      'the inbox is damaged; the receiver ends. Look with "plant-inbox check", and restore a backup',
    );
    expect(line).toMatchObject({ level: 'fatal', err: { code: 'INBOX_DAMAGED' } });
    expect(receiver.process.stderr).toBe('');
  });

  test('the commands say so, with exit code 1', async () => {
    const folder = await makeDamaged();

    for (const args of [['check'], ['export'], ['show', '5'], ['backup', join(folder, 'copy')]])
      expect(await plantInbox(...args, '--inbox', inboxOf(folder))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^plant-inbox: The inbox in .* is damaged: .* \[INBOX_DAMAGED\]\n$/),
      });
    expect(existsSync(join(folder, 'copy'))).toBe(false);
  });
});
