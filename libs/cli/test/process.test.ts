import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';
import { startReceiver } from './support/receiver.js';
import { file, openCommand, required, start } from './support/run.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

test('the command takes its answers from the contract', () => {
  const version = execFileSync(process.execPath, [path('../bin/plant-store.js'), '--version'], {
    encoding: 'utf8',
  });
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('--version loads nothing that only sending needs', () => {
  const hooks = `export async function load(url, context, next) { console.error(url); return next(url, context); }`;
  const register = `import { register } from 'node:module';
    register('data:text/javascript,${encodeURIComponent(hooks)}');`;
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(register)}`,
      path('../bin/plant-store.js'),
      '--version',
    ],
    { encoding: 'utf8' },
  );
  const loaded = stderr.split('\n').filter((url) => url.startsWith('file:'));
  expect(loaded.length).toBeLessThanOrEqual(60);
  expect(loaded.filter((url) => /node_modules\/(?:undici|pg|valibot)\/|example-answers/.test(url))).toEqual(
    [],
  );
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

/** The command in a shell, as `"$0" "$@"`. */
const inShell = (script: string) => ['sh', '-c', script, ...openCommand] as const;

describe('of a file with many plants', () => {
  /** Sends 1,000 lines, of which so many are in flight until `respond` is called. Signals go to the whole process group. */
  async function sendMany(program?: readonly [string, ...string[]], concurrency = 8) {
    let respond!: (status: number) => void;
    const status = new Promise<number>((resolve) => (respond = resolve));
    const receiver = await startReceiver(() => status);
    const plants = file('{}\n'.repeat(1_000));
    const options = [
      '--results',
      `${plants}.results`,
      '--concurrency',
      `${concurrency}`,
      ...required(receiver.url),
    ];
    const { child, finished } = start(['send', '--ndjson', plants, ...options], {}, program);
    let errors = '';
    child.stderr!.on('data', (chunk) => (errors += String(chunk)));
    const said = async (message: string): Promise<void> => {
      while (!errors.includes(message)) await once(child.stderr!, 'data');
    };
    await receiver.whenReceived(8);
    const signal = (name: NodeJS.Signals): boolean => process.kill(-child.pid!, name);
    return { respond, finished, said, signal };
  }

  // npx passes on the signal that the command gets as well. With bash, no shell is between them.
  const npx = ['env', 'npm_config_script_shell=bash', 'npx', '--no', 'plant-store'] as const;

  test.each([
    ['the command', undefined],
    ['npx', npx],
  ])(
    'signals that come together, to %s, are one interrupt: what is in flight is waited for',
    async (_name, program) => {
      const { respond, finished, said, signal } = await sendMany(program && [...program]);
      signal('SIGINT');
      signal('SIGTERM');
      await said('interrupted: ');
      respond(204);
      expect(await finished).toMatchObject({ stdout: '8 lines: 8 acknowledged\n' });
    },
  );

  test('a disk that fills up stops the run, and the acknowledged lines that are not recorded are unknown', async () => {
    const { finished, respond, said } = await sendMany(inShell('ulimit -f 1; exec "$0" "$@"'), 1_000);
    await said('file too large. No further line is sent.');
    respond(204);
    const { code, stdout, stderr } = await finished;
    const [, count] = /^(\d+) lines: \1 acknowledged, \1 not recorded\n$/.exec(stdout) ?? [];
    expect([code, Number(count)]).toEqual([4, expect.any(Number)]);
    expect(stderr).toContain(`plant-store: ${count} acknowledged lines were not recorded. With --resume`);
    expect(stderr).not.toContain('safe');
  });

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
