import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { PLANT_INBOX, plantInbox, type Result, spawnPlantInbox } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { inboxOf, type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

/** Deliveries 1 to 5. What fails is parked after three attempts. */
const CONTENTS = ['handled', '\u001b[2Jhandled', 'handled\u00ff', 'throw an error 1', 'throw an error 2'];

/** What an output has as JSON: one value, or one on each line. */
const jsonOf = ({ stdout }: Result): unknown => JSON.parse(stdout);
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
let receiver: RunningReceiver;
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
  receiver = await startReceiver({ folder, settings: poisonSettings, cleanUp: afterThisFile });
});

test('list shows the newest first, and is the default command', async () => {
  const listed = await inbox('list');

  expect({ ...listed, stdout: listed.stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME') }).toEqual(
    {
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(
          [
            '^ID  STATE    RECEIVED +BYTES  ATTEMPTS  ERROR OR REASON',
            ' 5  parked   TIME +16 +3  TypeError: thrown on purpose.*',
            ' 4  parked   TIME +16 +3  TypeError: thrown on purpose.*',
            ' 3  handled  TIME +8 +1',
            ' 2  handled  TIME +11 +1',
            ' 1  handled  TIME +7 +1\n$',
          ].join('\n'),
        ),
      ),
    },
  );
  expect(await plantInbox('--inbox', inboxOf(folder))).toEqual(listed);
  expect(await plantInbox('--inbox', inboxOf(folder), 'list')).toEqual(listed);
});

test.each([
  ['--state parked', [5, 4]],
  ['--id 2..4', [4, 3, 2]],
  ['--since 1h --id 5', [5]],
  ['--before 1h', []],
  ['--state handled --limit 1 --after 3', [2]],
])('list %s lists %j', async (options, ids) => {
  const result = await inbox('list', '--json', ...options.split(' '));

  expect(result.code).toBe(0);
  expect((jsonOf(result) as { id: number }[]).map(({ id }) => id)).toEqual(ids);
});

test('list says how to get the next page', async () => {
  expect((await inbox('list', '--limit', '2')).stderr).toBe('For older ones: --after 4\n');
  expect(await inbox('list', '--after', '1')).toEqual({ code: 0, stdout: '', stderr: 'No deliveries.\n' });
});

