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

test('tokens in ACCESS_TOKENS are accepted', async () => {
  const receiver = await startReceiver({ settings: { ACCESS_TOKENS: 'one, two,three' } });

  await expectAccepted(receiver, ['one', 'two', 'three']);
  await expectRefused(receiver, ['four', 'one,two', 'on']);
});

describe('the token file is reloaded when it changes', () => {
  test.each([
    {
      name: 'replaced by a rename',
      given: (folder: string) => {
        const file = join(folder, 'tokens');
        writeFileSync(file, 'old\nboth\n');
        writeFileSync(join(folder, 'next'), 'both\nnew\n');
        return { file, change: () => renameSync(join(folder, 'next'), file) };
      },
    },
    {
      name: 'behind a symbolic link to a folder that is replaced, as in Kubernetes',
      given: (folder: string) => {
        for (const [version, tokens] of [
          ['first', 'old\nboth\n'],
          ['second', 'both\nnew\n'],
        ] as const) {
          mkdirSync(join(folder, version));
          writeFileSync(join(folder, version, 'tokens'), tokens);
        }
        symlinkSync('first', join(folder, '..data'));
        symlinkSync('..data/tokens', join(folder, 'tokens'));
        symlinkSync('second', join(folder, 'next'));
        return {
          file: join(folder, 'tokens'),
          change: () => renameSync(join(folder, 'next'), join(folder, '..data')),
        };
      },
    },
  ])('$name', async ({ given }) => {
    const { file, change } = given(makeFolder());
    const receiver = await startWith(file);
    await expectAccepted(receiver, ['old', 'both']);
    await expectRefused(receiver, ['new']);

    change();
    await receiver.process.logged(RELOADED);

    await expectAccepted(receiver, ['both', 'new']);
    await expectRefused(receiver, ['old']);
  });

  test('a file that is replaced by a named pipe: the previous tokens stay, and one error is logged', async () => {
    const file = join(makeFolder(), 'tokens');
    writeFileSync(file, 'old\n');
    const receiver = await startWith(file);

    execFileSync('mkfifo', [`${file}.next`]);
    renameSync(`${file}.next`, file);
    const entry = await receiver.process.logged(NOT_RELOADED);
    await expectAccepted(receiver, ['old']);
    await expectRefused(receiver, ['new']);
    replace(file, 'newest\n');
    await receiver.process.logged(RELOADED);

    await expectAccepted(receiver, ['newest']);
    await expectRefused(receiver, ['old']);
    expect(entry).toMatchObject({ level: 'error', err: { code: 'ACCESS_TOKENS_UNREADABLE' } });
    expect(receiver.process.entries(NOT_RELOADED)).toHaveLength(1);
  });
});

test('no delivery with a token that stays accepted is refused while the file is replaced', async () => {
  const file = join(makeFolder(), 'tokens');
  writeFileSync(file, `old\n${ACCESS_TOKEN}\n`);
  const receiver = await startWith(file);
  const load = new Load();
  let goesOn = true;
  const sending = load.send(openSender(receiver), 8, () => goesOn);

  for (let count = 1; count <= 3; count += 1) {
    replace(file, `${ACCESS_TOKEN}\nnew-${count}\n`);
    await receiver.process.logged(RELOADED, count);
  }
  goesOn = false;
  await sending;

  expect(load.acknowledged.size).toBeGreaterThan(0);
  expect([load.refused, load.unknown]).toEqual([new Map(), new Set()]);
});

const startWith = (file: string): Promise<RunningReceiver> =>
  startReceiver({ settings: { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: file } });

/** Changes a file in one step, so that nobody reads half of it. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

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
