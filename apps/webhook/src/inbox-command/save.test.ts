import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import type { ExportedDelivery } from '../inbox/inbox-operations.js';
import { HANDLED, openEmbedded, PARKED } from '../../test/open-inbox.js';
import { plantInbox, plantInboxIn } from '../../test/run-plant-inbox.js';
import { type Kept, runningInbox, stoppedInbox } from '../../test/serve-inbox.js';

const DELIVERY = { state: 'waiting', method: 'POST', mediaType: null, contentEncoding: null, eventId: null };

/** A line of an export. */
const lineOf = (content: string, given: object = {}): string =>
  `${JSON.stringify({ ...DELIVERY, ...given, content: Buffer.from(content).toString('base64') })}\n`;

/** What a stopped inbox has. */
async function readAll(folder: string): Promise<readonly ExportedDelivery[]> {
  const inbox = await openEmbedded(folder);
  const { deliveries } = await inbox.operations.read({ filter: {}, after: 0, limit: 10_000 });
  await inbox.close();
  return deliveries;
}

/** State and content of each delivery in a stopped inbox. */
const keptIn = async (folder: string): Promise<[string, string][]> =>
  (await readAll(folder)).map(({ state, content }) => [state, Buffer.from(content).toString()]);

/** The key of each delivery in a stopped inbox. */
const keysIn = async (folder: string): Promise<string[]> => (await readAll(folder)).map(({ key }) => key);

test('export writes a file that import takes', async () => {
  const kept: Kept[] = [
    ['content 1', HANDLED],
    ['content 2', PARKED],
    ['content 3', PARKED],
  ];
  const { folder: inbox } = await runningInbox(kept);
  const folder = makeFolder();
  const file = join(folder, 'saved');

  expect(await plantInbox('export', file, '--state', 'parked', '--inbox', inbox)).toEqual({
    code: 0,
    stdout: '',
    stderr: '2 deliveries exported.\n',
  });
  const saved = readFileSync(file, 'utf8');
  expect(await plantInbox('export', '--id', '2..9', '--inbox', inbox)).toMatchObject({ stdout: saved });

  const next = join(folder, 'next');
  expect(await plantInbox('import', file, '--inbox', next)).toMatchObject({ code: 0 });
  expect(await keptIn(next)).toEqual([
    ['waiting', 'content 2'],
    ['waiting', 'content 3'],
  ]);
});

test('export does not overwrite a file', async () => {
  const file = join(makeFolder(), 'saved');
  writeFileSync(file, 'arbitrary');

  expect(await plantInbox('export', file, '--inbox', await stoppedInbox([]))).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: ${file} exists already. Name a new file.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('arbitrary');
});

test.each<[string, (folder: string) => string[], RegExp]>([
  [
    'no folder',
    (folder) => ['export', join(folder, 'none/file')],
    /none\/file can't be used: no such file or directory\.\n$/,
  ],
  [
    'no file',
    (folder) => ['import', join(folder, 'none')],
    /none can't be used: no such file or directory\.\n$/,
  ],
  [
    'no folder for a backup',
    (folder) => {
      writeFileSync(join(folder, 'file'), '');
      return ['backup', join(folder, 'file/copy')];
    },
    /file\/copy\.partial can't be used: not a directory\.\n$/,
  ],
  ['a folder', (folder) => ['import', folder], / is a folder\. Name a file\.\n$/],
])('what the system says of a file is said in words: %s', async (_name, argsIn, says) => {
  const folder = makeFolder();

  const result = await plantInbox(...argsIn(folder), '--inbox', await stoppedInbox([]));
  expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(says) as string });
});

describe('on a terminal, with more deliveries than a batch has', () => {
  const COUNT = 1_200;

  async function importMany(): Promise<string> {
    const folder = makeFolder();
    writeFileSync(join(folder, 'lines'), lineOf('content').repeat(COUNT));
    const inbox = join(folder, 'inbox');
    expect(await plantInbox('import', join(folder, 'lines'), '--inbox', inbox)).toMatchObject({ code: 0 });
    return inbox;
  }

  test('export shows how far it has come, and clears that at its end', async () => {
    const args = ['export', join(makeFolder(), 'exported'), '--inbox', await importMany()];

    const { stderr } = (await plantInboxIn({ columns: 80 }, ...args)).result;

    expect(stderr).toBe(
      [500, 1_000, COUNT]
        .map((count) => `\r\u001b[KExporting: ${count.toLocaleString('en-US')} deliveries`)
        .join('') + '\r\u001b[K1,200 deliveries exported.\n',
    );
  });

  test('Ctrl-C stops it between two batches, and it says how to go on', async () => {
    const file = join(makeFolder(), 'partial');

    const { result } = await plantInboxIn(
      { columns: 80, onWrite: (text, interrupt) => text.includes('Exporting: 500') && interrupt() },
      ...['export', file, '--inbox', await importMany()],
    );

    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: `\r\u001b[KExporting: 500 deliveries\r\u001b[K500 deliveries exported. To go on, add --id 501..1200.\n${file} is partial.\nplant-inbox: Interrupted.\n`,
    });
  });
});

