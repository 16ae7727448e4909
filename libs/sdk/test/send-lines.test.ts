import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, open, readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { type CountingReceiver, startCountingReceiver } from './support/counting-receiver.js';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { type Finished, type Running, startProcess } from './support/run-process.js';
import { accessToken } from './support/senders.js';

const command = fileURLToPath(new URL('fixtures/open-command.mjs', import.meta.url));
const openAddress = ['--method', 'POST', '--content-type', 'application/json'];

function argumentsOf(url: string, file: string, args: readonly string[]): string[] {
  return [command, 'send', file, '--ndjson', '--base-url', url, ...openAddress, ...args];
}

/** The counts that the command prints every ten seconds. A busy machine may take that long. */
const counts = /^plant-store: [\d,]+ lines?: .*\n/gm;

/** Starts the command. Its standard error is without the counts. */
function start({ url }: Pick<CountingReceiver, 'url'>, file: string, ...args: string[]): Running {
  const env = { ACCESS_TOKEN: accessToken };
  const { child, finished } = startProcess(process.execPath, argumentsOf(url, file, args), { env });
  const withoutCounts = finished.then(({ stderr, ...others }) => ({
    ...others,
    stderr: stderr.replaceAll(counts, ''),
  }));
  return { child, finished: withoutCounts };
}

/** Runs the command without input, to its end. */
function run(receiver: Pick<CountingReceiver, 'url'>, file: string, ...args: string[]): Promise<Finished> {
  const { child, finished } = start(receiver, file, ...args);
  child.stdin!.end();
  return finished;
}

function makeFile(content: string | Uint8Array): string {
  const file = join(makeFolder(), 'plants.ndjson');
  writeFileSync(file, content);
  return file;
}

/** Arguments of bash to run Node.js where a file may have 1,024 bytes, as on a full disk. */
const withFullDisk = ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath];

/** A file with so many plants, and its lines. */
function makePlants(count: number): { readonly file: string; readonly lines: readonly string[] } {
  const lines = Array.from({ length: count }, (_, index) => `{"plant": ${index + 1}}`);
  return { file: makeFile(`${lines.join('\n')}\n`), lines };
}

const eachOnce = (lines: readonly string[]): Map<string, number> => new Map(lines.map((line) => [line, 1]));
const sorted = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));

interface Entry {
  readonly line: number;
  readonly outcome: string;
  readonly code: string;
}

async function entriesOf(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}

