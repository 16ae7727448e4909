import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { PLANT_INBOX, plantInbox, resultOf } from '../support/plant-inbox.js';
import { TestProcess } from '../support/process.js';
import { poisonSettings, sendAll } from '../support/poison.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const DELIVERY = { state: 'waiting', method: 'POST', mediaType: null, contentEncoding: null, eventId: null };

/** The folder of an inbox that no receiver has open, with deliveries that wait. */
async function makeInbox(count: number, content = 'arbitrary'): Promise<string> {
  const folder = makeFolder(afterThisFile);
  const line = JSON.stringify({ ...DELIVERY, content: Buffer.from(content).toString('base64') });
  writeFileSync(join(folder, 'lines'), `${line}\n`.repeat(count));
  const inbox = join(folder, 'inbox');
  expect(await plantInbox('import', join(folder, 'lines'), '--inbox', inbox)).toMatchObject({ code: 0 });
  return inbox;
}

let inbox: string;
beforeAll(async () => {
  inbox = await makeInbox(3);
});

test('a wrong command line is one line and exit code 2, and the version is no failure', async () => {
  expect(await plantInbox('repaly')).toEqual({
    code: 2,
    stdout: '',
    stderr: "plant-inbox: unknown command 'repaly' (Did you mean replay?)\n",
  });
  expect(await plantInbox('discard', '--inbox', inbox, '--reason', 'arbitrary')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'plant-inbox: Name deliveries by id, or choose them: --state parked means all of them.\n',
  });
  expect(await plantInbox('--version')).toEqual({ code: 0, stdout: '0.0.0\n', stderr: '' });
});

describe('what fails is one line and exit code 1', () => {
  test('an inbox that does not exist, which is not created', async () => {
    const folder = makeFolder();
    const missing = join(folder, 'inbox');

    expect(await plantInbox('list', '--inbox', missing)).toEqual({
      code: 1,
      stdout: '',
      stderr: `plant-inbox: There is no inbox in ${missing}, or only its owner may read it. Run the command as the user of the receiver, and name its inbox with --inbox or INBOX_URL. [INBOX_UNUSABLE]\n`,
    });
    expect(existsSync(missing)).toBe(false);
  });

  test('a receiver that starts, stops, or does not listen on its socket', async () => {
    const receiver = await startReceiver();
    const socket = join(receiver.inbox, 'operations.sock');
    rmSync(socket, { force: true });

    expect(await plantInbox('list', '--inbox', receiver.inbox)).toEqual({
      code: 1,
      stdout: '',
      stderr: `plant-inbox: The inbox in ${receiver.inbox} is in use, but no receiver responds on operations.sock there: connect ENOENT ${socket}. A receiver is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed. [INBOX_IN_USE]\n`,
    });
  });

  test('a command that was not built', async () => {
    const folder = makeFolder();
    cpSync(PLANT_INBOX, join(folder, 'bin', 'plant-inbox.mjs'));

    const command = new TestProcess([process.execPath, join(folder, 'bin', 'plant-inbox.mjs'), 'list'], {
      environment: everythingOpen,
    });

    expect(await resultOf(command)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'plant-inbox: not built yet. Build it in the repository with: npx nx build webhook\n',
    });
  });

  test('a file that exists is not overwritten', async () => {
    const file = join(makeFolder(), 'saved');
    writeFileSync(file, 'arbitrary');

    expect(await plantInbox('export', file, '--inbox', inbox)).toEqual({
      code: 1,
      stdout: '',
      stderr: `plant-inbox: EEXIST: file already exists, open '${file}'\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('arbitrary');
  });
});

test('after a crash it opens the inbox', async () => {
  const folder = makeFolder();
  const receiver = await startReceiver({ folder, settings: poisonSettings });
  await sendAll(receiver, ['wait for ever']);
  await receiver.process.logged('attempt');
  await receiver.process.kill();
  expect(existsSync(join(receiver.inbox, 'operations.sock'))).toBe(true);

  expect(await plantInbox('stats', '--inbox', receiver.inbox)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^receiver {3}stopped\n.*\nwaiting {4}0\nrunning {4}1\n/),
  });
});

test('it ends quietly when nobody reads on', async () => {
  const many = await makeInbox(50, 'a'.repeat(10_000));

  const { stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', '"$0" "$1" export --inbox "$2" | head -n 1', process.execPath, PLANT_INBOX, many],
    { encoding: 'utf8' },
  );

  expect(stderr).toBe('');
  expect(stdout.split('\n')).toHaveLength(2);
});

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux('on a full disk, export names the partial file', async () => {
  const many = await makeInbox(50, 'a'.repeat(10_000));
  const file = join(makeFolder(), 'saved');

  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -f 128; "$0" "$@"', process.execPath, PLANT_INBOX, 'export', file, '--inbox', many],
    { encoding: 'utf8' },
  );

  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `0 deliveries exported. To go on, add --id 1..50.\n${file} is partial.\nplant-inbox: EFBIG: file too large, write\n`,
  });
});

describe('plant-inbox import', () => {
  test('leaves out what is handled unless it is asked, what is discarded, and an event that comes twice', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    const line = (state: string, eventId: string | null = null): string =>
      JSON.stringify({ ...DELIVERY, state, eventId, content: Buffer.from(state).toString('base64') });
    const lines = [
      line('handled'),
      line('waiting', 'one'),
      line('parked'),
      line('discarded'),
      line('waiting', 'one'),
    ];
    writeFileSync(file, lines.join('\n'));

    expect(await plantInbox('import', file, '--inbox', join(folder, 'inbox'))).toEqual({
      code: 0,
      stdout: '',
      stderr: '2 deliveries imported, 2 handled or discarded left out.\n',
    });
    expect(await plantInbox('import', file, '--handled', '--inbox', join(folder, 'next'))).toMatchObject({
      stderr: '3 deliveries imported, 1 handled or discarded left out.\n',
    });
    expect(readInbox(join(folder, 'inbox')).map(({ state, content }) => [state, content.toString()])).toEqual(
      [
        ['waiting', 'waiting'],
        ['waiting', 'parked'],
      ],
    );
  });

  test('refuses an inbox with deliveries, and names the line that is wrong', async () => {
    const folder = makeFolder();
    const file = join(folder, 'lines');
    writeFileSync(file, 'no JSON\n');

    expect(await plantInbox('import', file, '--inbox', inbox)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^plant-inbox: .*inbox\.sqlite has deliveries\. Import into a new inbox: .*\n$/,
      ),
    });
    expect(await plantInbox('import', file, '--inbox', join(folder, 'new'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plant-inbox: Line 1 is no exported delivery: .*\n$/),
    });
  });
});
