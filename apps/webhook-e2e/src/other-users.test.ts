import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { ROOT, terminal } from '../support/development.js';
import { blocksOf } from '../support/documented.js';
import { ACCESS_TOKEN } from '../support/messages.js';
import { buildNextVersion, VERSION } from '../support/next-version.js';
import { ask } from '../support/operations.js';
import { plantInbox, plantInboxAs, type Result } from '../support/plant-inbox.js';
import { soon } from '../support/port.js';
import type { User } from '../support/process.js';
import {
  everythingOpen,
  inboxOf,
  type RunningReceiver,
  spawnReceiver,
  startReceiver,
} from '../support/receiver.js';
import { openSender } from '../support/sender.js';

/** The user of the receiver, one more of its group, and somebody else. Nobody has these numbers. */
const OWNER: User = { uid: 64_001, gid: 64_010 };
const MEMBER: User = { uid: 64_002, gid: 64_010 };
const STRANGER: User = { uid: 64_003, gid: 64_003 };

/** The modes of the folder of an inbox and of what it has, by name. */
function modesIn(inbox: string): Record<string, string> {
  const names = ['.', ...readdirSync(inbox)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(inbox, name)).mode & 0o7777).toString(8)]),
  );
}

/** Runs something as with `umask 0`. */
function withoutUmask<Started>(start: () => Started): Started {
  const usual = process.umask(0);
  try {
    return start();
  } finally {
    process.umask(usual);
  }
}

const openToOwner = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '600']));

const FILES = [
  'inbox.identity',
  'inbox.sqlite',
  'inbox.sqlite-shm',
  'inbox.sqlite-wal',
  'operations.sock',
  'receiver.lock',
] as const;

test('whatever the umask, only the owner may use what a receiver makes', async () => {
  const folder = join(makeFolder(), 'made');
  const receiver = await withoutUmask(() => startReceiver({ folder }));

  expect(modesIn(receiver.inbox)).toEqual({ ...openToOwner(...FILES), '.': '700' });
  expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');

  await receiver.process.stop();
  const exported = join(folder, 'exported');
  const { code } = await withoutUmask(() => plantInbox('export', exported, '--inbox', receiver.inbox));
  expect([code, (statSync(exported).mode & 0o777).toString(8)]).toEqual([0, '600']);
});

test('an inbox keeps its modes, and its copy from before an upgrade is for the owner', async () => {
  const folder = makeFolder();
  await (await startReceiver({ folder })).process.stop();
  chmodSync(inboxOf(folder), 0o755);
  chmodSync(join(inboxOf(folder), 'inbox.sqlite'), 0o644);

  const { inbox } = await withoutUmask(() => startReceiver({ folder, main: buildNextVersion() }));

  const { '.': kept, 'inbox.sqlite': keptFile, [`inbox.sqlite.version-${VERSION}`]: copy } = modesIn(inbox);
  expect({ kept, keptFile, copy }).toEqual({ kept: '755', keptFile: '644', copy: '600' });
});

const asRoot = process.geteuid?.() === 0 ? describe : describe.skip;