describe('lines', () => {
  test('are sent as they are, without their line ends; blank lines are skipped', async () => {
    const receiver = await startCountingReceiver();
    const file = makeFile('{ "b":1.0, "a":1e2 }\r\n\n \r\t\n"text"\n{"é":"\\u00e9"}  ');

    expect(await run(receiver, file)).toEqual({ code: 0, stdout: '3 lines: 3 acknowledged\n', stderr: '' });
    const sent = ['{ "b":1.0, "a":1e2 }', '"text"', Buffer.from('{"é":"\\u00e9"}  ').toString('latin1')];
    expect(sorted(receiver.received)).toEqual(sorted(eachOnce(sent)));
    expect(existsSync(`${file}.progress`)).toBe(false);
  });

  test('are sent with these header fields and no others', async () => {
    const server = await startRawServer(acknowledge);

    await run(server, makeFile('"text"\n'));

    expect((await server.request(0)).headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-type: application/json',
      'content-length: 6',
    ]);
  });

  test.each([
    ['nothing', ''],
    ['blank lines', '\n \n'],
  ])('of a file with %s are bad input', async (_, content) => {
    const file = makeFile(content);

    expect(await run({ url: 'http://127.0.0.1:9' }, file)).toEqual({
      code: 2,
      stdout: '0 lines: 0 acknowledged\n',
      stderr: `plant-store: The file ${file} has no line with a plant. Nothing was sent.\n`,
    });
    expect(existsSync(`${file}.progress`)).toBe(false);
  });

  test('that are not JSON fail with their number, and the others are sent', async () => {
    const receiver = await startCountingReceiver();
    const bad = Buffer.concat([
      Buffer.from('\ufeff{}\n{"plant":1}\n{"plant":\u001b[2J\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from('{"plant":2}'),
    ]);

    const { code, stdout, stderr } = await run(receiver, makeFile(bad));

    expect([code, stdout]).toEqual([2, '5 lines: 2 acknowledged, 3 bad input\n']);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^plant-store: line 1: bad input: .*byte order mark/),
      expect.stringMatching(/^plant-store: line 3: bad input: The line is not JSON: .* Not sent\.$/),
      'plant-store: line 4: bad input: The line is not JSON: it is not UTF-8. Not sent.',
    ]);
    expect(stderr).not.toContain('\u001b');
    expect(sorted(receiver.received)).toEqual(sorted(eachOnce(['{"plant":1}', '{"plant":2}'])));
  });

  test('that are too long fail, and the next one is sent', async () => {
    const receiver = await startCountingReceiver();
    const file = makeFile(`"${'x'.repeat(16_777_216)}"\n{}\n`);

    expect(await run(receiver, file)).toEqual({
      code: 2,
      stdout: '2 lines: 1 acknowledged, 1 bad input\n',
      stderr: 'plant-store: line 1: bad input: The line is longer than 16777216 bytes. Not sent.\n',
    });
  });

  test('may have 16,777,216 bytes without their line ends', async () => {
    const receiver = await startCountingReceiver();
    const longest = `"${'x'.repeat(16_777_214)}"`;
    const tooLong = `${longest} `;
    const file = makeFile(`${longest}\n${tooLong}\n${longest}\r\n${tooLong}\r\n${longest}`);

    const { stdout, stderr } = await run(receiver, file);

    expect(stdout).toBe('5 lines: 3 acknowledged, 2 bad input\n');
    expect(stderr.match(/line \d: bad input: The line is longer/g)).toEqual([
      'line 2: bad input: The line is longer',
      'line 4: bad input: The line is longer',
    ]);
  });

  test('are sent so many at a time', async () => {
    const receiver = await startCountingReceiver(() => undefined);
    const { file } = makePlants(5);
    const running = run(receiver, file, '--concurrency', '3');
    await receiver.whenReceived(3);

    expect(receiver.received.size).toBe(3);
    receiver.release();
    expect(await running).toMatchObject({ code: 0, stdout: '5 lines: 5 acknowledged\n' });
  });

  test('do not stay in memory', async () => {
    const receiver = await startCountingReceiver((_, number) => (number === 20_000 ? undefined : 204));
    const { child, finished } = start(receiver, '-');
    const input = child.stdin!;
    for (let line = 1; line <= 20_000; line += 1) {
      if (!input.write(`"${line}${' '.repeat(10_000)}"\n`)) await once(input, 'drain');
    }
    input.end();
    await receiver.whenReceived(20_000);
    const status = platform() === 'linux' ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
    receiver.release();

    expect(await finished).toEqual({ code: 0, stdout: '20,000 lines: 20,000 acknowledged\n', stderr: '' });
    // The lines have 200 MB, and the process needs about 100 MB without them.
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(status) ?? [];
    expect(Number(peak ?? 0)).toBeLessThan(250_000);
  });
});

