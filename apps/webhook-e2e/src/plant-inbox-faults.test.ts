import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';

import { afterThisFile, afterThisTest, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { PLANT_INBOX, plantInbox, resultOf } from '../support/plant-inbox.js';
import { TestProcess } from '../support/process.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
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

test('a wrong command line is one line and exit code 2', async () => {
  expect(await plantInbox('list', '--stat', 'parked', '--inbox', inbox)).toEqual({
    code: 2,
    stdout: '',
    stderr: "plant-inbox: unknown option '--stat' (Did you mean --state?)\n",
  });
  expect(await plantInbox('repaly')).toEqual({
    code: 2,
    stdout: '',
    stderr: "plant-inbox: unknown command 'repaly' (Did you mean replay?)\n",
  });
  expect(await plantInbox('discard', '--state', 'parked', '--reason', ' ')).toMatchObject({ code: 2 });
});

test('the version and the help are no failures', async () => {
  expect(await plantInbox('--version')).toEqual({ code: 0, stdout: '0.0.0\n', stderr: '' });
  expect(await plantInbox('replay', '--help')).toMatchObject({ code: 0, stderr: '' });
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
    mkdirSync(missing);
    expect(await plantInbox('list', '--inbox', missing)).toMatchObject({ code: 1 });
    expect(existsSync(join(missing, 'inbox.sqlite'))).toBe(false);
  });

  test('an unknown id', async () => {
    expect(await plantInbox('show', '77', '--inbox', inbox)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'plant-inbox: There is no delivery 77. It was deleted, or it never existed.\n',
    });
  });

  test('a receiver that starts, stops, or does not listen on its socket', async () => {
    const receiver = await startReceiver();
    const socket = join(receiver.inbox, 'operations.sock');
    rmSync(socket, { force: true });

    const { code, stderr } = await plantInbox('list', '--inbox', receiver.inbox);

    expect(code).toBe(1);
    expect(stderr).toBe(
      `plant-inbox: The inbox is in use, but no receiver responds on operations.sock in its folder: one is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed. [INBOX_IN_USE]\n`,
    );
  });

  test('a receiver that stops in the middle, with how far the command came', async () => {
    const receiver = await startReceiver();
    await sendAll(
      receiver,
      Array.from({ length: 1_100 }, () => 'arbitrary'),
    );
    await untilNothingWaits(receiver.inbox);
    let parts = 0;
    const socket = join(receiver.inbox, 'operations.sock');
    await putInFront(socket, (request) => {
      if (request.startsWith('POST /deliveries/replay')) parts += 1;
      if (parts === 2) receiver.process.signal('SIGKILL');
      return parts < 2;
    });

    const { code, stdout, stderr } = await plantInbox(
      'replay',
      '--state',
      'handled',
      '--yes',
      '--inbox',
      receiver.inbox,
    );

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^Replaying 1,100 handled deliveries\.\n500 deliveries replayed\. To go on, add --id 501\.\.1100\.\nplant-inbox: The receiver that has the inbox in .* open has stopped or doesn't respond: .*\. Run the command again\. \[INBOX_UNUSABLE\]\n$/,
    );
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

test('after a crash it opens the inbox, and the attempt that was cut off still counts', async () => {
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

  const next = await startReceiver({ folder, settings: poisonSettings });
  expect(await next.process.logged('attempt')).toMatchObject({ delivery: 1, attempts: 2 });
});

test.each([['list', '--json'], ['export']])('%s ends quietly when nobody reads on', async (...command) => {
  const many = await makeInbox(50, 'a'.repeat(10_000));
  const line = ['"$0"', '"$1"', ...command, '--inbox', '"$2"', '| head -n 1'].join(' ');

  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line, process.execPath, PLANT_INBOX, many], {
    encoding: 'utf8',
  });

  expect(stderr).toBe('');
  expect(stdout.split('\n')).toHaveLength(2);
});

const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('on a full disk', () => {
  test('export names the partial file', async () => {
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
});

/** Puts a server in front of a socket. It passes on requests as long as the function says so. */
async function putInFront(path: string, passesOn: (request: string) => boolean): Promise<void> {
  renameSync(path, `${path}.behind`);
  const server = createServer((socket) => {
    const behind = connect(`${path}.behind`);
    for (const one of [socket, behind])
      one.on('error', () => undefined).on('close', () => (socket.destroy(), behind.destroy()));
    behind.pipe(socket);
    socket.on('data', (request: Buffer) => passesOn(request.toString('latin1')) && behind.write(request));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  afterThisTest(() => server.close());
}

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

  test.each<[string, string[], string]>([
    ['a folder that is not empty', ['import', '--inbox', 'FOLDER'], "FOLDER isn't empty"],
    [
      'a file that does not exist',
      ['import', 'FOLDER/none', '--inbox', 'FOLDER/new'],
      "ENOENT: no such file or directory, open 'FOLDER/none'",
    ],
    [
      'lines that are none',
      ['import', 'FOLDER/lines', '--inbox', 'FOLDER/new'],
      'Line 1 is no exported delivery',
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
});
