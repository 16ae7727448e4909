import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { PLANT_INBOX, plantInbox, type Result } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { inboxOf, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

/** Deliveries 1 to 5. What fails is parked after three attempts. */
const CONTENTS = ['handled', '\u001b[2Jhandled', 'handled\u00ff', 'throw an error 1', 'throw an error 2'];

/** The JSON objects of an output, one a line. */
const linesOf = ({ stdout }: Result): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const HEAD = {
  eventId: null,
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  receivedAt: TIME,
  dueAt: null,
  reason: null,
};

const PARKED_ERROR = expect.stringMatching(/^TypeError: thrown on purpose/);

let folder: string;
let stopped: string;
const inbox = (...[command = '', ...args]: string[]): Promise<Result> =>
  plantInbox(command, '--inbox', inboxOf(folder), ...args);

beforeAll(async () => {
  folder = makeFolder(afterThisFile);
  const first = await startReceiver({ folder, settings: poisonSettings });
  for (const content of CONTENTS) await sendAll(first, [content]);
  await untilNothingWaits(first.inbox);
  await first.process.stop();
  stopped = join(folder, 'stopped');
  cpSync(inboxOf(folder), stopped, { recursive: true });
  await startReceiver({ folder, settings: poisonSettings, cleanUp: afterThisFile });
});

test('list shows the newest first', async () => {
  const { code, stdout, stderr } = await inbox('list');

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')).toMatch(
    new RegExp(
      [
        '^ID  STATE    RECEIVED +BYTES  FAILURES  ERROR OR REASON',
        ' 5  parked   TIME +16 +3  TypeError: thrown on purpose.*',
        ' 4  parked   TIME +16 +3  TypeError: thrown on purpose.*',
        ' 3  handled  TIME +8 +0',
        ' 2  handled  TIME +11 +0',
        ' 1  handled  TIME +7 +0\n$',
      ].join('\n'),
    ),
  );
});

test.each([
  [
    ['--state', 'parked'],
    [5, 4],
  ],
  [
    ['--id', '2..4'],
    [4, 3, 2],
  ],
  [['--id', '3'], [3]],
  [
    ['--since', '1h'],
    [5, 4, 3, 2, 1],
  ],
  [['--before', '1h'], []],
  [
    ['--limit', '2', '--after', '4'],
    [3, 2],
  ],
  [['--state', 'handled', '--limit', '1'], [3]],
])('list %j lists %j', async (options, ids) => {
  const result = await inbox('list', '--json', ...options);

  expect(result.code).toBe(0);
  expect(linesOf(result).map(({ id }) => id)).toEqual(ids);
});

test('list says how to get the next page', async () => {
  expect((await inbox('list', '--limit', '2')).stderr).toBe('There are more: --after 4 lists them.\n');
  expect(await inbox('list', '--after', '1')).toEqual({ code: 0, stdout: '', stderr: 'No deliveries.\n' });
});

test('list --json has everything but what was sent', async () => {
  expect(linesOf(await inbox('list', '--json', '--id', '4..5'))).toEqual([
    { ...HEAD, id: 5, state: 'parked', failures: 3, error: PARKED_ERROR, bytes: 16 },
    { ...HEAD, id: 4, state: 'parked', failures: 3, error: PARKED_ERROR, bytes: 16 },
  ]);
});

test('show has the head without credentials, and the content as text without control characters', async () => {
  const { code, stdout } = await inbox('show', '2');

  expect(code).toBe(0);
  expect(stdout.replace(/received .*/, 'received  TIME')).toBe(
    [
      'id        2',
      'state     handled',
      'received  TIME',
      'failures  0',
      'method    POST',
      'content   11 bytes',
      '',
      'Host:            localhost',
      'Content-Length:  11',
      '',
      '\\u001b[2Jhandled',
      '',
    ].join('\n'),
  );
});