describe('results', () => {
  const answers: Readonly<Record<string, number>> = { '"refused"': 400, '"busy"': 503, '"lost"': 504 };

  test.each([
    ['unknown before all others', ['"lost"', '"refused"', '{'], 4],
    ['refused before bad input', ['"refused"', '{', '"ok"'], 1],
    ['bad input before acknowledged', ['{', '"ok"'], 2],
  ])('the exit code is that of the worst line: %s', async (_, lines, code) => {
    const receiver = await startCountingReceiver((content) => answers[content] ?? 204);

    expect(await run(receiver, makeFile(lines.join('\n')))).toMatchObject({ code });
  });

  test('if nobody listens, every line is not sent', async () => {
    const { file } = makePlants(3);

    const { code, stdout, stderr } = await run({ url: 'http://127.0.0.1:9' }, file);

    expect([code, stdout]).toEqual([3, '3 lines: 0 acknowledged, 3 not sent\n']);
    expect(stderr).toContain('plant-store: line 2: not sent: ');
    expect(stderr).toMatch(/To send what is not acknowledged, run the same command with --resume\.\n$/);
    expect(await run({ url: 'http://127.0.0.1:9' }, makeFile('1\n{'))).toMatchObject({ code: 2 });
  });

  test('--failed collects what was not acknowledged, with the plants as they are', async () => {
    const receiver = await startCountingReceiver((content) => answers[content.trim()] ?? 204);
    const file = makeFile('"ok"\n"refused" \n{oops\n');
    const failed = join(makeFolder(), 'failed.ndjson');

    const { code, stderr } = await run(receiver, file, '--failed', failed);

    expect(code).toBe(1);
    expect(stderr).not.toContain('line ');
    expect(await readFile(failed, 'utf8')).toContain(',"plant":"refused" }\n');
    expect((await entriesOf(failed)).toSorted((one, other) => one.line - other.line)).toEqual([
      {
        line: 2,
        outcome: 'responded',
        code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
        status: 400,
        message: expect.stringContaining('responded with 400'),
        plant: 'refused',
      },
      {
        line: 3,
        outcome: 'not-sent',
        code: 'LINE_NOT_JSON',
        message: expect.stringContaining('The line is not JSON'),
        text: '{oops',
      },
    ]);
  });

  test('--failed may be an empty file, and has no line that is too long', async () => {
    const failed = makeFile('');

    const { code } = await run(
      { url: 'http://127.0.0.1:9' },
      makeFile(`"${'x'.repeat(16_777_216)}"\n`),
      ...['--failed', failed],
    );

    expect(code).toBe(2);
    expect(await entriesOf(failed)).toEqual([
      {
        line: 1,
        outcome: 'not-sent',
        code: 'LINE_TOO_LONG',
        message: 'The line is longer than 16777216 bytes.',
      },
    ]);
  });

  test('--failed on a full disk loses no entry', async () => {
    if (!existsSync('/dev/full')) return;
    const receiver = await startCountingReceiver((content) => answers[content] ?? 204);

    const { code, stderr } = await run(receiver, makeFile('"refused"\n"busy"\n'), '--failed', '/dev/full');

    expect(code).toBe(1);
    expect(stderr.match(/^plant-store: The file of --failed .*/gm)).toEqual([
      "plant-store: The file of --failed /dev/full can't be written: no space is left on the device. Its entries follow " +
        'here. No further line is sent.',
    ]);
    const entries = stderr.split('\n').filter((line) => line.startsWith('plant-store: {'));
    const lines = entries.map((entry) => (JSON.parse(entry.slice('plant-store: '.length)) as Entry).line);
    expect(lines.toSorted()).toEqual([1, 2]);
  });

  test('--failed on a full disk sends no further line', async () => {
    if (!existsSync('/dev/full')) return;
    const receiver = await startCountingReceiver(() => 400);
    const { file } = makePlants(10);

    const { code, stderr } = await run(receiver, file, '--concurrency', '1', '--failed', '/dev/full');

    expect(code).toBe(1);
    expect(stderr).toContain('run the same command with --resume');
    // The one after the first may have been on its way.
    expect(receiver.received.size).toBeLessThanOrEqual(2);
  });

  test('--failed on a disk that fills up has whole entries, and no entry is lost', async () => {
    const receiver = await startCountingReceiver(() => 400);
    const { lines } = makePlants(10);
    const failed = join(makeFolder(), 'failed.ndjson');
    const limited = startProcess(
      'bash',
      [...withFullDisk, ...argumentsOf(receiver.url, '-', ['--concurrency', '10', '--failed', failed])],
      { env: { ACCESS_TOKEN: accessToken } },
    );
    limited.child.stdin!.end(lines.join('\n'));

    const { stderr } = await limited.finished;

    const printed = stderr.split('\n').filter((line) => line.startsWith('plant-store: {'));
    const entries = [
      ...(await entriesOf(failed)),
      ...printed.map((entry) => JSON.parse(entry.slice('plant-store: '.length)) as Entry),
    ];
    expect(printed.length).toBeGreaterThan(0);
    expect(entries.map(({ line }) => line).toSorted((one, other) => one - other)).toEqual(
      lines.map((_, index) => index + 1),
    );
  });

  test('--json prints the counts', async () => {
    const receiver = await startCountingReceiver((content) => answers[content] ?? 204);
    const file = makeFile('"ok"\n"refused"\n');

    const { code, stdout } = await run(receiver, file, '--json');

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 1,
      complete: true,
      lines: 2,
      acknowledged: 1,
      notAcknowledged: 1,
      badInput: 0,
      notSent: 0,
      unknown: 0,
      acknowledgedBefore: 0,
      progress: `${file}.progress`,
    });
  });
});

