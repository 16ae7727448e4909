import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { readInbox } from '../support/inbox.js';
import { startReceiver } from '../support/receiver.js';
import { Load, nameOf, openSender } from '../support/sender.js';

const DOCUMENTATION = new URL('../../../docs/inbox.md', import.meta.url);

/** A function that returns true this many times. */
function times(count: number): () => boolean {
  let left = count;
  return () => left-- > 0;
}

describe('while deliveries arrive', () => {
  test.each<[string, (inbox: string) => void, string]>([
    ['the database is deleted', (inbox) => rmSync(join(inbox, 'inbox.sqlite')), 'inbox.sqlite'],
    ['its log is deleted', (inbox) => rmSync(join(inbox, 'inbox.sqlite-wal')), 'inbox.sqlite-wal'],
    ['the lock is deleted', (inbox) => rmSync(join(inbox, 'receiver.lock')), 'receiver.lock'],
    ['the folder is deleted', (inbox) => rmSync(inbox, { recursive: true }), 'inbox.sqlite'],
    ['the folder is renamed', (inbox) => renameSync(inbox, `${inbox}.renamed`), 'inbox.sqlite'],
  ])('%s: none is acknowledged any more, and the log says what to do', async (_name, lose, file) => {
    const receiver = await startReceiver();
    const sender = openSender(receiver);
    const before = new Load();
    await before.send(sender, 4, times(30));
    expect(before.acknowledged.size).toBe(30);

    lose(receiver.inbox);
    const after = new Load();
    await after.send(sender, 4, times(30));

    expect(after.acknowledged.size).toBe(0);
    expect([...after.refused.values()]).toEqual(Array(30).fill(503));
    const [line] = receiver.process.entries('a delivery was not accepted');
    expect(line).toMatchObject({ level: 'error', status: 503, err: { code: 'INBOX_LOST' } });
    expect((line!['err'] as { message: string }).message).toContain(join(receiver.inbox, file));
    expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });
    expect(receiver.process.stderr).toBe('');
  });

  test('the folder is renamed: what was acknowledged is in the renamed one', async () => {
    const folder = makeFolder();
    const receiver = await startReceiver({ folder });
    const load = new Load();
    await load.send(openSender(receiver), 4, times(30));

    renameSync(receiver.inbox, `${receiver.inbox}.renamed`);
    await receiver.process.stop();
    renameSync(`${receiver.inbox}.renamed`, receiver.inbox);

    const next = await startReceiver({ folder });
    expect(readInbox(next.inbox)).toHaveLength(30);
  });
});

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux('files that were deleted can be saved from a receiver that still runs, as documented', async () => {
  const folder = makeFolder();
  const receiver = await startReceiver({ folder });
  const load = new Load();
  await load.send(openSender(receiver), 4, times(50));
  rmSync(receiver.inbox, { recursive: true });

  const [, script] = /```sh\n(mkdir saved\n.*?)```/s.exec(readFileSync(DOCUMENTATION, 'utf8'))!;
  execFileSync('/bin/sh', ['-c', script!.replaceAll('PID', `${receiver.process.pid}`)], { cwd: folder });
  await receiver.process.kill();

  const saved = await startReceiver({ folder, settings: { INBOX_URL: `file:${join(folder, 'saved')}` } });
  const names = readInbox(join(folder, 'saved')).map(({ content }) => nameOf(content));
  await saved.process.stop();
  expect(names.sort()).toEqual([...load.acknowledged].sort());
});

test('a receiver starts in a new folder after everything was deleted', async () => {
  const folder = makeFolder();
  const receiver = await startReceiver({ folder });
  await new Load().send(openSender(receiver), 1, times(1));
  rmSync(receiver.inbox, { recursive: true });
  await receiver.process.stop();
  mkdirSync(receiver.inbox, { recursive: true });

  const next = await startReceiver({ folder });

  expect(readInbox(next.inbox)).toEqual([]);
  expect(existsSync(join(next.inbox, 'last-accepted'))).toBe(true);
});