test.each([
  [['show', '3'], '00000000  68 61 6e 64 6c 65 64 ff                          handled.\n'],
  [['show', '1', '--hex'], '00000000  68 61 6e 64 6c 65 64                             handled\n'],
  [['show', '3', '--text'], 'handled\ufffd\n'],
])('%j shows the content so', async ([command, ...args], shown) => {
  const { stdout } = await inbox(command!, ...args);

  expect(stdout.slice(stdout.lastIndexOf('\n\n') + 2)).toBe(shown);
});

test('show --raw writes the bytes, and --json has them in base64', async () => {
  const file = join(folder, 'bytes');
  spawnSync('/bin/sh', [
    '-c',
    `"$0" "$@" > "${file}"`,
    process.execPath,
    PLANT_INBOX,
    'show',
    '3',
    '--raw',
    '--inbox',
    inboxOf(folder),
  ]);

  expect(readFileSync(file, 'latin1')).toBe('handled\u00ff');
  expect(linesOf(await inbox('show', '3', '--json'))).toEqual([
    {
      ...HEAD,
      id: 3,
      state: 'handled',
      failures: 0,
      error: null,
      bytes: 8,
      fields: [
        ['Host', 'localhost'],
        ['Content-Length', '8'],
      ],
      content: Buffer.from('handled\u00ff', 'latin1').toString('base64'),
    },
  ]);
});

test('stats', async () => {
  expect((await inbox('stats')).stdout).toMatch(
    new RegExp(
      [
        '^receiver   running',
        'handler    not paused',
        'waiting    0',
        'handled    3',
        'parked     2',
        'discarded  0',
        'on disk    [\\d,]+ bytes\n$',
      ].join('\n'),
    ),
  );
  expect(linesOf(await inbox('stats', '--json'))).toEqual([
    {
      waiting: 0,
      handled: 3,
      parked: 2,
      discarded: 0,
      oldestWaitingAt: null,
      bytes: expect.any(Number),
      isPaused: false,
    },
  ]);
});

test('export writes a file that import takes', async () => {
  const file = join(folder, 'saved');

  expect(await inbox('export', file, '--state', 'parked')).toEqual({
    code: 0,
    stdout: '',
    stderr: '2 deliveries exported.\n',
  });
  expect(readFileSync(file, 'utf8')).toBe((await inbox('export', '--id', '4..9')).stdout);

  const next = join(folder, 'next');
  expect(await plantInbox('import', file, '--inbox', next)).toMatchObject({ code: 0 });
  const imported = linesOf(await plantInbox('export', '--inbox', next));
  expect(
    imported.map(({ state: now, content }) => [now, Buffer.from(content as string, 'base64').toString()]),
  ).toEqual([
    ['waiting', 'throw an error 1'],
    ['waiting', 'throw an error 2'],
  ]);
  expect(imported.map(({ fields }) => fields)).toEqual(
    linesOf(await inbox('export', '--id', '4..9')).map(({ fields }) => fields),
  );
});

test('import counts an event that comes twice once', async () => {
  const file = join(makeFolder(), 'events');
  const line = { state: 'waiting', method: 'POST', mediaType: null, contentEncoding: null, content: '' };
  const lines = ['one', 'two', 'one'].map((eventId) => JSON.stringify({ ...line, eventId }));
  writeFileSync(file, `${lines.join('\n')}\n`);

  expect(await plantInbox('import', file, '--inbox', join(makeFolder(), 'next'))).toEqual({
    code: 0,
    stdout: '',
    stderr: 'deliveries stored: 2; handled or discarded ones left out: 0.\n',
  });
});