describe('--resume', () => {
  test('after a kill sends nothing twice that was acknowledged, and says what is unknown', async () => {
    const { file, lines } = makePlants(2_000);
    const receiver = await startCountingReceiver((_, number) => (number > 500 ? undefined : 204));
    const { child, finished } = start(receiver, file, '--concurrency', '16');
    await receiver.whenReceived(516);
    child.kill('SIGKILL');
    await finished;
    receiver.release();

    const failed = join(makeFolder(), 'failed.ndjson');
    const resumed = await run(receiver, file, '--resume', '--failed', failed);

    expect(resumed.code).toBe(4);
    const unknown = await entriesOf(failed);
    // At least what the receiver held; also what it acknowledged, if the process was killed before it noted that.
    expect(unknown.length).toBeGreaterThanOrEqual(16);
    expect(unknown.length).toBeLessThanOrEqual(32);
    expect(new Set(unknown.map(({ code }) => code))).toEqual(new Set(['EARLIER_OUTCOME_UNKNOWN']));
    expect(sorted(receiver.received)).toEqual(sorted(eachOnce(lines)));

    const again = await run(receiver, file, '--resume', '--resend-unknown');

    expect(again).toMatchObject({
      code: 0,
      stdout: `2,000 lines: 2,000 acknowledged (${(2_000 - unknown.length).toLocaleString('en-US')} by earlier runs)\n`,
    });
    const twice = [...receiver.received].filter(([, count]) => count > 1).map(([line]) => line);
    expect(twice.toSorted()).toEqual(unknown.map(({ line }) => lines[line - 1]).toSorted());
    expect(existsSync(`${file}.progress`)).toBe(false);
  });

  test('sends again what was refused and what was not sent', async () => {
    const { file } = makePlants(1_024);
    let status = 503;
    const receiver = await startCountingReceiver((content) => (content.includes('1001') ? status : 204));
    expect(await run(receiver, file)).toMatchObject({ code: 1 });
    status = 204;

    expect(await run(receiver, file, '--resume')).toEqual({
      code: 0,
      stdout: '1,024 lines: 1,024 acknowledged (1,023 by earlier runs)\n',
      stderr: '',
    });
    expect([...receiver.received].filter(([, count]) => count > 1)).toEqual([['{"plant": 1001}', 2]]);
  });

  test.each([502, 504])(
    'leaves what a gateway passed on before its %i to --resend-unknown',
    async (status) => {
      const { file, lines } = makePlants(2);
      const gateway = await startCountingReceiver(() => status);
      const advice = 'To send unknown lines too, add --resume --resend-unknown.';

      expect(await run(gateway, file)).toMatchObject({
        code: 4,
        stdout: '2 lines: 0 acknowledged, 2 unknown\n',
        stderr: expect.stringContaining(advice) as string,
      });
      const resumed = await run(gateway, file, '--resume');
      expect(resumed).toMatchObject({ code: 4, stdout: '2 lines: 0 acknowledged, 2 unknown\n' });
      expect(sorted(gateway.received)).toEqual(sorted(eachOnce(lines)));

      await run(gateway, file, '--resume', '--resend-unknown');
      expect([...gateway.received.values()]).toEqual([2, 2]);
    },
  );

  test('needs another file for failures, as the advice says', async () => {
    const file = makeFile('"refused"\n"lost"\n');
    const receiver = await startCountingReceiver((content) => (content === '"refused"' ? 400 : 504));
    const folder = makeFolder();
    const failed = join(folder, 'failed.ndjson');

    const { code, stderr } = await run(receiver, file, '--failed', failed);

    expect([code, stderr]).toEqual([
      4,
      'plant-store: To send what is not acknowledged, run the same command with --resume, and name another file with ' +
        '--failed.\nplant-store: To send unknown lines too, add --resume --resend-unknown, and name another file with ' +
        '--failed. They may be delivered twice.\n',
    ]);
    const another = join(folder, 'another.ndjson');
    expect(await run(receiver, file, '--resume', '--failed', failed)).toMatchObject({ code: 2 });
    expect(await run(receiver, file, '--resume', '--failed', another)).toMatchObject({ code: 4 });
  });

  test.each([
    ['that was unknown', '1 unknown\n'],
    ['whose result was not recorded', ''],
  ])('a line %s stays unknown if it is refused later', async (_, recorded) => {
    const file = makeFile('"plant"\n');
    let status = undefined as number | undefined;
    const receiver = await startCountingReceiver(() => status);
    expect(await run(receiver, file, '--attempt-timeout', '500')).toMatchObject({ code: 4 });
    const progress = await readFile(`${file}.progress`, 'utf8');
    expect(progress).toMatch(/\n1 started \w+\n1 unknown\n$/);
    await writeFile(`${file}.progress`, progress.replace('1 unknown\n', recorded));
    status = 400;

    const { code, stderr } = await run(receiver, file, '--resume', '--resend-unknown');

    expect(code).toBe(4);
    expect(stderr).toContain('An earlier delivery may have been accepted.');
    expect(await run(receiver, file, '--resume')).toMatchObject({ code: 4 });
    expect(receiver.received.get('"plant"')).toBe(2);
  });

  test('is not needed after a run that could not begin, because the disk was full', async () => {
    const { file } = makePlants(1);
    const receiver = await startCountingReceiver();
    const { finished } = startProcess(
      'bash',
      ['-c', 'ulimit -f 0; exec "$@"', 'bash', process.execPath, ...argumentsOf(receiver.url, file, [])],
      { env: { ACCESS_TOKEN: accessToken } },
    );

    const { code, stderr } = await finished;

    expect([code, stderr]).toEqual([2, expect.stringContaining("can't be written: it is as large as")]);
    expect(await run(receiver, file)).toMatchObject({ code: 0 });
  });

  test('sends every line after a kill before the first one', async () => {
    const { file, lines } = makePlants(2);
    const receiver = await startCountingReceiver();
    const bytes = readFileSync(file).byteLength;
    writeFileSync(
      `${file}.progress`,
      `plant-store progress 1: ${bytes} bytes to ${receiver.url}/plant/webhook\n`,
    );

    expect(await run(receiver, file, '--resume')).toMatchObject({ code: 0, stderr: '' });
    expect(sorted(receiver.received)).toEqual(sorted(eachOnce(lines)));
  });

  test('goes on, again and again, after a kill that left half a record', async () => {
    const file = makeFile('"refused"\n');
    const receiver = await startCountingReceiver(() => 400);
    await run(receiver, file);
    await appendFile(`${file}.progress`, '1 star');

    expect(await run(receiver, file, '--resume')).toMatchObject({ code: 1 });
    expect(await run(receiver, file, '--resume')).toMatchObject({ code: 1 });
  });

  test('goes on after a record that was not written whole', async () => {
    const { file } = makePlants(100);
    const receiver = await startCountingReceiver();
    const first = startProcess(
      'bash',
      [...withFullDisk, ...argumentsOf(receiver.url, file, ['--concurrency', '2'])],
      {
        env: { ACCESS_TOKEN: accessToken },
      },
    );

    const { code, stderr } = await first.finished;

    expect(code).toBe(3);
    expect(stderr).toContain(`The progress file ${file}.progress can't be written: `);
    const [, list] = /lacks the results of these lines: ([\d, ]+)\./.exec(stderr) ?? [];
    const missing = list === undefined ? [] : list.split(', ').map(Number);
    expect(stderr.includes('--resend-unknown')).toBe(missing.length > 0);
    const resumed = await run(receiver, file, '--resume');
    expect(resumed.code).toBe(missing.length === 0 ? 0 : 4);
    const unknown = [...resumed.stderr.matchAll(/line (\d+): outcome unknown/g)].map(([, line]) =>
      Number(line),
    );
    expect(unknown.toSorted()).toEqual(missing.toSorted());
    expect([...receiver.received.values()].every((count) => count === 1)).toBe(true);
    expect(receiver.received.size).toBe(100);
  });
});