asRoot('with several users', () => {
  /** A folder that a user owns, in one that everybody may enter. */
  function makeFolderOf({ uid, gid }: User, mode: number): string {
    const folder = makeFolder();
    chmodSync(folder, 0o755);
    mkdirSync(inboxOf(folder));
    chownSync(inboxOf(folder), uid, gid);
    chmodSync(inboxOf(folder), mode);
    return folder;
  }

  const startAsOwner = (folder: string): Promise<RunningReceiver> => startReceiver({ folder, user: OWNER });

  async function expectDone(done: Promise<Result>): Promise<void> {
    expect(await done).toMatchObject({ code: 0, stderr: '' });
  }

  test('in a folder of a group, each member can do everything, and the receiver starts after it', async () => {
    const folder = makeFolderOf(OWNER, 0o2770);
    let receiver = await startAsOwner(folder);
    const { inbox, process } = receiver;
    const run = (...args: readonly string[]): Promise<Result> =>
      plantInboxAs(MEMBER, ...args, '--inbox', inbox);
    await openSender(receiver).send('arbitrary');
    expect(modesIn(inbox)).toEqual({
      ...Object.fromEntries(FILES.map((name) => [name, '660'])),
      '.': '2770',
    });
    for (const command of ['list', 'check', 'pause']) await expectDone(run(command));
    await process.stop();
    for (const command of ['list', 'check', 'resume']) await expectDone(run(command));

    receiver = await startAsOwner(folder);
    await openSender(receiver).send('arbitrary');
  });

  test('a stranger who may enter the folder is told whose it is, and leaves nothing there', async () => {
    const folder = makeFolderOf(OWNER, 0o777);
    const { inbox, process } = await startAsOwner(folder);
    const database = join(inbox, 'inbox.sqlite');
    // As receivers of earlier versions have made it.
    for (const name of ['inbox.sqlite', 'receiver.lock']) chmodSync(join(inbox, name), 0o644);
    const unusable = expect.stringMatching(
      new RegExp(
        `User ${STRANGER.uid} may not read and write .*${database} \\(user ${OWNER.uid}, group ${OWNER.gid}, mode 0644\\).*INBOX_UNUSABLE`,
      ),
    ) as string;

    expect(await plantInboxAs(STRANGER, 'list', '--inbox', inbox)).toMatchObject({
      code: 1,
      stderr: unusable,
    });
    await process.stop();
    for (const command of ['list', 'check'])
      expect(await plantInboxAs(STRANGER, command, '--inbox', inbox)).toMatchObject({
        code: 1,
        stderr: unusable,
      });

    expect(readdirSync(inbox).sort()).toEqual(['inbox.identity', 'inbox.sqlite', 'receiver.lock']);
    await startAsOwner(folder);
  });

  test('a start names the files of somebody else that keep it from the inbox', async () => {
    const folder = makeFolderOf(OWNER, 0o700);
    const { inbox, process } = await startAsOwner(folder);
    await process.stop();
    const strange = ['-wal', '-shm'].map((ending) => join(inbox, `inbox.sqlite${ending}`));
    for (const file of strange) {
      writeFileSync(file, '', { mode: 0o600 });
      chownSync(file, STRANGER.uid, STRANGER.gid);
    }

    const refused = spawnReceiver({ folder, user: OWNER });

    expect(await refused.exit).toEqual({ code: 1, signal: null });
    expect(refused.stderr).toContain(
      ` User ${OWNER.uid} may not read and write ${strange.map((file) => `${file} (user ${STRANGER.uid}, group ${STRANGER.gid}, mode 0600)`).join(', ')}. `,
    );
  });

  test('after root has changed an inbox that was just restored, the receiver can use all of it', async () => {
    const folder = makeFolderOf(OWNER, 0o700);
    const { inbox, process } = await startAsOwner(folder);
    await process.stop();
    for (const name of readdirSync(inbox)) if (name !== 'inbox.sqlite') rmSync(join(inbox, name));

    for (const command of ['pause', 'resume']) await expectDone(plantInbox(command, '--inbox', inbox));

    await openSender(await startAsOwner(folder)).send('arbitrary');
  });

  /** The commands of a page, as a shell of root runs them with `umask 077`: for the user of the test, in its folders. */
  function runAsRoot(commands: string, replaced: Readonly<Record<string, string>>): void {
    const script = Object.entries(replaced).reduce(
      (text, [shown, given]) => text.replaceAll(shown, given),
      commands,
    );
    execFileSync('/bin/sh', ['-euc', `umask 077\n${script}`], {
      stdio: 'pipe',
      env: terminal(everythingOpen),
    });
  }

  test('root backs up and restores by the page, and the receiver of another user starts with the copy', async () => {
    const page = readFileSync(join(ROOT, 'docs/how-to/back-up.md'), 'utf8');
    const [, backUp] = blocksOf(page, 'Back up', 'sh');
    const [, restore] = blocksOf(page, 'Restore', 'sh');
    const folder = makeFolderOf(OWNER, 0o700);
    chownSync(folder, OWNER.uid, OWNER.gid);
    const replaced = {
      '/var/backups/plant-store-webhook': join(folder, 'backups'),
      '/var/lib/plant-store-webhook': folder,
      'runuser -u plant-store --': `setpriv --reuid=${OWNER.uid} --regid=${OWNER.gid} --clear-groups`,
      ' plant-inbox ': ` ${process.execPath} ${join(ROOT, 'apps/webhook/bin/plant-inbox.js')} `,
      '-o plant-store -g plant-store': `-o ${OWNER.uid} -g ${OWNER.gid}`,
    };
    const receiver = await startAsOwner(folder);
    const { inbox } = receiver;
    await openSender(receiver).send('kept');

    runAsRoot(backUp!, replaced);
    await receiver.process.stop();
    runAsRoot(restore!, replaced);

    expect(readdirSync(inbox)).toEqual(['inbox.sqlite']);
    const again = await startAsOwner(folder);
    expect((await plantInboxAs(OWNER, 'show', '1', '--inbox', again.inbox)).stdout).toContain('kept');
  });

  test('a start names the owner and the mode of a folder that root has restored', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o755);
    mkdirSync(inboxOf(folder), { mode: 0o700 });

    const refused = spawnReceiver({ folder, user: OWNER });

    expect(await refused.exit).toEqual({ code: 1, signal: null });
    expect(refused.stderr).toContain(
      ` User ${OWNER.uid} may not read and write ${inboxOf(folder)} (user 0, group 0, mode 0700). `,
    );
  });

  test('root rotates tokens by the page; a file that the receiver may not read shows in the metrics', async () => {
    const page = readFileSync(join(ROOT, 'docs/reference/settings.md'), 'utf8');
    const [add, leaveLast] = blocksOf(page, 'Access', 'sh');
    const folder = makeFolderOf(OWNER, 0o700);
    const file = join(folder, 'access-tokens');
    writeFileSync(file, `${ACCESS_TOKEN}\n`, { mode: 0o640 });
    chownSync(file, 0, OWNER.gid);
    const receiver = await startReceiver({
      ...{ folder, user: OWNER },
      settings: { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file },
    });
    const isCurrent = async (): Promise<string | undefined> =>
      /^plant_store_access_tokens_current (\d)$/m.exec((await ask(receiver.inbox, '/metrics')).content)?.[1];

    runAsRoot(add!, { access: join(folder, 'access') });
    expect(await receiver.process.logged('access tokens reloaded')).toMatchObject({ count: 2 });
    await openSender(receiver).send('arbitrary');
    runAsRoot(leaveLast!, { access: join(folder, 'access') });
    expect(await receiver.process.logged('access tokens reloaded', 2)).toMatchObject({ count: 1 });
    expect(await isCurrent()).toBe('1');

    runAsRoot(`echo new > ${file}.next; mv ${file}.next ${file}`, {});
    const { err } = await receiver.process.logged('access tokens not reloaded; those read last stay');
    expect((err as Error).message).toContain(
      ` User ${OWNER.uid} may not read ${file} (user 0, group 0, mode 0600)`,
    );
    while ((await isCurrent()) !== '0') await soon();
  });
});
