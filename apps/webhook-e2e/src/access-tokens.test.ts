import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { ACCESS_TOKEN, ARBITRARY, message, POST } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, openSender } from '../support/sender.js';

const RELOADED = 'access tokens reloaded';
const NOT_RELOADED = 'access tokens not reloaded; those read last stay';

test('the token file behind a symbolic link is reloaded when its folder is replaced, as in Kubernetes, and refuses nobody meanwhile', async () => {
  const folder = makeFolder();
  const publish = (version: string, ...tokens: readonly string[]): void => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, 'tokens'), `${tokens.join('\n')}\n`);
    symlinkSync(version, join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, '..data'));
  };
  publish('first', 'old', ACCESS_TOKEN);
  symlinkSync('..data/tokens', join(folder, 'tokens'));
  const receiver = await startWith(join(folder, 'tokens'));
  await expectAccepted(receiver, ['old', ACCESS_TOKEN]);
  await expectRefused(receiver, ['new-1']);
  const load = new Load();
  let goesOn = true;
  const sending = load.send(openSender(receiver), 8, () => goesOn);

  for (let count = 1; count <= 3; count += 1) {
    publish(`version ${count}`, ACCESS_TOKEN, `new-${count}`);
    await receiver.process.logged(RELOADED, count);
  }
  goesOn = false;
  await sending;

  expect(load.acknowledged.size).toBeGreaterThan(0);
  expect([load.refused, load.unknown]).toEqual([new Map(), new Set()]);
  await expectAccepted(receiver, [ACCESS_TOKEN, 'new-3']);
  await expectRefused(receiver, ['old', 'new-2']);
});

test('a token file that is replaced by a named pipe: the previous tokens stay, and one error is logged', async () => {
  const file = join(makeFolder(), 'tokens');
  writeFileSync(file, 'old\n');
  const receiver = await startWith(file);

  execFileSync('mkfifo', [`${file}.next`]);
  renameSync(`${file}.next`, file);
  const entry = await receiver.process.logged(NOT_RELOADED);
  await expectAccepted(receiver, ['old']);
  await expectRefused(receiver, ['new']);
  writeFileSync(`${file}.next`, 'newest\n');
  renameSync(`${file}.next`, file);
  await receiver.process.logged(RELOADED);

  await expectAccepted(receiver, ['newest']);
  await expectRefused(receiver, ['old']);
  expect(entry).toMatchObject({ level: 'error', err: { code: 'ACCESS_TOKENS_UNREADABLE' } });
  expect(receiver.process.entries(NOT_RELOADED)).toHaveLength(1);
});

const startWith = (file: string): Promise<RunningReceiver> =>
  startReceiver({ settings: { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file } });

async function expectAccepted(receiver: RunningReceiver, tokens: readonly string[]): Promise<void> {
  const connection = await openConnection(receiver.port);
  for (const token of tokens) {
    connection.write(message(POST, [`Authorization: Bearer ${token}`]));
    expectResponse(await connection.response(), { status: 204 });
  }
}

async function expectRefused(receiver: RunningReceiver, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    const connection = await openConnection(receiver.port);
    connection.write(message(POST, [`Authorization: Bearer ${token}`], ARBITRARY));
    const { line } = await connection.response();
    expect(line).toMatch(/^HTTP\/1.1 40[01] /);
  }
}