describe('an interrupt', () => {
  test('lets deliveries in flight finish, and says how to continue', async () => {
    const { file, lines } = makePlants(100);
    const receiver = await startCountingReceiver((_, number) => (number > 3 ? undefined : 204));
    const { child, finished } = start(receiver, file, '--concurrency', '4');
    await receiver.whenReceived(7);
    child.kill('SIGINT');
    await new Promise<void>((resolve) =>
      child.stderr!.on('data', (text: Buffer) => text.includes('interrupted') && resolve()),
    );
    receiver.release();

    const { code, stdout, stderr } = await finished;

    expect([code, stdout]).toEqual([3, '7 lines: 7 acknowledged\n']);
    expect(stderr).toBe(
      'plant-store: interrupted: no further line is sent. Waiting for 4 in flight; interrupt again to stop at once.\n' +
        'plant-store: To send what is not acknowledged, run the same command with --resume.\n',
    );
    expect(await run(receiver, file, '--resume')).toMatchObject({ code: 0 });
    expect(sorted(receiver.received)).toEqual(sorted(eachOnce(lines)));
  });

  test('that is repeated stops at once, and what was in flight is unknown', async () => {
    const { file } = makePlants(100);
    const receiver = await startCountingReceiver(() => undefined);
    const { child, finished } = start(receiver, file, '--concurrency', '4');
    await receiver.whenReceived(4);
    child.stderr!.once('data', () => child.kill('SIGINT'));
    child.kill('SIGINT');

    const { code, stdout, stderr } = await finished;

    expect([code, stdout]).toEqual([4, '4 lines: 0 acknowledged, 4 unknown\n']);
    expect(stderr.match(/line \d+: outcome unknown/g)).toHaveLength(4);
    expect(stderr).toContain('To send unknown lines too, add --resume --resend-unknown.');
  });

  test('ends a named pipe to which nothing is written any more', async () => {
    const pipe = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const receiver = await startCountingReceiver();
    const { child, finished } = start(receiver, pipe);
    const writer = await open(pipe, 'w');
    afterThisTest(() => writer.close());
    await writer.write('{"plant":1}\n');
    await receiver.whenReceived(1);
    child.kill('SIGINT');

    const { code, stdout, stderr } = await finished;

    expect([code, stdout]).toEqual([3, '1 line: 1 acknowledged\n']);
    expect(stderr).toContain(`The file ${pipe} was not read to its end. It can't be resumed.`);
  });

  test('before the first line says that the input was not read to its end', async () => {
    const pipe = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { child, finished } = start({ url: 'http://127.0.0.1:9' }, pipe);
    // Opening it for writing waits until the command reads.
    const writer = await open(pipe, 'w');
    afterThisTest(() => writer.close());
    child.kill('SIGINT');

    const { code, stdout, stderr } = await finished;

    expect([code, stdout]).toEqual([3, '0 lines: 0 acknowledged\n']);
    expect(stderr).toContain(`plant-store: The file ${pipe} was not read to its end. It can't be resumed.\n`);
    expect(stderr).not.toContain('no line with a plant');
  });
});