test('a stopped inbox shows and does the same as one whose receiver runs', async () => {
  const pages: Result[] = [];
  for (const command of [
    ['list', '--json'],
    ['show', '3'],
    ['export', '--state', 'handled'],
    ['pause'],
    ['replay', '--all-parked', '--since', '1h', '--json'],
    ['replay', '--all-parked'],
    ['replay', '--state', 'handled', '--id', '2..3', '--yes'],
    ['replay', '1', '1', '4', '77'],
    ['list', '--state', 'waiting', '--limit', '2'],
    ['stats', '--json'],
  ]) {
    const results = await Promise.all([inbox(...command), plantInbox(...command, '--inbox', stopped)]);
    const [running, offline] = results.map((result) => ({
      ...result,
      stdout: result.stdout.replace(/"bytes":\d{5,}/, '"bytes":0'),
    }));
    expect([command, offline]).toEqual([command, running]);
    pages.push(running!);
  }

  expect(pages.slice(4, 8)).toEqual([
    { code: 0, stdout: '{"replayed":2,"left":[]}\n', stderr: 'Replaying 2 parked deliveries.\n' },
    { code: 0, stdout: '0 deliveries replayed.\n', stderr: '' },
    { code: 0, stdout: '2 deliveries replayed.\n', stderr: 'Replaying 2 handled deliveries.\n' },
    {
      code: 1,
      stdout: '1 delivery replayed.\n',
      stderr:
        'Delivery 4 was not replayed: the handler has it, or gets it next.\nDelivery 77 was not replayed: there is none.\n',
    },
  ]);
  expect(linesOf(pages[9]!)).toMatchObject([{ waiting: 5, handled: 0, parked: 0, isPaused: true }]);
  expect((await plantInbox('stats', '--inbox', stopped)).stdout).toMatch(
    /^receiver {3}stopped\nhandler {4}paused\n/,
  );
});

test('after resume, the handler gets what was replayed', async () => {
  await inbox('resume');
  await untilNothingWaits(inboxOf(folder));

  expect(linesOf(await inbox('list', '--json', '--id', '4'))).toMatchObject([
    { state: 'parked', failures: 3 },
  ]);
});

test('discard deletes the content of what is parked, and keeps why', async () => {
  const reason = 'sent twice by mistake';

  expect(await inbox('discard', '1', '5', '--yes', '--reason', reason)).toEqual({
    code: 1,
    stdout: '1 delivery discarded.\n',
    stderr: 'Delivery 1 was not discarded: it is handled, not parked.\n',
  });
  expect(await inbox('discard', '5', '--reason', reason)).toMatchObject({
    code: 1,
    stderr: 'Delivery 5 was not discarded: it was discarded before.\n',
  });
  expect(linesOf(await inbox('show', '5', '--json'))).toMatchObject([
    { state: 'discarded', reason, content: '' },
  ]);
  expect(await inbox('replay', '5')).toMatchObject({
    code: 1,
    stderr: 'Delivery 5 was not replayed: it was discarded.\n',
  });
  expect(await inbox('discard', '--state', 'parked', '--reason', reason, '--yes')).toMatchObject({
    code: 0,
    stdout: '1 delivery discarded.\n',
    stderr: 'Discarding 1 parked delivery.\n',
  });
});

test('backup copies everything that was acknowledged while more is, and a receiver starts with the copy', async () => {
  const receiver = await startReceiver();
  const load = new Load();
  let isOver = false;
  const sending = load.send(openSender(receiver), 8, () => !isOver);
  while (load.acknowledged.size < 100) await delay(10);
  const before = [...load.acknowledged];
  const next = makeFolder();
  mkdirSync(inboxOf(next));
  const copy = join(inboxOf(next), 'inbox.sqlite');

  const result = await plantInbox('backup', copy, '--inbox', receiver.inbox);
  isOver = true;
  await sending;

  expect({ ...result, stdout: result.stdout.replace(/[\d,]+(?= bytes)/, 'SIZE') }).toEqual({
    code: 0,
    stdout: `The inbox is copied to ${copy}: SIZE bytes.\n`,
    stderr: '',
  });
  expect(load.refused.size + load.unknown.size).toBe(0);
  expect(await plantInbox('backup', copy, '--inbox', receiver.inbox)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: ${copy} can't be written: it exists already. Name a new file.\n`,
  });
  const restored = await startReceiver({ folder: next });
  const names = readInbox(restored.inbox).map(({ content }) => nameOf(content));
  expect(names).toEqual(expect.arrayContaining(before));
  for (const folder of [receiver.inbox, restored.inbox])
    expect(await plantInbox('check', '--inbox', folder)).toEqual({
      code: 0,
      stdout: 'No damage was found.\n',
      stderr: '',
    });
});
