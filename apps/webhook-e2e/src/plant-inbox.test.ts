import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { PLANT_INBOX, plantInbox, type Result, spawnPlantInbox } from '../support/plant-inbox.js';
import { soon } from '../support/port.js';
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

test('list is the default command', async () => {
  const { code, stdout, stderr } = await plantInbox('--inbox', inboxOf(folder));

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')).toMatch(
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
  );
});

test('list --json has everything but what was sent, and the options choose', async () => {
  const options = ['--since', '1h', '--id', '2..5', '--state', 'parked', '--after', '5', '--limit', '1'];
  const result = await inbox('list', '--json', ...options);

  expect(result).toMatchObject({ code: 0, stderr: 'For older ones: --after 4\n' });
  expect(result.stdout).toMatch(/^\[\n {2}\{\n {4}"id": 4,\n/);
  expect(jsonOf(result)).toEqual([
    expect.objectContaining({ ...HEAD, id: 4, state: 'parked', attempts: 3, error: PARKED_ERROR, bytes: 16 }),
  ]);
  expect(await inbox('list', '--before', '1h')).toEqual({ code: 0, stdout: '', stderr: 'No deliveries.\n' });
});

test('show has the head without credentials, and the content as text without control characters', async () => {
  const { code, stdout } = await inbox('show', '2');

  expect(code).toBe(0);
  expect(stdout).toMatch(/^id +2\nstate +handled\nreceived .*\nattempts +1\n/);
  expect(stdout.slice(stdout.indexOf('\n\n'))).toBe(
    '\n\nHost:            localhost\nContent-Length:  11\n\n\\u001b[2Jhandled\n',
  );
});

test('show --raw writes the bytes, and --json has them in base64', async () => {
  const file = join(folder, 'bytes');
  const line = `"$0" "$1" show 3 --raw --inbox "$2" > "${file}"`;
  spawnSync('/bin/sh', ['-c', line, process.execPath, PLANT_INBOX, inboxOf(folder)]);

  expect(readFileSync(file, 'latin1')).toBe('handled\u00ff');
  expect((await inbox('show', '3')).stderr).toBe(
    'The content is not text. To see its bytes, add --raw | xxd\n',
  );
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

test('export writes a file that import takes', async () => {
  const file = join(folder, 'saved');

  expect(await inbox('export', file, '--state', 'parked')).toEqual({
    code: 0,
    stdout: '',
    stderr: '2 deliveries exported.\n',
  });
  const saved = readFileSync(file, 'utf8');
  expect(await inbox('export', '--id', '4..9')).toMatchObject({ stdout: saved });

  const next = join(folder, 'next');
  expect(await plantInbox('import', file, '--inbox', next)).toMatchObject({ code: 0 });
  expect(readInbox(next).map(({ state, content }) => [state, content.toString()])).toEqual([
    ['waiting', 'throw an error 1'],
    ['waiting', 'throw an error 2'],
  ]);
});

/** The two inboxes are not replayed at the same time. */
const withoutTime = ({ stdout, ...result }: Result): Result => ({
  ...result,
  stdout: stdout.replace(/(?<=^replayed +)\S+/m, 'TIME'),
});

test('a stopped inbox shows and does the same as one whose receiver runs', async () => {
  const results: Result[] = [];
  for (const command of [
    ['pause'],
    ['replay', '--since', '1h', '--json', '--yes'],
    ['replay', '1', '1', '4', '77', '--yes'],
    ['show', '1'],
    ['show', '77'],
  ]) {
    const running = withoutTime(await inbox(...command));
    const ofStopped = withoutTime(await plantInbox(...command, '--inbox', stopped));
    expect([command, ofStopped]).toEqual([command, running]);
    results.push(running);
  }

  expect(jsonOf(results[1]!)).toEqual({ replayed: 2, left: [] });
  expect(results.slice(2)).toEqual([
    {
      code: 1,
      stdout: '1 delivery replayed.\n',
      stderr:
        'Replaying 1 handled delivery and what has failed of 1 waiting delivery.\nDelivery 4 was not replayed: it is waiting.\nDelivery 77 was not replayed: there is none.\n',
    },
    { code: 0, stdout: expect.stringMatching(/^id +1\nstate +waiting\n[^]*handled\n$/), stderr: '' },
    { code: 1, stdout: '', stderr: 'plant-inbox: There is no delivery 77.\n' },
  ]);
  expect((await plantInbox('stats', '--inbox', stopped)).stdout).toMatch(
    /^receiver {3}stopped\nhandler {4}paused\n/,
  );
  expect(jsonOf(await inbox('stats', '--json'))).toMatchObject({
    waiting: 3,
    handled: 2,
    oldestWaitingAt: TIME,
    isPaused: true,
  });
  await inbox('resume');
  await untilNothingWaits(inboxOf(folder));
});

test('replay takes what is parked and what waits after a failure, but nothing that is handled', async () => {
  const settings = { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '2', HANDLER_BACKOFF_MS: '3600000' };
  const failing = await startReceiver({ settings });
  await sendAll(failing, ['handled', 'throw an error']);
  while (typeof readInbox(failing.inbox)[1]?.error !== 'string') await soon();

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
  expect(jsonOf(await inbox('show', '5', '--json'))).toMatchObject({
    state: 'discarded',
    reason,
    content: '',
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
  while (load.acknowledged.size < 100) await soon();
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
