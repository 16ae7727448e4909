import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Answers, openQuestions } from '@plant-store/contract';
import { exampleAnswers as everyAnswer } from '@plant-store/example-answers';
import { afterThisTest } from '@plant-store/test-support';
import { Webhook } from 'standardwebhooks';
import { runCommand } from '../src/cli/command.js';
import { useClocksThatRunOut } from './support/clocks.js';
import { acknowledge, respondWith, fieldsOf, startRawServer, staySilent } from './support/raw-server.js';
import type { Finished } from './support/run-process.js';
import { accessToken, arbitrary } from './support/senders.js';

/** Example answers. */
const exampleAnswers = {
  'base-address': 'http://127.0.0.1:9/example',
  'http-method': 'PUT',
  'media-type': 'application/json',
} as const satisfies Answers;

interface Situation {
  readonly given?: Answers;
  readonly environment?: NodeJS.ProcessEnv;
  readonly stdin?: Readable;
  readonly signal?: AbortSignal;
}

async function run(args: readonly string[], situation: Situation = {}): Promise<Finished> {
  const finished = await runToTheEnd(args, situation);
  expect(finished.stderr).not.toMatch(/^\s+at /m);
  return finished;
}

async function runToTheEnd(args: readonly string[], situation: Situation): Promise<Finished> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCommand(args, {
    given: {},
    accepts: {},
    environment: { ACCESS_TOKEN: accessToken },
    stdin: Readable.from([]),
    signal: new AbortController().signal,
    catchSecondInterrupt: () => new AbortController().signal,
    ...situation,
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  const finished = { code, stdout: await text(stdout), stderr: await text(stderr) };
  expect(finished.stdout + finished.stderr).not.toContain(accessToken);
  return finished;
}

async function file(content: string | Uint8Array = arbitrary): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  const path = join(folder, 'content');
  await writeFile(path, content);
  return path;
}

const required = (url: string): string[] => [
  ...['--base-url', url],
  ...['--method', 'POST'],
  ...['--content-type', 'text/plain'],
];

describe('plant-store send', () => {
  test('sends the bytes of a file and prints one line', async () => {
    const server = await startRawServer(acknowledge);
    const content = Uint8Array.from({ length: 256 }, (_, index) => index);

    const finished = await run(['send', await file(content), ...required(server.url)]);

    expect(finished).toEqual({
      code: 0,
      stdout: `acknowledged: 204, 256 bytes sent with POST to ${server.url}/plant/webhook\n`,
      stderr: '',
    });
    const request = await server.request(0);
    expect(request.content.equals(content)).toBe(true);
    expect(request.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-type: text/plain',
      'content-length: 256',
    ]);
  });

  test('sends standard input', async () => {
    const server = await startRawServer(acknowledge);
    const stdin = Readable.from([Buffer.from('arbi'), Buffer.from('trary')]);

    expect(await run(['send', '-', ...required(server.url)], { stdin })).toMatchObject({ code: 0 });
    expect((await server.request(0)).content.toString()).toBe('arbitrary');
  });

  test('with example answers needs no address, method and media type', async () => {
    const server = await startRawServer(acknowledge);
    const given = { ...exampleAnswers, 'base-address': server.url };

    expect(await run(['send', await file('{}')], { given })).toMatchObject({
      code: 0,
      stdout: `acknowledged: 204, 2 bytes sent with PUT to ${server.url}/plant/webhook\n`,
    });
    const { headers, content } = await server.request(0);
    expect(headers).toContain('content-type: application/json');
    expect(content.toString()).toBe('{}');
  });

  test('with an answered media type sends the one of the option, which may have parameters', async () => {
    const server = await startRawServer(acknowledge);
    const given = { ...exampleAnswers, 'base-address': server.url };
    const type = 'Application/JSON; charset=utf-8';

    expect(await run(['send', await file('{}'), '--content-type', type], { given })).toMatchObject({
      code: 0,
    });
    expect((await server.request(0)).headers).toContain(`content-type: ${type}`);
  });

  test('names the questions that make options required, all at once', async () => {
    const { code, stdout, stderr } = await run(['send', await file()]);

    expect([code, stdout]).toEqual([2, '']);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(3);
    const questions = [
      ['--base-url', 'base-address'],
      ['--method', 'http-method'],
      ['--content-type', 'media-type'],
    ] as const;
    questions.forEach(([flag, id], index) => {
      expect(lines[index]).toContain(`plant-store: ${flag} is missing`);
      expect(lines[index]).toContain(id);
      expect(lines[index]).toContain(openQuestions.find((entry) => entry.id === id)!.question);
    });
  });

  test('lists all faults at once', async () => {
    const { code, stderr } = await run(
      ['send', '/no/such/file', '--base-url', 'x', '--method', 'get', '--nope'],
      {
        environment: {},
      },
    );

    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('--nope is not an option'),
      expect.stringContaining('There is no access token'),
      expect.stringContaining('--base-url must be an absolute URL'),
      expect.stringContaining('--method must be one of POST, PUT, PATCH'),
      expect.stringContaining('--content-type is missing'),
      expect.stringContaining("/no/such/file can't be read: there is no such file"),
    ]);
  });
});

