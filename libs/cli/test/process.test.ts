import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import { startReceiver } from './support/receiver.js';
import { file, required, start } from './support/run.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

test('the command takes its answers from the contract', () => {
  const version = execFileSync(process.execPath, [path('../bin/plant-store.js'), '--version'], {
    encoding: 'utf8',
  });
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
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

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a delivery, and says what is known', async (signal) => {
  const receiver = await startReceiver(() => undefined);
  const { child, finished } = start(['send', '-', ...required(receiver.url)]);
  child.stdin!.end('{}');
  await receiver.whenReceived(1);
  child.kill(signal);
  expect(await finished).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^plant-store: outcome unknown/),
  });
});

describe('of a file with many plants', () => {
  /** Sends 20 lines, of which eight are in flight until `respond` is called. Signals go to the whole process group. */
  async function sendMany(program?: readonly [string, ...string[]]) {
    let respond!: (status: number) => void;
    const status = new Promise<number>((resolve) => (respond = resolve));
    const receiver = await startReceiver(() => status);
    const plants = file('{}\n'.repeat(20));
    const options = ['--results', `${plants}.results`, '--concurrency', '8', ...required(receiver.url)];
    const { child, finished } = start(['send', '--ndjson', plants, ...options], {}, program);
    const interrupted = new Promise<void>((resolve) =>
      child.stderr!.on('data', (text) => String(text).includes('interrupted: ') && resolve()),
    );
    await receiver.whenReceived(8);
    const signal = (name: NodeJS.Signals): boolean => process.kill(-child.pid!, name);
    return { respond, finished, interrupted, signal };
  }

  // npx passes on the signal that the command gets as well. With bash, no shell is between them.
  const npx = ['env', 'npm_config_script_shell=bash', 'npx', '--no', 'plant-store'] as const;

  test.each([
    ['the command', undefined],
    ['npx', npx],
  ])(
    'signals that come together, to %s, are one interrupt: what is in flight is waited for',
    async (_name, program) => {
      const { respond, finished, interrupted, signal } = await sendMany(program && [...program]);
      signal('SIGINT');
      signal('SIGTERM');
      await interrupted;
      respond(204);
      expect(await finished).toMatchObject({ stdout: '8 lines: 8 acknowledged\n' });
    },
  );

  test('an interrupt that is repeated ends what is in flight', async () => {
    const { finished, signal } = await sendMany();
    const repeated = setInterval(() => signal('SIGINT'), 100);
    expect(await finished.finally(() => clearInterval(repeated))).toMatchObject({
      code: 4,
      stdout: '8 lines: 0 acknowledged, 8 unknown\n',
    });
  });
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

test('a reader that closes the output changes nothing about the delivery', async () => {
  const receiver = await startReceiver();
  const { child, finished } = start(['send', '-', ...required(receiver.url)]);
  finished.catch(() => {});
  child.stdout!.destroy();
  child.stdin!.end('{}');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