test('list --json has everything but what was sent', async () => {
  const result = await inbox('list', '--json', '--id', '4..5');

  expect(result.stdout).toMatch(/^\[\n {2}\{\n {4}"id": 5,\n/);
  expect(jsonOf(result)).toMatchObject([
    { ...HEAD, id: 5, state: 'parked', attempts: 3, error: PARKED_ERROR, bytes: 16 },
    { ...HEAD, id: 4, state: 'parked', attempts: 3, error: PARKED_ERROR, bytes: 16 },
  ]);
});

test('show has the head without credentials, and the content as text without control characters', async () => {
  const { code, stdout } = await inbox('show', '2');

  expect(code).toBe(0);
  expect(stdout).toMatch(/^id +2\nstate +handled\nreceived .*\nattempts +1\n/);
  expect(stdout.slice(stdout.indexOf('\n\n'))).toBe(
    '\n\nHost:            localhost\nContent-Length:  11\n\n\\u001b[2Jhandled\n',
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
  const line = `"$0" "$1" show 3 --raw --inbox "$2" > "${file}"`;
  spawnSync('/bin/sh', ['-c', line, process.execPath, PLANT_INBOX, inboxOf(folder)]);

  expect(readFileSync(file, 'latin1')).toBe('handled\u00ff');
  expect(jsonOf(await inbox('show', '3', '--json'))).toMatchObject({
    ...HEAD,
    id: 3,
    state: 'handled',
    error: null,
    bytes: 8,
    fields: [
      ['Host', 'localhost'],
      ['Content-Length', '8'],
    ],
    content: Buffer.from('handled\u00ff', 'latin1').toString('base64'),
  });
});

test('stats', async () => {
  expect((await inbox('stats')).stdout).toMatch(
    new RegExp(
      [
        '^receiver   running',
        'handler    not paused',
        'waiting    0',
        'running    0',
        'handled    3',
        'parked     2',
        'discarded  0',
        'on disk    [\\d,]+ bytes\n$',
      ].join('\n'),
    ),
  );
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

test('a stopped inbox shows and does the same as one whose receiver runs', async () => {
  const pages: Result[] = [];
  for (const command of [
    ['list', '--json'],
    ['show', '3'],
    ['export', '--state', 'handled'],
    ['pause'],
    ['replay', '--since', '1h', '--json', '--yes'],
    ['replay', '--state', 'parked'],
    ['replay', '--state', 'handled', '--id', '2..3', '--yes'],
    ['replay', '1', '1', '4', '77', '--yes'],
    ['list', '--state', 'waiting', '--limit', '2'],
    ['stats', '--json'],
  ]) {
    const results = await Promise.all([inbox(...command), plantInbox(...command, '--inbox', stopped)]);
    const [running, offline] = results.map((result) => ({
      ...result,
      stdout: result.stdout.replace(/"bytes": \d{5,}/, '"bytes": 0').replace(/,\s+"receiver": [^}]*}/, ''),
    }));
    expect([command, offline]).toEqual([command, running]);
    pages.push(running!);
  }

  expect(jsonOf(pages[4]!)).toEqual({ replayed: 2, left: [] });
  expect(pages[4]).toMatchObject({ code: 0, stderr: 'Replaying 2 parked deliveries.\n' });
  expect(pages.slice(5, 8)).toEqual([
    { code: 0, stdout: '0 deliveries replayed.\n', stderr: '' },
    { code: 0, stdout: '2 deliveries replayed.\n', stderr: 'Replaying 2 handled deliveries.\n' },
    {
      code: 1,
      stdout: '1 delivery replayed.\n',
      stderr:
        'Replaying 1 handled delivery and what has failed of 1 waiting delivery.\nDelivery 4 was not replayed: it is waiting.\nDelivery 77 was not replayed: there is none.\n',
    },
  ]);
  expect(jsonOf(pages[9]!)).toMatchObject({ waiting: 5, handled: 0, oldestWaitingAt: TIME, isPaused: true });
  expect((await plantInbox('stats', '--inbox', stopped)).stdout).toMatch(
    /^receiver {3}stopped\nhandler {4}paused\n/,
  );
});

test('after resume, the handler gets what was replayed', async () => {
  await inbox('resume');
  await untilNothingWaits(inboxOf(folder));

  expect(jsonOf(await inbox('list', '--json', '--id', '4'))).toMatchObject([
    { state: 'parked', attempts: 3 },
  ]);
});

test('replay takes what is parked and what waits after a failure, but nothing that is handled', async () => {
  const settings = { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '2', HANDLER_BACKOFF_MS: '3600000' };
  const failing = await startReceiver({ settings });
  await sendAll(failing, ['handled', 'throw an error']);
  const list = async (): Promise<unknown> =>
    jsonOf(await plantInbox('list', '--json', '--inbox', failing.inbox));
  const failure = { id: 2, state: 'waiting', attempts: 1 };
  while (!JSON.stringify(await list()).includes('TypeError')) await delay(50);
  expect(await list()).toMatchObject([failure, { id: 1, state: 'handled' }]);

  expect(await plantInbox('replay', '--inbox', failing.inbox)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'plant-inbox: This is about what has failed of 1 waiting delivery. Add --yes: there is no terminal to ask on.\n',
  });
  expect(await plantInbox('replay', '--yes', '--inbox', failing.inbox)).toEqual({
    code: 0,
    stdout: '1 delivery replayed.\n',
    stderr: 'Replaying what has failed of 1 waiting delivery.\n',
  });
  expect(failing.process.entries('attempt').filter(({ delivery }) => delivery === 1)).toHaveLength(1);
});

test('discard deletes the content of what is parked, and keeps why', async () => {
  const reason = 'sent twice by mistake';

  expect(await inbox('discard', '1', '5', '--yes', '--reason', reason)).toEqual({
    code: 1,
    stdout: '1 delivery discarded.\n',
    stderr: 'Discarding 1 parked delivery.\nDelivery 1 was not discarded: it is handled.\n',
  });
  expect(await inbox('discard', '5', '--reason', reason)).toMatchObject({
    code: 1,
    stderr: 'Delivery 5 was not discarded: it is discarded.\n',
  });
  expect(jsonOf(await inbox('show', '5', '--json'))).toMatchObject({
    state: 'discarded',
    reason,
    content: '',
  });
  expect(await inbox('replay', '5')).toMatchObject({
    code: 1,
    stderr: 'Delivery 5 was not replayed: it is discarded.\n',
  });
  expect(await inbox('discard', '--state', 'parked', '--reason', reason, '--yes')).toEqual({
    code: 0,
    stdout: '1 delivery discarded.\n',
    stderr: 'Discarding 1 parked delivery.\n',
  });
});

test('tail writes each new delivery on a line, and ends with Ctrl-C', async () => {
  const tail = spawnPlantInbox(['tail', '--inbox', inboxOf(folder)]);
  await tail.until(() => tail.stderr.includes('New deliveries follow.') || undefined, 'its first line');
  await sendAll(receiver, ['handled 6', 'handled 7']);
  await tail.until(() => tail.stdout.split('\n').length === 3 || undefined, 'two deliveries');
  tail.signal('SIGINT');

  expect(await tail.exit).toEqual({ code: 0, signal: null });
  expect(linesOf({ code: 0, stdout: tail.stdout, stderr: '' })).toMatchObject([
    { id: 6, bytes: 9 },
    { id: 7, bytes: 9 },
  ]);
  expect(await plantInbox('tail', '--inbox', stopped)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'plant-inbox: No receiver has the inbox open, so nothing arrives. Start it, then run tail.\n',
  });
});

test('backup copies everything that was acknowledged while more is, and a receiver starts with the copy', async () => {
  const loaded = await startReceiver();
  const load = new Load();
  let isOver = false;
  const sending = load.send(openSender(loaded), 8, () => !isOver);
  while (load.acknowledged.size < 100) await delay(10);
  const before = [...load.acknowledged];
  const next = makeFolder();
  mkdirSync(inboxOf(next));
  const copy = join(inboxOf(next), 'inbox.sqlite');

  const result = await plantInbox('backup', copy, '--inbox', loaded.inbox);
  isOver = true;
  await sending;

  expect({ ...result, stdout: result.stdout.replace(/[\d,]+(?= bytes)/, 'SIZE') }).toEqual({
    code: 0,
    stdout: `The inbox is copied to ${copy}: SIZE bytes.\n`,
    stderr: '',
  });
  expect(load.refused.size + load.unknown.size).toBe(0);
  expect(await plantInbox('backup', copy, '--inbox', loaded.inbox)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: ${copy} exists already. Name a new file.\n`,
  });
  const restored = await startReceiver({ folder: next });
  const names = readInbox(restored.inbox).map(({ content }) => nameOf(content));
  expect(names).toEqual(expect.arrayContaining(before));
  for (const one of [loaded.inbox, restored.inbox])
    expect(await plantInbox('check', '--inbox', one)).toEqual({
      code: 0,
      stdout: 'No damage was found.\n',
      stderr: '',
    });
});
