import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { onTerminal, PLANT_INBOX, plantInbox, resultOf, spawnPlantInbox } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { TestProcess } from '../support/process.js';
import { everythingOpen, inboxOf, type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

/** More than a pipe holds, and than the full disk below. */
const MANY = Array.from({ length: 50 }, () => 'a'.repeat(10_000));

let receiver: RunningReceiver;

beforeAll(async () => {
  receiver = await startReceiver({ settings: poisonSettings, cleanUp: afterThisFile });
  await sendAll(receiver, ['throw an error', ...MANY]);
  await untilNothingWaits(receiver.inbox);
});

test('tail writes each new delivery on a line, and ends with Ctrl-C', async () => {
  const before = readInbox(receiver.inbox).length;
  const tail = spawnPlantInbox(['tail', '--inbox', receiver.inbox]);
  await tail.until(() => tail.stderr.includes('New deliveries follow.') || undefined, 'its first line');
  await sendAll(receiver, ['handled 1', 'handled 2']);
  await tail.until(() => tail.stdout.split('\n').length === 3 || undefined, 'two deliveries');
  tail.signal('SIGINT');

  expect(await tail.exit).toEqual({ code: 0, signal: null });
  const lines = tail.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: before + 1, bytes: 9 },
    { id: before + 2, bytes: 9 },
  ]);
});

test('backup copies everything that was acknowledged while more is, and a receiver starts with the copy', async () => {
  const sender = openSender(receiver);
  const load = new Load();
  await load.send(sender, 8, () => load.acknowledged.size < 100);
  const before = [...load.acknowledged];
  let isOver = false;
  const sending = load.send(sender, 8, () => !isOver);
  const next = makeFolder();
  mkdirSync(inboxOf(next));
  const copy = join(inboxOf(next), 'inbox.sqlite');

  const result = await plantInbox('backup', copy, '--inbox', receiver.inbox);
  isOver = true;
  await sending;

  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(load.refused.size + load.unknown.size).toBe(0);
  const restored = await startReceiver({ folder: next });
  const names = readInbox(restored.inbox).map(({ content }) => nameOf(content));
  expect(names).toEqual(expect.arrayContaining(before));
});

test('it ends quietly when nobody reads on', () => {
  const { stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', '"$0" "$1" export --inbox "$2" | head -n 1', process.execPath, PLANT_INBOX, receiver.inbox],
    { encoding: 'utf8' },
  );

  expect(stderr).toBe('');
  expect(stdout.split('\n')).toHaveLength(2);
});

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux('on a full disk, export names the partial file', () => {
  const file = join(makeFolder(), 'saved');
  const command = [process.execPath, PLANT_INBOX, 'export', file, '--id', '2..51'];

  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -f 128; "$0" "$@"', ...command, '--inbox', receiver.inbox],
    { encoding: 'utf8' },
  );

  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `0 deliveries exported. To go on, add --id 2..51.\n${file} is partial.\nplant-inbox: ${file} can't be used: file too large.\n`,
  });
});

test('a command that was not built says how to build it', async () => {
  const folder = makeFolder();
  cpSync(PLANT_INBOX, join(folder, 'bin', 'plant-inbox.js'));
  cpSync(join(PLANT_INBOX, '../../package.json'), join(folder, 'package.json'));

  const command = new TestProcess([process.execPath, join(folder, 'bin', 'plant-inbox.js'), 'list'], {
    environment: everythingOpen,
  });

  expect(await resultOf(command)).toEqual({
    code: 5,
    stdout: '',
    stderr: 'plant-inbox: not built yet. Build it in the repository with: npx nx build webhook\n',
  });
});

/** `script`, which gives a command a terminal, has other options on other systems. */
const hasTerminals = platform() === 'linux' && spawnSync('script', ['--version']).status === 0;

(hasTerminals ? describe : describe.skip)('on a terminal', () => {
  const on = (variables: string, ...args: string[]): TestProcess =>
    onTerminal(
      ['env', variables, process.execPath, PLANT_INBOX, ...args, '--inbox', receiver.inbox].join(' '),
      60,
    );

  test('tables fit and states have colours, unless NO_COLOR says otherwise', async () => {
    const list = ['list', '--state', 'parked'];
    const coloured = on('TERM=xterm', ...list);
    const plain = on('NO_COLOR=1', ...list);
    await Promise.all([coloured.exit, plain.exit]);

    const [, row = ''] = plain.stdout.split('\r\n');
    expect(row).toMatch(/^ 1 {2}parked .*…$/);
    expect(row).toHaveLength(60);
    expect(coloured.stdout).toContain(row.replace('parked', '\u001b[31mparked\u001b[39m'));
  });

  test('a change asks before it begins', async () => {
    const command = on('TERM=xterm', 'replay');
    await command.until(
      () => command.stdout.includes('Replay 1 parked delivery? [y/N] ') || undefined,
      'the question',
    );
    command.type('y\n');

    expect(await command.exit).toMatchObject({ code: 0 });
    expect(command.stdout).toContain('1 delivery replayed.');
  });
});
