import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import { startReceiver } from './support/receiver.js';
import { openCommand, required, start } from './support/run.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

test('the command takes its answers from the contract', () => {
  const version = execFileSync(process.execPath, [path('../bin/plant-store.js'), '--version'], {
    encoding: 'utf8',
  });
  expect(version).toMatch(/^\d+\.\d+\.\d+(-\d+)?\n$/);
});

test.each([
  ['--version', ['--version'], ['undici', 'pg', 'string-width']],
  ['--help', ['--help'], ['undici', 'pg', 'string-width']],
  ['relay --help', ['relay', '--help'], ['undici', 'pg', 'string-width']],
  ['send', ['send', '-', ...required('http://127.0.0.1:1')], ['pg', 'string-width']],
])('%s loads only what it needs', (_name, args, others) => {
  const folder = makeFolder();
  spawnSync(process.execPath, [openCommand[1], ...args], {
    input: '{}',
    env: { PATH: process.env['PATH'], ACCESS_TOKEN: 'arbitrary', NODE_V8_COVERAGE: folder },
  });
  const loaded = readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] })
    .flatMap(({ result }) => result.map(({ url }) => url));
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => new RegExp(`node_modules/(?:${others.join('|')})/`).test(url))).toEqual([]);
});

test('the command that is not built says in one line how to build it', () => {
  const copy = makeFolder();
  cpSync(path('../bin'), join(copy, 'bin'), { recursive: true });
  cpSync(path('../package.json'), join(copy, 'package.json'));
  const run = (): unknown =>
    execFileSync(process.execPath, [join(copy, 'bin/plant-store.js')], { stdio: 'pipe' });
  expect(run).toThrow(
    expect.objectContaining({
      status: 5,
      stderr: Buffer.from('plant-store: not built yet. Build it in the repository with: npx nx build cli\n'),
    }) as Error,
  );
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a delivery, and says what is known',
  async (signal) => {
    const receiver = await startReceiver(() => undefined);
    const { child, finished } = start(['send', '-', ...required(receiver.url)]);
    child.stdin!.end('{}');
    await receiver.whenReceived(1);
    child.kill(signal);
    expect(await finished).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^plant-store: outcome unknown/),
    });
  },
);

/** The command in a shell, as `"$0" "$@"`. */
const inShell = (script: string) => ['sh', '-c', script, ...openCommand] as const;

test('the loop of README.md sends each line, and keeps what is not acknowledged', async () => {
  const receiver = await startReceiver(({ content }) => (content === '{"n":2}' ? 400 : 204));
  const folder = makeFolder();
  const name = join(folder, 'plant-store');
  writeFileSync(name, `#!/bin/sh\nexec ${openCommand.join(' ')} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'plants.ndjson'), '{"n":1}\n{"n":2}\n{"n":"\\\\ 3"}');
  const readme = readFileSync(path('../README.md'), 'utf8');
  const [, loop = ''] = /```sh\n(while [^]*?)```/.exec(readme) ?? [];
  const script = `cd ${folder}; ${loop.replaceAll('http://127.0.0.1:3000', receiver.url)}`;
  const { finished } = start([], { PATH: `${folder}:${process.env['PATH']}` }, ['sh', '-c', script]);
  expect(await finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(acknowledged.*\n){2}$/) });
  expect(receiver.requests.map(({ content }) => content)).toEqual(['{"n":1}', '{"n":2}', '{"n":"\\\\ 3"}']);
  expect(readdirSync(folder).sort()).toEqual(['not-accepted.ndjson', 'plant-store', 'plants.ndjson']);
  expect(readFileSync(join(folder, 'not-accepted.ndjson'), 'utf8')).toBe('{"n":2}\n');
});

test('a named pipe is read, and an interrupt ends waiting for it', async () => {
  const receiver = await startReceiver();
  const pipe = join(makeFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const sent = start(['send', pipe, ...required(receiver.url)]);
  writeFileSync(pipe, '{}');
  expect(await sent.finished).toMatchObject({ code: 0, stderr: '' });

  const waiting = start(['send', pipe, ...required(receiver.url)]);
  // Opening it for writing waits until the command reads.
  const writer = await open(pipe, 'w');
  waiting.child.kill('SIGINT');
  expect(await waiting.finished).toMatchObject({ code: 3, stderr: 'plant-store: not sent: interrupted.\n' });
  await writer.close();
});

test.each([
  ['a delivery', 0, ['send', '-', ...required('URL')]],
  ['a help text', 1, ['--help']],
])('%s whose output meets a full disk says so', async (_name, code, args) => {
  const { url } = await startReceiver();
  const full = inShell('exec "$0" "$@" > /dev/full');
  const { child, finished } = start(
    args.map((arg) => arg.replace('URL', url)),
    {},
    full,
  );
  child.stdin!.end('{}');
  expect(await finished).toEqual({
    code,
    stdout: '',
    stderr: "plant-store: Standard output can't be written: no space left on device.\n",
  });
});

test('a reader that closes the output changes nothing about the delivery', async () => {
  const receiver = await startReceiver();
  const { child, finished } = start(['send', '-', ...required(receiver.url)]);
  finished.catch(() => {});
  child.stdout!.destroy();
  child.stdin!.end('{}');
  const [said, exit] = await Promise.all([once(child.stderr!, 'data'), once(child, 'exit')]);
  expect([exit, String(said)]).toEqual([[0, null], expect.stringContaining("can't be written: broken pipe")]);
});

test('a reader that closes the output of a help text is no failure', async () => {
  const { child, finished } = start(['--help']);
  finished.catch(() => {});
  child.stdout!.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect([code, stderr]).toEqual([0, '']);
});