test('a named pipe is sent to its end', async () => {
  const pipe = join(makeFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const receiver = await startCountingReceiver();
  const running = run(receiver, pipe);
  await writeFile(pipe, '1\n2\n3\n');

  expect(await running).toEqual({ code: 0, stdout: '3 lines: 3 acknowledged\n', stderr: '' });
});

describe('wrong files and options are refused before anything is sent', () => {
  const nowhere = { url: 'http://127.0.0.1:9' };

  test('a named pipe for failures, though somebody reads it', async () => {
    const { file } = makePlants(1);
    const pipe = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = await open(pipe, 'r+');
    afterThisTest(() => reader.close());

    expect(await run(nowhere, file, '--failed', pipe)).toEqual({
      code: 2,
      stdout: '',
      stderr: `plant-store: The file ${pipe} of --failed is a pipe or a socket. Name a regular file.\n`,
    });
  });

  test.each<[string, (folder: string, file: string) => string[], string]>([
    ['a missing file', (folder) => [join(folder, 'none')], "can't be read: there is no such file."],
    ['a directory', (folder) => [folder], "can't be read: it is a directory; name a file in it."],
    ['no earlier run', (_, file) => [file, '--resume'], 'There is no progress file'],
    ['standard input to resume', () => ['-', '--resume'], "Standard input can't be read again."],
    [
      'a progress file for standard input',
      (folder) => ['-', '--progress', join(folder, 'new')],
      "Standard input can't be read again.",
    ],
    [
      'a progress file in a missing directory',
      (folder, file) => [file, '--progress', join(folder, 'none/progress')],
      "can't be written: its directory does not exist. Nothing was sent.",
    ],
    [
      'a file of failures with content',
      (_, file) => [file, '--failed', file],
      'has content already. Name a new file.',
    ],
    [
      'a progress file for failures',
      (folder, file) => [file, '--failed', join(folder, 'new'), '--progress', `${folder}/./new`],
      'of --failed is the progress file. Name another file.',
    ],
    [
      'the default progress file for failures',
      (_, file) => [file, '--failed', `${file}.progress`],
      'of --failed is the progress file. Name another file.',
    ],
    [
      'a file of failures whose directory is a file',
      (_, file) => [file, '--failed', join(file, 'failed')],
      "can't be written: a part of its path is not a directory. Nothing was sent.",
    ],
    [
      'a progress file to resume whose directory is a file',
      (_, file) => [file, '--resume', '--progress', join(file, 'progress')],
      "can't be written: a part of its path is not a directory. Nothing was sent.",
    ],
    [
      'another file as the progress',
      (_, file) => [file, '--resume', '--progress', file],
      'is not a progress file',
    ],
    [
      'a concurrency of 0',
      (_, file) => [file, '--concurrency', '0'],
      '--concurrency must be a whole number from 1',
    ],
    ['--resend-unknown alone', (_, file) => [file, '--resend-unknown'], '--resend-unknown needs --resume.'],
  ])('%s', async (_, args, message) => {
    const folder = makeFolder();
    const file = join(folder, 'plants.ndjson');
    await writeFile(file, '{}\n');
    const [operand, ...options] = args(folder, file);

    const { code, stdout, stderr } = await run(nowhere, operand!, ...options);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^plant-store: .*\n$/);
    expect(stderr).toContain(message);
  });

  test('--failed and the others need --ndjson', async () => {
    const { file } = makePlants(1);
    const args = [
      command,
      'send',
      file,
      '--base-url',
      nowhere.url,
      ...openAddress,
      '--failed',
      'x',
      '--concurrency',
      '1',
    ];
    const { finished } = startProcess(process.execPath, args, { env: { ACCESS_TOKEN: accessToken } });

    expect(await finished).toEqual({
      code: 2,
      stdout: '',
      stderr: 'plant-store: --concurrency needs --ndjson.\nplant-store: --failed needs --ndjson.\n',
    });
  });

  describe('after an earlier run', () => {
    async function runEarlier(): Promise<{ file: string; receiver: CountingReceiver }> {
      const file = makeFile('"refused"\n"one"\n"two"\n');
      const receiver = await startCountingReceiver((content) => (content === '"refused"' ? 400 : 204));
      await run(receiver, file);
      await run(receiver, file, '--resume');
      return { file, receiver };
    }

    test.each<[string, (file: string) => unknown, string[], string]>([
      [
        'without --resume',
        () => {},
        [],
        'exists already. If it is the progress file of an earlier run, continue that with --resume',
      ],
      [
        'a file of another size',
        (file) => writeFile(file, '"refused"\n"one"\n"two"\n"four"\n'),
        ['--resume'],
        'has changed since it was sent: it had 22 bytes, and has 29 now.',
      ],
      [
        'another file of the same size',
        (file) => writeFile(file, '"refused"\n"one"\n"owt"\n'),
        ['--resume'],
        'has changed since it was sent: its first 3 lines are not those of the earlier run.',
      ],
      [
        'a damaged progress file',
        (file) =>
          writeFile(`${file}.progress`, readFileSync(`${file}.progress`, 'utf8').replace('\n1 ', '\nx ')),
        ['--resume'],
        'is damaged at its line 2. Nothing was sent.',
      ],
      [
        'an empty progress file',
        (file) => writeFile(`${file}.progress`, ''),
        ['--resume'],
        'is empty: nothing was sent.',
      ],
    ])('%s', async (_, change, args, message) => {
      const { file, receiver } = await runEarlier();
      await change(file);

      const { code, stdout, stderr } = await run(receiver, file, ...args);

      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect([...receiver.received.values()].toSorted()).toEqual([1, 1, 2]);
    });

    test('another address', async () => {
      const { file, receiver } = await runEarlier();

      const { code, stderr } = await run(nowhere, file, '--resume');

      expect(code).toBe(2);
      expect(stderr).toContain(
        `is about deliveries to ${receiver.url}/plant/webhook, and this command sends to`,
      );
    });
  });
});

/** `script`, which gives a command a terminal, has other options on other systems. */
const hasTerminals = platform() === 'linux' && spawnSync('script', ['--version']).status === 0;

(hasTerminals ? test : test.skip)(
  'on a terminal there is a progress bar, which is gone at the end',
  async () => {
    const receiver = await startCountingReceiver((content) => (content.includes('7') ? 400 : 204));
    const { file } = makePlants(10);
    const line = ['stty cols 200;', 'exec', process.execPath, ...argumentsOf(receiver.url, file, [])].join(
      ' ',
    );

    const { stdout } = await startProcess('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env: { ACCESS_TOKEN: accessToken, SHELL: '/bin/sh' },
    }).finished;

    expect(stdout).toMatch(/Sending [█░]+ \d+ %, \d+ lines, \d failed/);
    expect(stdout).toMatch(/Sending █+ 100 %, /);
    expect(stdout).toContain('plant-store: line 7: not acknowledged: ');
    expect(stdout.slice(stdout.lastIndexOf('\u001b'))).toMatch(
      /^\S+plant-store: To send .*--resume\.\r\n10 lines: 9 acknowledged, 1 not acknowledged\r\n$/,
    );
  },
);