describe('a command line that is almost right', () => {
  const usage = 'The commands are send, completion, outbox. See plant-store --help.';
  const complete = required('http://127.0.0.1:9');

  test.each<[string, string[], string[]]>([
    ['no command', [], [`The command is missing. ${usage}`]],
    ['another command', ['foo'], [`foo is not a command. ${usage}`]],
    ['a file without a command', ['content.json', ...complete], [`content.json is not a command. ${usage}`]],
    [
      'a misspelt option of the whole command',
      ['--hlep'],
      ['--hlep is not an option. Did you mean --help? See plant-store --help.'],
    ],
    [
      'a misspelt option with its value',
      ['send', '-', ...complete.slice(0, 4), '--content-typ', 'text/plain'],
      ['--content-typ is not an option. Did you mean --content-type? See plant-store --help.'],
    ],
    [
      'a misspelt option before the file',
      ['send', '--content-typ', 'text/plain', '-', ...complete.slice(0, 4)],
      ['--content-typ is not an option. Did you mean --content-type? See plant-store --help.'],
    ],
    [
      'the beginning of an option',
      ['send', '-', ...complete.slice(0, 4), '--content=text/plain'],
      ['--content is not an option. Did you mean --content-type? See plant-store --help.'],
    ],
    [
      'a misspelt file of the access token',
      ['send', '-', ...complete, '--acess-token-file', 'x'],
      ['--acess-token-file is not an option. Did you mean --access-token-file? See plant-store --help.'],
    ],
    [
      'an unknown option that is like no other',
      ['send', '-', ...complete, '--verbose'],
      ['--verbose is not an option. See plant-store --help.'],
    ],
    [
      'an option of one letter',
      ['send', '-', ...complete, '-j'],
      ['-j is not an option. See plant-store --help.'],
    ],
    [
      'an option with a letter too many, which is like two others',
      ['send', '-', ...complete, '--jjson'],
      ['--jjson is not an option. Did you mean --json? See plant-store --help.'],
    ],
    [
      'an option with a letter too many at its end',
      ['send', '-', ...complete, '--methodd', 'POST'],
      ['--methodd is not an option. Did you mean --method? See plant-store --help.'],
    ],
    [
      'a misspelt switch before the file',
      ['send', ...complete, '--jsn', 'content.json'],
      ['--jsn is not an option. Did you mean --json? See plant-store --help.'],
    ],
    [
      'a file with the name of an option',
      ['send', ...complete, '--', '--base-url'],
      ["The file --base-url can't be read: there is no such file."],
    ],
    [
      'an option without its value at the end',
      ['send', '-', ...complete.slice(2), '--base-url'],
      ['--base-url needs a value: --base-url URL.'],
    ],
    [
      'an option without its value before another',
      ['send', '-', '--base-url', ...complete.slice(2)],
      ['--base-url needs a value: --base-url URL.'],
    ],
    [
      'an option with an empty value',
      ['send', '-', '--base-url=', ...complete.slice(2)],
      ['--base-url needs a value: --base-url URL.'],
    ],
  ])('%s: the message says what to do, without faults that follow from it', async (_, args, faults) => {
    const environment = args.includes('--acess-token-file') ? {} : { ACCESS_TOKEN: accessToken };

    const { code, stdout, stderr } = await run(args, { environment });

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n')).toEqual(faults.map((fault) => `plant-store: ${fault}`));
  });

  test('a value that follows an unknown option is not repeated, because it may be a secret', async () => {
    for (const args of [
      ['--acces-token', accessToken],
      ['--tokn', accessToken, 'send'],
      ['--token', 'Bearer', accessToken],
      ['-t', accessToken],
    ]) {
      expect((await run(args)).stderr).not.toContain(accessToken);
    }
  });
});

