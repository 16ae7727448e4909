import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, afterThisTest, freePort, makeFolder, NO_HANDLER } from '@plant-store/test-support';
import { cloneWorkingTree } from '@plant-store/test-support/clone';

import { ROOT } from '../support/development.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN } from '../support/messages.js';
import { everythingOpen, inboxOf, LoggingProcess } from '../support/receiver.js';
import { type Environment, TestProcess } from '../support/process.js';

const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
const [BUILD = ''] = /sh deploy\/build\.sh out/.exec(dockerfile) ?? [];
const [, USER = ''] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
/** The image of the receiver is the last one. */
const command = (instruction: string): string[] =>
  JSON.parse(
    Array.from(dockerfile.matchAll(new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'gm'))).at(-1)![1]!,
  ) as string[];

/** As root: another user, as in the container. */
const asOther =
  process.getuid?.() === 0
    ? ['/usr/bin/setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups']
    : [];
const run = (args: readonly string[], environment: Environment, folder: string): LoggingProcess => {
  const [program = '', ...others] = [...asOther, process.execPath, ...args];
  const started = new LoggingProcess([program, ...others], { environment, folder });
  afterThisTest(() => started.kill());
  return started;
};

/** What is copied into the image. */
let built: string;

beforeAll(async () => {
  const clone = makeFolder(afterThisFile);
  cloneWorkingTree(ROOT, clone);
  const { PATH = '', HOME = '' } = process.env;
  const build = new TestProcess(['/bin/sh', '-c', BUILD], { environment: { PATH, HOME }, folder: clone });
  afterThisFile(() => build.kill());
  const { code } = await build.exit;
  expect({ code, output: code === 0 ? '' : build.output }).toEqual({ code: 0, output: '' });
  chmodSync(clone, 0o755);
  built = join(clone, 'out');
}, 900_000);

describe('the stages of the Dockerfile, without Docker', () => {
  test('build at most 60 MB, in blocks of 4 kB', () => {
    const blocks = readdirSync(built, { recursive: true, encoding: 'utf8' }).map((name) =>
      Math.ceil(lstatSync(join(built, name)).size / 4096),
    );
    expect(blocks.reduce((sum, count) => sum + count, 0) * 4096).toBeLessThanOrEqual(60_000_000);
  });

  test('start as another user, are healthy, keep a delivery, and stop', async () => {
    const [port, operations] = [await freePort(), await freePort()];
    const folder = makeFolder();
    chmodSync(folder, 0o777);
    const tokens = join(folder, 'access-tokens');
    writeFileSync(tokens, `${ACCESS_TOKEN}\n`);
    const environment = {
      ...everythingOpen,
      PORT: String(port),
      OPERATIONS_PORT: String(operations),
      INBOX_URL: `file:${inboxOf(folder)}`,
      ACCESS_TOKENS_FILE: tokens,
      HANDLER: join(folder, 'handler.mjs'),
    };
    copyFileSync(NO_HANDLER, environment.HANDLER);
    expect(existsSync(join(built, 'apps/webhook/dist/handler/index.js'))).toBe(true);
    const started = command('CMD').slice(1);
    const receiver = run(
      started.map((part) => part.replace('/opt/plant-store-webhook', built)),
      environment,
      folder,
    );
    await receiver.logged('listening');

    const check = command('HEALTHCHECK').slice(1);
    const health = run(
      check.map((part) => part.replace('3001', String(operations))),
      {},
      built,
    );
    expect(await health.exit).toEqual({ code: 0, signal: null });

    const { status } = await fetch(`http://127.0.0.1:${port}/plant/webhook`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ACCESS_TOKEN}` },
      body: 'Arbitrary content.',
    });
    expect(status).toBe(204);
    receiver.signal('SIGTERM');
    expect(await receiver.exit).toEqual({ code: 0, signal: null });
    expect(readInbox(inboxOf(folder)).map(({ content }) => content.toString())).toEqual([
      'Arbitrary content.',
    ]);
  });
});
