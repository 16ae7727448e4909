import { createServer, type RequestListener, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { exampleAnswers } from '@plant-store/example-answers';
import { makeFolder } from '@plant-store/test-support';
import { fixture, startReceiver, startTlsReceiver } from './support/receiver.js';
import { accessToken, file, required, run } from './support/run.js';

describe('one plant', () => {
  test('is sent unchanged, with the fields that were asked for', async () => {
    const receiver = await startReceiver();
    const options = ['-H', 'X-One: 1', '--header', 'X-Two:  two words '];

    expect(await run(['send', file('{"a": 1}\n'), ...required(receiver.url), ...options])).toEqual({
      code: 0,
      stdout: `acknowledged: 204, 9 bytes sent with POST to ${receiver.url}/plant/webhook\n`,
      stderr: '',
    });
    expect(receiver.requests).toMatchObject([
      {
        method: 'POST',
        url: '/plant/webhook',
        content: '{"a": 1}\n',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          'x-one': '1',
          'x-two': 'two words',
        },
      },
    ]);
  });

  test('comes from an argument', async () => {
    const receiver = await startReceiver();
    const args = ['send', '--content', '{"a":"ü"}', ...required(receiver.url)];
    expect(await run(args)).toMatchObject({ code: 0, stderr: '' });
    expect(receiver.requests).toMatchObject([{ content: '{"a":"ü"}' }]);
    expect(await run(['send', '--content', '', ...required(receiver.url)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--content is empty.'),
    });
  });

  test('comes from standard input, and its result is JSON', async () => {
    const receiver = await startReceiver();
    const { code, stdout } = await run(['send', '-', '-ojson', ...required(receiver.url)], {
      stdin: Readable.from([Buffer.from('one '), Buffer.from('plant')]),
    });

    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        exitCode: 0,
        outcome: 'acknowledged',
        status: 204,
        bytes: 9,
        method: 'POST',
        url: `${receiver.url}/plant/webhook`,
      },
    ]);
  });

  test('needs only what the answers leave open', async () => {
    const receiver = await startReceiver(() => 202);
    const { 'http-method': method, 'media-type': mediaType, 'event-identity': identity } = exampleAnswers;
    const given = {
      ...{ 'base-address': receiver.url, 'http-method': method, 'media-type': mediaType },
      ...{ 'event-identity': identity, 'receiver-response': { status: 202 as const, description: 'Kept.' } },
    } as const;

    expect((await run(['send', file('{}')], { given })).stderr).toMatch(
      /^plant-store: --event-id is missing\. .*question event-identity/,
    );
    expect(await run(['send', file('{}'), '--event-id', 'one'], { given })).toMatchObject({ code: 0 });
    expect(receiver.requests).toMatchObject([{ method, headers: { 'content-type': mediaType } }]);
    expect(Object.values(receiver.requests[0]!.headers)).toContain('one');
    const other = await run(['send', file('{}'), '--event-id', 'two', '--content-type', 'text/csv'], {
      given,
    });
    expect(other.stderr).toMatch(/--content-type must be .*, the answer to the question media-type/);
  });

  test.each([
    [400, 1, 'not acknowledged: .* The receiver refused the delivery: Bad Request.'],
    [401, 1, 'not acknowledged: .* The receiver refused the delivery: Unauthorized. Check the access token.'],
    [
      405,
      1,
      String.raw`not acknowledged: .* responded with 405 \(Allow: PUT, PATCH\), .* Method Not Allowed\.`,
    ],
    [302, 1, 'not acknowledged: .* Redirects are not followed.'],
    [503, 1, 'not acknowledged: .* Service Unavailable.'],
    [502, 4, 'outcome unknown: .* A gateway responds so .* it may be delivered twice.'],
    [520, 4, 'outcome unknown: .* HTTP has no such status. .* it may be delivered twice.'],
    [521, 3, 'not sent: .* could not connect to the receiver. It is safe to send again.'],
  ])('with status %i ends with exit code %i', async (status, code, text) => {
    const allowing = (handle: RequestListener): Server =>
      createServer((request, response) => handle(request, response.setHeader('allow', 'PUT, PATCH')));
    const receiver = await startReceiver(() => status, allowing);
    const finished = await run(['send', file('{}'), '-ojson', ...required(receiver.url)]);

    expect(finished).toMatchObject({ code, stderr: expect.stringMatching(text) });
    expect(JSON.parse(finished.stdout)).toMatchObject({ exitCode: code, status });
  });

  test('that no request reached ends with exit code 3', async () => {
    expect(await run(['send', file('{}'), ...required('http://127.0.0.1:1')])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^plant-store: not sent: .* It is safe to send again\.\n$/),
    });
  });

  test.each(['--attempt-timeout', '--total-timeout'])(
    'names %s, not an option of the SDK',
    async (option) => {
      const receiver = await startReceiver(() => undefined);
      const finished = await run(['send', file('{}'), '-ojson', option, '500', ...required(receiver.url)]);

      expect(finished).toMatchObject({ code: 4, stderr: expect.stringContaining(`500 ms (${option})`) });
      expect(JSON.parse(finished.stdout)).toMatchObject({
        message: expect.stringContaining(`500 ms (${option})`),
        advice: expect.stringContaining('may be delivered twice'),
      });
    },
  );

  test('is sent again with --retry, and only where it is safe', async () => {
    const busy = await startReceiver((_, number) => (number === 1 ? 503 : 204));
    expect(await run(['send', file('{}'), '--retry', '1', ...required(busy.url)])).toMatchObject({ code: 0 });
    const gateway = await startReceiver(() => 502);
    expect(await run(['send', file('{}'), '--retry', '3', ...required(gateway.url)])).toMatchObject({
      code: 4,
    });
    expect([busy.requests.length, gateway.requests.length]).toEqual([2, 1]);
  });

  test('is ended by an interrupt, which says what is known', async () => {
    const interrupt = new AbortController();
    const receiver = await startReceiver(() => {
      interrupt.abort(new Error('Interrupted.'));
      return undefined;
    });
    const { signal } = interrupt;
    expect(await run(['send', file('{}'), ...required(receiver.url)], { signal })).toMatchObject({ code: 4 });
    const before = await run(['send', '-', '-ojson', ...required(receiver.url)], { signal });
    expect(before).toMatchObject({ code: 3, stderr: 'plant-store: not sent: interrupted.\n' });
  });
});