describe('standard input that is a terminal', () => {
  test('gets a hint that the command waits', async () => {
    const server = await startRawServer(acknowledge);
    const stdin = Object.assign(Readable.from([Buffer.from(arbitrary)]), { isTTY: true });

    expect(await run(['send', '-', ...required(server.url)], { stdin })).toMatchObject({
      code: 0,
      stderr: 'plant-store: reading from standard input. Press Ctrl-D to end it.\n',
    });
  });

  test('gets no hint if a file is sent or the command line is wrong', async () => {
    const server = await startRawServer(acknowledge);
    const stdin = Object.assign(Readable.from([]), { isTTY: true });

    expect((await run(['send', await file(), ...required(server.url)], { stdin })).stderr).toBe('');
    expect((await run(['send', '-'], { stdin })).stderr).not.toContain('standard input');
  });
});

describe('bad input', () => {
  test.each([
    ['no command', [], 'The commands are send'],
    ['another command', ['receive', 'x'], 'The commands are send'],
    ['no file', ['send'], 'Name exactly one FILE, or - for standard input (got 0)'],
    ['two files', ['send', 'a', 'b'], 'Name exactly one FILE, or - for standard input (got 2)'],
    ['a directory', ['send', tmpdir()], 'it is a directory'],
    [
      'a value for a switch',
      ['send', '-', '--allow-insecure-transport=x'],
      '--allow-insecure-transport takes no value',
    ],
    ['an option without its value', ['send', '-', '--method'], '--method needs a value'],
    ['an option in place of a value', ['send', '-', '--method', '--base-url', 'x'], '--method needs a value'],
    [
      'a time-out that is no number',
      ['send', '-', '--total-timeout', '5s'],
      '--total-timeout must be a whole number of milliseconds from 1 to 2147483647 (got 5s).',
    ],
    [
      'a time-out of 0',
      ['send', '-', '--connect-timeout', '0'],
      '--connect-timeout must be a whole number of milliseconds from 1 to 2147483647 (got 0).',
    ],
    ['an invalid media type', ['send', '-', '--content-type', 'json'], '--content-type must be a media type'],
    ['an unknown option', ['send', '-', '-x'], '-x is not an option'],
    ['plain HTTP', ['send', '-', '--base-url', 'http://example.test'], 'or --allow-insecure-transport.'],
    [
      'a token as an argument',
      ['send', '-', '--access-token', accessToken],
      'every user of this machine can see arguments',
    ],
    [
      'a token as an inline argument',
      ['send', '-', `--access-token=${accessToken}`],
      'every user of this machine can see arguments',
    ],
    [
      'a token behind a mistyped option',
      ['send', '-', '--acces-token', accessToken],
      '--acces-token is not an option. --access-token does not exist, because every user of this machine',
    ],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('empty content', async () => {
    const server = await startRawServer(acknowledge);
    const path = await file('');

    for (const operand of [path, '-']) {
      const { code, stderr } = await run(['send', operand, ...required(server.url)]);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^plant-store: .* is empty\. A delivery must carry information about a plant\. Nothing was sent\.\n$/,
      );
    }
    expect(server.requests).toEqual([]);
  });

  test.each([[[]], [['--ndjson']]])('a file without permission to read %j', async (args) => {
    if (process.getuid?.() === 0) return;
    const path = await file();
    await chmod(path, 0);

    expect(await run(['send', path, ...args, ...required('http://127.0.0.1:9')])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^plant-store: .* this user has no permission to read it\.\n$/),
    });
  });
});

