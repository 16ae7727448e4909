import { readFileSync } from 'node:fs';
import { type AnswerValues, openQuestions } from '@plant-store/contract';
import { createSenderUnder } from '../src/sender-under.js';
import { bytes, InvalidOptionsError, json } from '../src/index.js';
import { startProcess } from './support/run-process.js';
import { arrived, faultsOf, unsent } from './support/senders.js';

/** Example answers that make every required option optional, except the token. */
const exampleAnswers = {
  'base-address': 'http://127.0.0.1:9/example',
  'http-method': 'PUT',
  'media-type': 'application/json',
  payload: 'plant',
} as const satisfies AnswerValues;

const right = { baseUrl: 'https://example.test', accessToken: 'token', method: 'POST', encode: json };

describe('while everything is open', () => {
  test('all options of open questions are missing at once, with their questions', () => {
    for (const options of [undefined, {}]) {
      const faults = faultsOf(options);
      expect(faults.map(({ option, question }) => [option, question])).toEqual([
        ['baseUrl', 'base-address'],
        ['method', 'http-method'],
        ['encode', 'media-type'],
        ['accessToken', 'token-issuance'],
      ]);
      for (const { question, problem } of faults.slice(0, 3)) expect(problem).toContain(question);
      for (const { question, problem } of faults.slice(0, 2)) {
        expect(problem).toContain(openQuestions.find(({ id }) => id === question)!.question);
      }
    }
  });

  test.each(['base-address', 'http-method', 'media-type', 'payload'] as const)(
    'an option stays required while %s is open',
    (id) => {
      const others = Object.entries(exampleAnswers).filter(([question]) => question !== id);
      const given = Object.fromEntries(others) as AnswerValues;

      expect(faultsOf({ accessToken: 'token' }, given).map(({ question }) => question)).toEqual([id]);
    },
  );

  test('the error names the option and the question in its message', () => {
    const create = (): unknown =>
      createSenderUnder({ ...right, method: undefined } as never, { answers: {} });

    expect(create).toThrow(InvalidOptionsError);
    expect(create).toThrow(/^`method` is missing\. .*http-method/);
  });
});

describe('with example answers', () => {
  // all-answers.test.ts sends with the answered values.
  test('answered options may be left out', () => {
    expect(faultsOf({ accessToken: 'token' }, exampleAnswers)).toEqual([]);
  });

  test('an option still overrides an answer', async () => {
    const { line, headers } = await arrived({
      given: exampleAnswers,
      options: { method: 'PATCH', encode: bytes('application/json; charset=utf-8') },
    });

    expect(line).toBe('PATCH /plant/webhook HTTP/1.1');
    expect(headers).toContain('content-type: application/json; charset=utf-8');
  });

  const { payload, ...withoutPayload } = exampleAnswers;
  test.each<[string, AnswerValues, string, string]>([
    [
      'an encoder',
      { ...exampleAnswers, 'media-type': 'application/example' },
      'application/example',
      'media-type',
    ],
    [`the shape \`${payload}\``, withoutPayload, 'payload is open', 'payload'],
  ])('a media type without %s leaves encode required', (_, given, problem, question) => {
    expect(faultsOf({ accessToken: 'token' }, given)).toEqual([
      { option: 'encode', problem: expect.stringContaining(problem) as string, question },
    ]);
  });
});

test('what is not an option is named', () => {
  expect(faultsOf({ ...right, maxConnection: 1 })).toEqual([
    { option: 'maxConnection', problem: 'is not an option of a sender.' },
  ]);
});