describe('connections', () => {
  test('trust the certificates of --ca, and no others', async () => {
    const { url } = await startTlsReceiver();
    const args = ['send', file('{}'), ...required(url)];

    expect(await run(args)).toMatchObject({ code: 3 });
    const trusted = [...args, '--ca', fixture('loopback.crt')];
    expect(await run(trusted)).toMatchObject({ code: 0, stderr: '' });
    const own = ['--cert', fixture('loopback.crt'), '--key', fixture('loopback.key')];
    expect(await run([...trusted, ...own])).toMatchObject({ code: 0, stderr: '' });
    expect((await run([...args, '--cert', fixture('loopback.crt')])).stderr).toContain('--cert needs --key.');
    expect((await run(args)).stderr).toContain('Pass the authority as --ca');
    expect((await run([...args, '-H', 'Host: other'])).stderr).toMatch(/-H must not have Host\./);
  });
});

describe('bad input', () => {
  test('is reported whole, with the questions that make options required', async () => {
    const { code, stdout, stderr } = await run(['send', '-ojson'], { environment: {} });

    expect([code, stderr.split('\n').length - 1]).toEqual([2, 5]);
    const { exitCode, faults } = JSON.parse(stdout) as { exitCode: number; faults: string[] };
    expect(exitCode).toBe(2);
    expect(faults).toEqual([
      'Name a file, or - for standard input, or pass --content (and not both).',
      expect.stringMatching(/^--content-type is missing\. .*question media-type/),
      expect.stringMatching(/^There is no access token\. /),
      expect.stringMatching(/^--base-url is missing\. .*question base-address/),
      expect.stringMatching(/^--method is missing\. .*question http-method/),
    ]);
  });

  test.each([
    ['an unknown command', ['snd'], "unknown command 'snd' (Did you mean send?)"],
    ['help for an unknown command', ['outbox', 'help', 'snd'], "unknown command 'snd'"],
    ['no command', [], 'The command is missing. See plant-store --help.'],
    [
      'an unknown option',
      ['send', '-', '--metod', 'POST'],
      "unknown option '--metod' (Did you mean --method?)",
    ],
    [
      'a token as an argument',
      ['send', '-', `--access-token=${accessToken}`],
      "unknown option '--access-token'\n",
    ],
    ['a file and --content', ['send', '-', '--content', '{}'], 'Name a file, or - for standard input, or'],
    [
      'an argument that is not UTF-8',
      ['send', '--content', '\ufffd'],
      '--content has bytes that are not UTF-8',
    ],
    ['another method', ['send', '-', '--method', 'GET'], 'Allowed choices are POST, PUT, PATCH.'],
    ['a time that is none', ['send', '-', '--total-timeout', 'soon'], 'It must be a whole number from 1 to'],
    ['a header without a name', ['send', '-', '-H', accessToken], '--header must be a name and a value'],
    ['a header of its own', ['send', '-', '-H', 'A: 1', '-H', 'a: 2'], '--header has a twice.'],
    [
      'an option twice',
      ['send', '-', '--base-url', 'http://a', '--base-url=http://b'],
      "option '--base-url <url>' is given twice.",
    ],
    [
      'an output twice',
      ['outbox', 'list', '-ojson', '-o', 'json'],
      "'-o, --output <format>' is given twice.",
    ],
  ])('%s', async (_name, args, message) => {
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ['is missing', () => `${makeFolder()}/none`, 'no such file or directory'],
    ['is a directory', () => makeFolder(), 'is a directory'],
    ['is empty', () => file(''), 'is empty. A delivery must carry information'],
    ['never ends', () => '/dev/zero', 'has more than 400000000 bytes, which no receiver accepts.'],
  ])('a file that %s', async (_name, path, message) => {
    const { code, stderr } = await run(['send', path(), ...required('http://127.0.0.1:1')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a reserved header field, and content that the receiver refuses by an answer', async () => {
    const receiver = await startReceiver();
    const args = ['send', file('{"a":1}'), ...required(receiver.url)];
    expect(await run([...args, '-H', 'Authorization: other'])).toMatchObject({ code: 2 });
    expect(await run(args, { given: { 'size-limits': 3 } })).toMatchObject({ code: 2 });
    expect(receiver.requests).toEqual([]);
  });
});

describe('the access token', () => {
  test.each([
    ['the option before the environment', ['--access-token-file'], { ACCESS_TOKEN: 'other' }],
    ['ACCESS_TOKEN_FILE', [], {}],
  ])('is read from %s', async (_name, option, environment) => {
    const receiver = await startReceiver();
    const path = file(`# the token\n\n ${accessToken} \nother\n`);
    const args = ['send', file('{}'), ...required(receiver.url), ...option.flatMap((flag) => [flag, path])];

    expect(await run(args, { environment: { ...environment, ACCESS_TOKEN_FILE: path } })).toMatchObject({
      code: 0,
    });
    expect(receiver.requests[0]!.headers.authorization).toBe(`Bearer ${accessToken}`);
  });

  test('is in no message if it is wrong', async () => {
    const environment = { ACCESS_TOKEN: `${accessToken} ü` };
    expect(await run(['send', file('{}'), ...required('http://127.0.0.1:1')], { environment })).toMatchObject(
      {
        code: 2,
        stderr: expect.stringMatching(/^plant-store: The access token in ACCESS_TOKEN must consist of/),
      },
    );
  });
});

test.each([
  ['--help'],
  ['send', '--help'],
  ['outbox', 'list', '--help'],
  ['relay', '-h'],
  ['help', 'outbox'],
  ['outbox', 'help', 'list'],
  ['help'],
])('the help of %s %s has at most 80 columns', async (...args) => {
  const { code, stdout } = await run(args);
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.length > 81)).toEqual([]);
});