describe('the access token', () => {
  async function authorizationWith(
    environment: NodeJS.ProcessEnv,
    ...args: string[]
  ): Promise<string | undefined> {
    const server = await startRawServer(acknowledge);
    const finished = await run(['send', await file(), ...required(server.url), ...args], { environment });
    expect(finished).toMatchObject({ code: 0 });
    return server.requests[0]!.headers[2];
  }

  test('comes from the file of the option, else ACCESS_TOKEN, else the file in ACCESS_TOKEN_FILE', async () => {
    const named = await file('named');
    const environment = { ACCESS_TOKEN: ' direct\n', ACCESS_TOKEN_FILE: await file('other') };

    expect(await authorizationWith(environment, '--access-token-file', named)).toBe(
      'authorization: Bearer named',
    );
    expect(await authorizationWith(environment)).toBe('authorization: Bearer direct');
    expect(await authorizationWith({ ...environment, ACCESS_TOKEN: '' })).toBe('authorization: Bearer other');
  });

  test('is the first line of a file that is neither empty nor a comment', async () => {
    const ACCESS_TOKEN_FILE = await file('\n# the current one\r\n  first \r\nsecond\n');

    expect(await authorizationWith({ ACCESS_TOKEN_FILE })).toBe('authorization: Bearer first');
  });

  test.each([
    ['an empty file', '', 'contains no token'],
    ['a file of comments', '# none\n', 'contains no token'],
    ['a file of prose', `${accessToken} or so`, 'is invalid. It must consist of'],
  ])('is refused in %s', async (_, content, message) => {
    const path = await file(content);

    const { code, stderr } = await run(['send', await file(), '--access-token-file', path]);

    expect(code).toBe(2);
    expect(stderr).toContain(path);
    expect(stderr).toContain(message);
  });

  test('is missing', async () => {
    const { code, stderr } = await run(['send', '-'], { environment: {} });

    expect(code).toBe(2);
    expect(stderr).toContain('There is no access token. Pass its file with --access-token-file');
  });
});

describe('a delivery that fails', () => {
  const status = (code: number, headers = ''): string =>
    `HTTP/1.1 ${code} Arbitrary\r\n${headers}Content-Length: 0\r\n\r\n`;

  test.each([
    [300, '', 'Redirects are not followed'],
    [302, '', 'Redirects are not followed'],
    [400, '', 'refused the delivery'],
    [401, 'WWW-Authenticate: Bearer\r\n', 'Check the token in ACCESS_TOKEN'],
    [403, '', 'refused the delivery'],
    [404, '', 'Check --base-url'],
    [405, 'Allow: PUT, PATCH\r\n', 'only PUT, PATCH. Check --method'],
    [405, 'Allow: what you like\r\n', 'this method. Check --method'],
    [413, '', 'too large for the receiver'],
    [415, '', 'Check --content-type'],
    [418, '', 'refused the delivery'],
    [500, '', 'refused the delivery'],
    [503, '', 'not available at the moment'],
  ])('with %i %j exits with 1', async (code, headers, advice) => {
    const { url } = await startRawServer(respondWith(status(code, headers)));

    const finished = await run(['send', await file(), ...required(url)]);

    expect(finished).toMatchObject({ code: 1, stdout: '' });
    expect(finished.stderr).toMatch(/^plant-store: not acknowledged: .*\n$/);
    expect(finished.stderr).toContain(`responded with ${code}`);
    expect(finished.stderr).toContain(advice);
  });

  test.each([502, 504])('with %i of a gateway exits with 4', async (code) => {
    const { url } = await startRawServer(respondWith(status(code)));

    const finished = await run(['send', await file(), ...required(url), '--json']);

    expect(finished.code).toBe(4);
    expect(finished.stderr).toMatch(
      /^plant-store: outcome unknown: .* A gateway responds so .* may have accepted the plant\. .* twice\.\n$/,
    );
    expect(JSON.parse(finished.stdout)).toMatchObject({ exitCode: 4, outcome: 'unknown', status: code });
  });

  test('because nobody listens exits with 3', async () => {
    const server = await startRawServer(acknowledge);
    server.server.close();
    await once(server.server, 'close');

    const { code, stderr } = await run(['send', await file(), ...required(server.url)]);

    expect(code).toBe(3);
    expect(stderr).toMatch(/^plant-store: not sent: .*ECONNREFUSED.* Is the receiver running there\?.*\n$/);
  });

  test('because the receiver speaks plain HTTP instead of TLS says so', async () => {
    const plain = createServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    afterThisTest(() => plain.close());
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;

    const { code, stderr } = await run(['send', await file(), ...required(url)]);

    expect(code).toBe(3);
    expect(stderr).toBe(
      `plant-store: not sent: Could not connect to ${url}: the receiver does not speak TLS on this port. ` +
        'Use http:// if it speaks plain HTTP. Check --base-url. It is safe to send again.\n',
    );
  });

  test.each([
    ['closes the connection', ({ socket }: { socket: { destroy(): unknown } }) => void socket.destroy()],
    ['never responds', staySilent],
  ])('because the receiver %s exits with 4', async (_, handle) => {
    const { url } = await startRawServer(handle);

    const { code, stderr } = await run(['send', await file(), ...required(url), '--attempt-timeout', '100']);

    expect(code).toBe(4);
    expect(stderr).toMatch(/^plant-store: outcome unknown: .* may be delivered twice\.\n$/);
  });

  test('because the user interrupts it prints the outcome', async () => {
    const server = await startRawServer(staySilent);
    const controller = new AbortController();
    const running = run(['send', await file(), ...required(server.url)], { signal: controller.signal });
    await server.request(0);
    controller.abort();

    expect(await running).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/outcome unknown: .*aborted/),
    });
  });

  test('because the user interrupts standard input: nothing is sent', async () => {
    const controller = new AbortController();
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const stdin = new Readable({ read: () => begin() });
    const running = run(['send', '-', ...required('http://127.0.0.1:9'), '--json'], {
      stdin,
      signal: controller.signal,
    });
    await begun;
    controller.abort();

    const { code, stdout, stderr } = await running;
    expect([code, stderr]).toEqual([3, 'plant-store: not sent: interrupted.\n']);
    expect(JSON.parse(stdout)).toEqual({ exitCode: 3, outcome: 'not-sent', message: 'interrupted.' });
  });
});

