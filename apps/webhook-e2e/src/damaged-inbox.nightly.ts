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
  writeFileSync,
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

describe('plant-inbox import', () => {
  test('leaves out handled deliveries unless it is asked, and discarded ones always', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    const line = (state: string): string =>
      JSON.stringify({
        id: 1,
        state,
        method: 'POST',
        mediaType: null,
        contentEncoding: null,
        eventId: null,
        content: Buffer.from(state).toString('base64'),
      });
    const states = ['handled', 'waiting', 'parked', 'discarded'];
    writeFileSync(file, states.map(line).join('\n'));

    expect(await plantInbox('import', file, '--inbox', join(folder, 'inbox'))).toEqual({
      code: 0,
      stdout: '',
      stderr: 'deliveries stored: 2; handled or discarded ones left out: 2.\n',
    });

    const rows = readInbox(join(folder, 'inbox'));
    expect(rows.map(({ id, state, content }) => [id, state, content.toString()])).toEqual([
      [1, 'waiting', 'waiting'],
      [2, 'waiting', 'parked'],
    ]);
  });

  test.each<[string, string[], string]>([
    ['a folder that is not empty', ['import', '--inbox', 'FOLDER'], 'FOLDER is not empty'],
    [
      'a file that does not exist',
      ['import', 'FOLDER/none', '--inbox', 'FOLDER/new'],
      "FOLDER/none can't be read: there is no such file.",
    ],
    [
      'lines that are none',
      ['import', 'FOLDER/lines', '--inbox', 'FOLDER/new'],
      'line 1 is not an exported delivery',
    ],
  ])('refuses %s', async (_name, args, says) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'lines'), 'no JSON\n');
    mkdirSync(join(folder, 'inbox'));
    writeFileSync(join(folder, 'inbox', 'inbox.sqlite'), '');
    const fill = (text: string): string => text.replace('FOLDER', folder);

    const result = await plantInbox(...args.map(fill));

    expect(result.stderr).toContain(`plant-inbox: ${fill(says)}`);
    expect(result.code).toBe(1);
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });

  test('exports through SQLite what it can, and names the rest', async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder });
    await sendAll(
      receiver,
      Array.from({ length: 9 }, (_, index) => `content ${index + 1} `.repeat(300)),
    );
    await receiver.process.stop();
    damagePage(folder, Math.floor(readFileSync(main(folder)).indexOf('content 5 ') / 8_192));

    const { code, stdout, stderr } = await plantInbox('export', '--inbox', inboxOf(folder));

    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    const missing = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((id) => !ids.includes(id));
    expect(missing).toContain(5);
    expect(ids.length).toBeGreaterThan(0);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `${ids.length} deliveries exported.\n` +
        `${missing.length} deliveries left out, which can't be read because the inbox is damaged: ${missing.join(', ')}. Stop the receiver and restore a backup.\n`,
    });
    expect(await plantInbox('show', '5', '--inbox', inboxOf(folder))).toMatchObject({
      code: 1,
      stderr:
        "Delivery 5 can't be read, because the inbox is damaged. Stop the receiver and restore a backup.\n",
    });
  });
});