describe('import', () => {
  test('leaves out what is handled unless it is asked, what is discarded, and an event that comes twice', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    const lines = [
      lineOf('handled', { state: 'handled' }),
      lineOf('waiting', { eventId: 'one' }),
      lineOf('parked', { state: 'parked' }),
      lineOf('discarded', { state: 'discarded' }),
      lineOf('again', { eventId: 'one' }),
    ];
    writeFileSync(file, lines.join(''));

    expect(await plantInbox('import', file, '--inbox', join(folder, 'inbox'))).toEqual({
      code: 0,
      stdout: '',
      stderr: '2 deliveries imported, 2 handled or discarded left out.\n',
    });
    expect(await plantInbox('import', file, '--handled', '--inbox', join(folder, 'next'))).toMatchObject({
      stderr: '3 deliveries imported, 1 handled or discarded left out.\n',
    });
    expect(await keptIn(join(folder, 'inbox'))).toEqual([
      ['waiting', 'waiting'],
      ['waiting', 'parked'],
    ]);
  });

  test('keeps the keys, also those of a delivery that comes twice, and draws those that an earlier version has not exported', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    const inbox = await stoppedInbox([['one'], ['two']]);
    const keys = await keysIn(inbox);
    await plantInbox('export', file, '--inbox', inbox);
    const lines = readFileSync(file, 'utf8');
    writeFileSync(file, `${lines}${lines}${lineOf('without a key')}${lineOf('without a key')}`);

    expect(await plantInbox('import', file, '--inbox', join(folder, 'next'))).toMatchObject({ code: 0 });

    const imported = await keysIn(join(folder, 'next'));
    expect(imported.slice(0, 4)).toEqual([...keys, ...keys]);
    expect(new Set(imported).size).toBe(4);
  });

  test('refuses a key that is none', async () => {
    const file = join(makeFolder(), 'lines');
    writeFileSync(file, lineOf('content', { key: '1' }));

    expect(await plantInbox('import', file, '--inbox', join(makeFolder(), 'new'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Line 1 is no exported delivery: key is missing or wrong.') as string,
    });
  });

  test('reads standard input without a file', async () => {
    const inbox = join(makeFolder(), 'inbox');

    const { result } = await plantInboxIn({ stdin: lineOf('content') }, 'import', '--inbox', inbox);

    expect(result.stderr).toBe('1 delivery imported, 0 handled or discarded left out.\n');
    expect(await keptIn(inbox)).toEqual([['waiting', 'content']]);
  });

  test('refuses an inbox with deliveries, and names the line that is wrong', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    writeFileSync(file, 'no JSON\n');

    expect(await plantInbox('import', file, '--inbox', await stoppedInbox([['content']]))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^plant-inbox: .*inbox\.sqlite has deliveries\. Import into a new inbox: .*\n$/,
      ) as string,
    });
    expect(await plantInbox('import', file, '--inbox', join(folder, 'new'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plant-inbox: Line 1 is no exported delivery: .*\n$/) as string,
    });
  });
});

test('backup copies the inbox of a receiver into a new file, and check finds no damage in either', async () => {
  const { folder: inbox } = await runningInbox([['content', HANDLED]]);
  const restored = join(makeFolder(), 'restored');
  const copy = join(makeFolder(), 'copy');

  const result = await plantInbox('backup', copy, '--inbox', inbox);

  expect({ ...result, stdout: result.stdout.replace(/(?<![\d,])[\d,]+(?= bytes)/, 'SIZE') }).toEqual({
    code: 0,
    stdout: `The inbox is copied to ${copy}: SIZE bytes.\n`,
    stderr: '',
  });
  expect(await plantInbox('backup', copy, '--inbox', inbox)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: ${copy} exists already. Name a new file.\n`,
  });
  mkdirSync(restored);
  renameSync(copy, join(restored, 'inbox.sqlite'));
  for (const checked of [inbox, restored])
    expect(await plantInbox('check', '--inbox', checked)).toEqual({
      code: 0,
      stdout: 'No damage was found.\n',
      stderr: '',
    });
  expect(await keptIn(restored)).toEqual([['handled', 'content']]);
  expect(existsSync(copy)).toBe(false);
});