describe('--json prints one object to standard output', () => {
  test('for an acknowledgement', async () => {
    const server = await startRawServer(acknowledge);

    const { code, stdout, stderr } = await run(['send', await file(), ...required(server.url), '--json']);

    expect([code, stderr]).toEqual([0, '']);
    const url = `${server.url}/plant/webhook`;
    const expected = { exitCode: 0, outcome: 'acknowledged', status: 204, bytes: 17, method: 'POST', url };
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('for a refusal', async () => {
    const server = await startRawServer(respondWith('HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n'));

    const { stdout, stderr } = await run(['send', await file(), ...required(server.url), '--json']);

    expect(stderr).toMatch(/^plant-store: not acknowledged: /);
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 1,
      outcome: 'responded',
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      status: 400,
      message: expect.stringContaining('responded with 400'),
    });
  });

  test('for bad input', async () => {
    const { stdout, stderr } = await run(['send', '--json', ...required('http://127.0.0.1:9')]);

    const fault = 'Name exactly one FILE, or - for standard input (got 0).';
    expect(stderr).toBe(`plant-store: ${fault}\n`);
    expect(JSON.parse(stdout)).toEqual({ exitCode: 2, faults: [fault] });
  });

  test('for a fault of the program, whose stack is on standard error', async () => {
    const environment = new Proxy({}, { get: () => raise(new Error('arbitrary fault')) });

    const finished = await runToTheEnd(['send', await file(), '--json'], { environment });

    expect(finished.code).toBe(4);
    expect(finished.stderr).toMatch(/^plant-store: internal error\. .*: Error: arbitrary fault\n\s+at /);
    const message = 'internal error: arbitrary fault';
    expect(JSON.parse(finished.stdout)).toEqual({ exitCode: 4, outcome: 'unknown', message });
  });
});

function raise(error: Error): never {
  throw error;
}

test('in a pipe, --ndjson prints the counts every ten seconds', async () => {
  const runOut = useClocksThatRunOut(10_000);
  const server = await startRawServer(staySilent);
  const path = await file('{"plant":1}\n');
  const running = run(['send', path, '--ndjson', ...required(server.url)]);
  const request = await server.request(0);
  runOut();
  acknowledge(request);

  expect(await running).toEqual({
    code: 0,
    stdout: '1 line: 1 acknowledged\n',
    stderr: 'plant-store: 0 lines: 0 acknowledged\n',
  });
});