test('in Bun, no entry point loads, and each says why in one line', async () => {
  const folder = new URL('..', import.meta.url);
  const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    exports: Record<string, { default?: string }>;
  };
  const files = Object.values(exports).flatMap(({ default: file }) =>
    file === undefined ? [] : [new URL(file, folder)],
  );
  const script = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.2.3' } });
    for (const file of ${JSON.stringify(files)})
      await import(file).catch(({ message }) => console.log(message));`;

  const { stdout } = await startProcess(process.execPath, ['--input-type=module', '-e', script]).finished;

  expect(stdout).toBe(
    '@plant-store/sdk needs Node.js: in Bun, undici reports errors that nobody can catch.\n'.repeat(
      files.length,
    ),
  );
});

describe('baseUrl', () => {
  test.each([
    'https://example.test',
    'https://example.test:8443/a/b/',
    'http://localhost',
    'http://LOCALHOST:3000',
    'http://127.0.0.1:3000',
    'http://127.1.2.3',
    'http://[::1]:3000',
    new URL('https://example.test'),
  ])('may be %s', (baseUrl) => {
    expect(faultsOf({ ...right, baseUrl })).toEqual([]);
  });

  test.each([
    ['', 'absolute URL'],
    ['example.test', 'absolute URL'],
    ['/plant', 'absolute URL'],
    [1, 'absolute URL'],
    ['https://example.test:99999', 'absolute URL'],
    ['ftp://example.test', 'http:// or https://'],
    ['localhost:3000', 'http:// or https://'],
    ['https://user@example.test', 'user information'],
    ['https://user:pass@example.test', 'user information'],
    ['https://example.test?', 'query'],
    ['https://example.test/?a=b', 'query'],
    ['https://example.test/#', 'fragment'],
    ['http://example.test', 'RFC 6750 §5.3'],
    ['http://127.example.test', 'RFC 6750 §5.3'],
    ['http://localhost.example.test', 'RFC 6750 §5.3'],
    ['http://10.0.0.1', 'RFC 6750 §5.3'],
    ['http://[::2]', 'RFC 6750 §5.3'],
    ['http://0.0.0.0', 'RFC 6750 §5.3'],
    ['https://example.test/plant/webhook', 'must not end in /plant/webhook'],
    ['https://example.test/a/plant/webhook/', 'must not end in /plant/webhook'],
  ])('must not be %j', (baseUrl, problem) => {
    expect(faultsOf({ ...right, baseUrl })).toEqual([
      { option: 'baseUrl', problem: expect.stringContaining(problem) },
    ]);
    expect(JSON.stringify(faultsOf({ ...right, baseUrl }))).not.toMatch(/user:|pass/);
  });

  test('may be plain http elsewhere only with allowInsecureTransport', () => {
    const baseUrl = 'http://example.test';
    expect(faultsOf({ ...right, baseUrl, allowInsecureTransport: true })).toEqual([]);
    expect(faultsOf({ ...right, baseUrl, allowInsecureTransport: false })).toHaveLength(1);
  });
});

describe('every other option', () => {
  const policy = { delays: [1], statuses: 'all', withoutResponse: true };

  test.each<[option: string, value: unknown]>([
    ['method', 'GET'],
    ['method', 'post'],
    ['method', 1],
    ['encode', 'json'],
    ['accessToken', ''],
    ['accessToken', 'Bearer x'],
    ['accessToken', 1],
    ['headers', {}],
    ...['connectTimeout', 'attemptTimeout', 'totalTimeout'].flatMap((name) =>
      [0, -1, 1.5, NaN, Infinity, 2 ** 31, '1', null].map((value): [string, unknown] => [name, value]),
    ),
    ...[-1, 1.5, NaN, Infinity, '1', null].map((value): [string, unknown] => ['maxResponseBytes', value]),
    ...[0, -1, 1.5, NaN, Infinity, '1', null].map((value): [string, unknown] => ['maxConnections', value]),
    ['allowInsecureTransport', 1],
    ['allowInsecureTransport', 'true'],
    ['atemptTimeout', 1],
    ['retries', 3],
    ...[
      ...[true, null, 3, {}, { delays: [1], statuses: 'all' }],
      ...[-1, 0.5, 2 ** 31].map((delay) => ({ ...policy, delays: [delay] })),
      ...['any', [600]].map((statuses) => ({ ...policy, statuses })),
      ...[1.1, -0.1, NaN, true].map((jitter) => ({ ...policy, jitter })),
      ...[-1, 2 ** 31, '1'].map((maxRetryAfter) => ({ ...policy, maxRetryAfter })),
      ...[{ delays: 1 }, { withoutResponse: 'yes' }, { jiter: 0.5 }].map((one) => ({ ...policy, ...one })),
    ].map((value): [string, unknown] => ['retry', value]),
    ['signingKey', 'arbitrary'],
  ])('%s must not be %j', (option, value) => {
    expect(faultsOf({ ...right, [option]: value }).map((fault) => fault.option)).toEqual([option]);
  });

  test('all faults are listed at once', () => {
    const faults = faultsOf({ baseUrl: 'x', method: 'GET', connectTimeout: 0, retries: 3 });
    expect(faults.map(({ option }) => option).toSorted()).toEqual(
      ['accessToken', 'baseUrl', 'connectTimeout', 'encode', 'method', 'retries'].toSorted(),
    );
  });

  test('minimum values are accepted', () => {
    const least = {
      connectTimeout: 1,
      attemptTimeout: 1,
      totalTimeout: 1,
      maxResponseBytes: 0,
      maxConnections: 1,
    };
    expect(faultsOf({ ...right, ...least })).toEqual([]);
  });
});

describe('encoders', () => {
  test('json refuses what has no JSON form', () => {
    expect(() => json(undefined)).toThrow(TypeError);
    expect(() => json(() => {})).toThrow(TypeError);
  });

  test.each(['text', 'text/', '/plain', 'text/plain; charset', 'a b/c', 'text/plain\r\n', 'té/xt', ''])(
    'bytes refuses the media type %j',
    (mediaType) => {
      expect(() => bytes(mediaType)).toThrow(InvalidOptionsError);
    },
  );

  test.each(['text/plain', 'application/vnd.example+json; charset=utf-8', 'a/b;c="d \\" e"'])(
    'bytes accepts the media type %j',
    (mediaType) => {
      expect(bytes(mediaType)('x')).toEqual({ content: 'x', mediaType });
    },
  );
});

describe('all options', () => {
  test.each([null, 1, 'text'])('must not be %p', (options) => {
    expect(() => createSenderUnder(options as never, { answers: {} })).toThrow(InvalidOptionsError);
  });
});

describe('the options of send', () => {
  test.each([null, 1, 'text'])('must not be %p', async (sendOptions) => {
    expect(await unsent({ sendOptions })).toMatchObject({ faults: [{ option: 'options' }] });
  });

  test('must have no unknown names: all of them are listed', async () => {
    const retry = { delays: [1], statuses: 'all', withoutResponse: true } as const;
    const sendOptions = { sginal: undefined, timeout: 1, signal: undefined };

    expect(await unsent({ options: { retry }, sendOptions })).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [
        { option: 'sginal', problem: 'is not an option of `send`.' },
        { option: 'timeout', problem: 'is not an option of `send`.' },
      ],
    });
  });

  test.each([
    null,
    'none',
    new AbortController(),
    { aborted: false },
    { aborted: false, addEventListener() {} },
  ])('signal must not be %p', async (signal) => {
    expect(await unsent({ sendOptions: { signal } })).toMatchObject({
      faults: [{ option: 'signal', problem: 'must be an AbortSignal.' }],
    });
  });

  test('may name an event that no answer asks for', async () => {
    const { line } = await arrived({ sendOptions: { eventId: '1', event: {} } });
    expect(line).toMatch(/^POST /);
  });
});

test('an option that throws when it is read is a fault like any other; what it threw is in no message', () => {
  const throwing = (): never => {
    throw new Error('s3cret');
  };
  const proxy: unknown = new Proxy({}, { get: throwing, ownKeys: throwing });
  const options = { baseUrl: proxy, method: 'GET', encode: json, retry: proxy, dispatcher: proxy };

  const faults = faultsOf(Object.defineProperty(options, 'accessToken', { get: throwing, enumerable: true }));

  expect(faults.map(({ option }) => option)).toEqual([
    'baseUrl',
    'method',
    'accessToken',
    'retry',
    'dispatcher',
  ]);
  expect(JSON.stringify(faults)).not.toContain('s3cret');
});