describe('help', () => {
  test('names every option, the open questions and the exit codes', async () => {
    const { code, stdout } = await run(['--help']);

    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: plant-store send FILE|- [options]
             plant-store completion bash|zsh|fish
             plant-store outbox COMMAND

      Sends the content of FILE, or of standard input for -, as the New Plant notification. The bytes are sent
      unchanged, in one attempt.

      Options:
        --base-url URL              address to which the delivery path is appended (required: question base-address is open)
        --method METHOD             HTTP method: POST, PUT or PATCH (required: question http-method is open)
        --content-type TYPE         media type of the content, such as type/subtype (required: question media-type is open)
        --access-token-file FILE    file with the access token
        --connect-timeout MS        time for connecting (default: 5000 ms)
        --attempt-timeout MS        time for one attempt, to the end of the response (default: 15000 ms)
        --total-timeout MS          time for the whole delivery (default: 30000 ms)
        --allow-insecure-transport  allow plain HTTP to addresses that are not loopback
        --json                      print the result as JSON
        --help                      print this text
        --version                   print the version

      Options for a file with many plants, one on each line (NDJSON):
        --ndjson                    send each line of FILE as one plant; a line is JSON
        --concurrency N             how many lines are sent at the same time (default: 64)
        --failed FILE               new file for the lines that are not acknowledged, with the reason
        --progress FILE             file that records what was sent (default: FILE.progress)
        --resume                    continue a run that ended early: send what is not acknowledged
        --resend-unknown            also send lines that the receiver may have accepted

      The access token is never an argument. It is read from, in this order:
        1. the file of --access-token-file
        2. the environment variable ACCESS_TOKEN
        3. the file that the environment variable ACCESS_TOKEN_FILE names
      In a file, the first line that is neither empty nor a comment (#) counts.

      Exit codes:
        0                           acknowledged: the receiver responded with 2xx
        1                           not acknowledged: the receiver responded with another status
        2                           bad input: an argument, a file or the access token is wrong; nothing was sent
        3                           not sent: no request reached a connection; it is safe to send again
        4                           unknown: no response came from the receiver; it may have accepted the plant
        5                           not built: the command has to be compiled first; nothing was sent
      With --ndjson, the exit code is that of the worst line: 4, then 1, 2, 3. Lines that were not read count as not sent.

      Commands of plant-store outbox, for the database that PLANT_STORE_OUTBOX_URL names (see plant-store outbox --help):
        migrate                     create the tables, or bring them to the version that this package needs
        status                      count the entries that wait, are being sent, and are parked
        list [--json]               list the parked entries, each on a line
        replay ID...|--all          let relays send parked entries again
        discard ID...|--all         give parked entries up

      plant-store completion prints a script for a shell. Load it with: source <(plant-store completion bash)
      "
    `);
  });

  test('with example answers shows them as defaults', async () => {
    const { stdout } = await run(['send', '-h'], { given: exampleAnswers });

    expect(stdout).toContain('(default: PUT)');
    expect(stdout).not.toContain('is open');
  });

  test('the version is that of the package', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('with an answer to every question', () => {
  const signingKey = 'whsec_YW4gZXhhbXBsZSBrZXkgb2YgMzIgYnl0ZXMgaGVyZSE=';
  const environment = { ACCESS_TOKEN: 'example-token', PLANT_STORE_SIGNING_KEY: signingKey };
  const content = 'sent as it is, though it is no JSON';
  const taken = respondWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  const answersFor = (url: string): Answers => ({ ...everyAnswer, 'base-address': url });

  test('it sends the content unchanged, with its identifier and signature', async () => {
    const server = await startRawServer(taken);
    const given = answersFor(server.url);

    const args = ['send', await file(content), '--event-id', 'example-1'];
    expect(await run(args, { given, environment })).toMatchObject({
      code: 0,
      stdout: `acknowledged: 200, 35 bytes sent with PUT to ${server.url}/plant/webhook\n`,
    });

    const request = await server.request(0);
    expect(request.content.toString()).toBe(content);
    const fields = fieldsOf(request);
    expect(fields).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'example-1' });
    const verify = (): unknown => new Webhook(signingKey).verify(content, fields, { jsonParse: false });
    expect(verify).not.toThrow();
  });

  test.each([
    ['PLANT_STORE_SIGNING_KEY_FILE', []],
    ['', ['--signing-key-file']],
  ])('the signing key may be in a file: %s %j', async (variable, option) => {
    const server = await startRawServer(taken);
    const key = await file(`# the current one\n${signingKey}\n`);
    const args = ['send', await file(content), '--event-id', '1', ...option.flatMap((name) => [name, key])];
    const where = { ACCESS_TOKEN: 'example-token', ...(variable !== '' && { [variable]: key }) };

    expect(await run(args, { given: answersFor(server.url), environment: where })).toMatchObject({ code: 0 });
  });

  test('answers that cannot be carried out are listed, each on a line', async () => {
    const given = { signing: 'hmac', 'size-limits': -1, 'base-address': undefined } as unknown as Answers;

    const { code, stdout, stderr } = await run(['send', '-'], { given });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const faults = [
      'signing: must be { algorithm: "hmac-sha256" | "hmac-sha512", ',
      'size-limits: must be a whole number of bytes from 1 to 400,000,000; or { inWords: ',
      'base-address: must be an absolute https URL without query and fragment ',
    ].map((fault) => `plant-store: An answer of @plant-store/contract cannot be carried out: ${fault}`);
    expect(stderr.split(/\n(?=.)/)).toEqual(faults.map((fault): unknown => expect.stringContaining(fault)));
  });

  test('all missing options and secrets are listed at once', async () => {
    const { code, stderr } = await run(['send', await file(content)], {
      given: everyAnswer,
      environment: {},
    });

    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('--event-id is missing'),
      expect.stringContaining('There is no access token'),
      expect.stringContaining(
        'There is no signing key. Pass its file with --signing-key-file, or set PLANT_STORE_SIGNING_KEY or',
      ),
    ]);
  });

  test('what the answers do not allow is listed, without secrets', async () => {
    const args = ['send', await file(content), '--event-id', ' a', '--content-type', 'text/plain'];
    const secrets = { ACCESS_TOKEN: accessToken, PLANT_STORE_SIGNING_KEY: `whsec_${accessToken}!` };

    const { code, stderr } = await run(args, { given: everyAnswer, environment: secrets });

    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('--event-id must be printable ASCII'),
      expect.stringContaining('The access token in ACCESS_TOKEN is invalid'),
      expect.stringContaining('The signing key must be whsec_ and then base64'),
      expect.stringContaining('--content-type must be application/json'),
    ]);
  });

  test('each line of a file is sent with the identifier of its event', async () => {
    const server = await startRawServer(taken);
    const path = await file('{"event":{"id":"one"}}\n{"event":{}}\n{"event":{"id":2}}\n');
    const args = ['send', path, '--ndjson', '--concurrency', '1', '--event-id-pointer', '/event/id'];

    const { code, stdout, stderr } = await run(args, { given: answersFor(server.url), environment });

    expect([code, stdout]).toEqual([2, '3 lines: 2 acknowledged, 1 bad input\n']);
    expect(stderr).toContain(
      'line 2: bad input: The identifier of the event at /event/id in the line is missing.',
    );
    expect(server.requests.map((request) => fieldsOf(request)['webhook-id'])).toEqual(['one', '2']);
  });

  test('a line whose identifier is a number that is not exact is not sent', async () => {
    const server = await startRawServer(taken);
    const numbers = ['9007199254740993', '1e400', '0.1', '9007199254740991', '-1.0'];
    const path = await file(numbers.map((number) => `{"id":${number}}\n`).join(''));
    const args = ['send', path, '--ndjson', '--concurrency', '1', '--event-id-pointer', '/id'];

    const { code, stdout, stderr } = await run(args, { given: answersFor(server.url), environment });

    expect([code, stdout]).toEqual([2, '5 lines: 2 acknowledged, 3 bad input\n']);
    expect(stderr).toContain(
      'line 1: bad input: The identifier of the event at /id in the line must be a string, or a whole number from ' +
        '-9007199254740991 to 9007199254740991. Not sent.\n',
    );
    expect(server.requests.map((request) => fieldsOf(request)['webhook-id'])).toEqual([
      '9007199254740991',
      '-1',
    ]);
  });

  test.each([
    [[], '--event-id-pointer is missing.'],
    [['--event-id-pointer', 'id'], '--event-id-pointer must be a JSON Pointer'],
    [['--event-id-pointer', '/id', '--event-id', '1'], '--event-id is for one plant.'],
  ])('with --ndjson, %j is refused', async (args, message) => {
    const given = answersFor('http://127.0.0.1:9');

    const { code, stderr } = await run(['send', await file('{}'), '--ndjson', ...args], {
      given,
      environment,
    });

    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test('content that is too large is not sent', async () => {
    const server = await startRawServer(taken);
    const args = ['send', await file('x'.repeat(1_001)), '--event-id', '1'];

    expect(await run(args, { given: answersFor(server.url), environment })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        / not sent: The content has 1001 bytes\. .* \(question size-limits\)\.\n$/,
      ),
    });
    expect(server.requests).toEqual([]);
  });

  test('it is retried as the policy says', async () => {
    const server = await startRawServer((request, index) => {
      if (index === 2) taken(request);
      else respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request);
    });
    const args = ['send', await file(content), '--event-id', '1'];

    expect(await run(args, { given: answersFor(server.url), environment })).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    [403, '', 'does not accept the signature. Check the key in PLANT_STORE_SIGNING_KEY'],
    [409, '', 'The receiver does not accept this content'],
    [400, '{"code":"EXAMPLE_TOKEN"}', 'Check the token in ACCESS_TOKEN'],
    [204, '', 'Only the answered status acknowledges a delivery (question receiver-response)'],
  ])('after %i %s the advice follows the answers', async (status, payload, advice) => {
    const type = payload === '' ? '' : 'Content-Type: application/problem+json\r\n';
    const length = status === 204 ? '' : `Content-Length: ${payload.length}\r\n`;
    const server = await startRawServer(
      respondWith(`HTTP/1.1 ${status} Arbitrary\r\n${type}${length}\r\n${payload}`),
    );
    const args = ['send', await file(content), '--event-id', '1'];

    expect(await run(args, { given: answersFor(server.url), environment })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(advice),
    });
  });

  test('if the time runs out between two attempts, the advice is that of the last response', async () => {
    const server = await startRawServer(respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n'));
    const given = { ...answersFor(server.url), retry: { ...everyAnswer.retry, delays: [600_000] } };
    const args = ['send', await file(content), '--event-id', '1', '--total-timeout', '1000'];

    const { code, stderr } = await run(args, { given, environment });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^plant-store: not acknowledged: .* The receiver is not available at the moment\. .*\n$/,
    );
  });

  test('if the receiver is gone after it refused, the message does not call sending again safe', async () => {
    const server = await startRawServer((request) => {
      server.server.close();
      request.socket.end('HTTP/1.1 503 Arbitrary\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
    const args = ['send', await file(content), '--event-id', '1'];

    const { code, stderr } = await run(args, { given: answersFor(server.url), environment });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^plant-store: not acknowledged: .*ECONNREFUSED.* refused an earlier attempt\.\n$/,
    );
  });

  test('if the outcome of one attempt is unknown, that of the delivery is too', async () => {
    const server = await startRawServer((request, index) => {
      if (index === 0) request.socket.destroy();
      else respondWith('HTTP/1.1 400 Arbitrary\r\nContent-Length: 0\r\n\r\n')(request);
    });
    const args = ['send', await file(content), '--event-id', '1'];

    expect(await run(args, { given: answersFor(server.url), environment })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^plant-store: outcome unknown: .*responded with 400.* may be delivered twice/,
      ),
    });
  });

  test('help shows the options and defaults that the answers bring', async () => {
    const { stdout } = await run(['--help'], { given: everyAnswer });

    expect(stdout).toContain('unchanged, in up to 3 attempts (question retry).');
    expect(stdout).toContain('--event-id ID ');
    expect(stdout).toContain('--signing-key-file FILE ');
    expect(stdout).toContain('PLANT_STORE_SIGNING_KEY_FILE');
    expect(stdout).toContain('(default: 4000 ms)');
    expect(stdout).toContain('(default: 38300 ms)');
    expect(stdout).toContain('acknowledged: the receiver responded with 200\n');
    expect(stdout).toContain(
      'bad input: an argument, a file, the access token or the signing key is wrong; nothing',
    );
    expect(stdout).toContain('unknown: an attempt got no response from the receiver; it');
    expect(stdout).not.toContain('is open');
  });
});

test.each([
  ['--event-id', 'example'],
  ['--signing-key-file', 'example'],
])('while everything is open, %s is not an option', async (...args) => {
  const { code, stderr } = await run(['send', '-', ...args], {
    environment: { ACCESS_TOKEN: accessToken, PLANT_STORE_SIGNING_KEY: 'not read' },
  });

  expect(code).toBe(2);
  expect(stderr).toContain(`${args[0]} is not an option`);
});
