import type { Answers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { type Config, parseConfig, SETTING_NAMES } from './config.js';
import { ReceiverError } from './errors.js';

const TOKENS = { ACCESS_TOKENS: 'arbitrary-token' };

const defaults: Config = {
  HOST: '127.0.0.1',
  PORT: 3_000,
  OPERATIONS_PORT: 3_001,
  INBOX_URL: 'file:./data/inbox',
  LOG_LEVEL: 'info',
  MAX_CONTENT_BYTES: 1_048_576,
  MAX_CONTENT_BYTES_IN_FLIGHT: 67_108_864,
  REQUEST_TIMEOUT_MS: 30_000,
  KEEP_ALIVE_TIMEOUT_MS: 72_000,
  SHUTDOWN_TIMEOUT_MS: 10_000,
  HANDLER_CONCURRENCY: 8,
  HANDLER_TIMEOUT_MS: 30_000,
  HANDLER_MAX_ATTEMPTS: 12,
  HANDLER_BACKOFF_MS: 1_000,
  HANDLER_MAX_BACKOFF_MS: 3_600_000,
};

const parse = (environment: Record<string, string>, given: Answers = {}): Config =>
  parseConfig(environment, given);

/** The lines of what is said about an environment, without the first one. */
function faultsOf(environment: Record<string, string>, given: Answers = {}): string[] {
  try {
    parse(environment, given);
  } catch (error) {
    expect(error).toBeInstanceOf(ReceiverError);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    const [first, ...faults] = (error as Error).message.split('\n');
    expect(first).toBe('The configuration is not usable:');
    return faults.map((fault) => fault.trim());
  }
  return [];
}

test('a token is all that has to be set', () => {
  expect(parse(TOKENS)).toEqual({ ...defaults, ACCESS_TOKENS: ['arbitrary-token'] });
  expect(parse({ ACCESS_TOKENS_FILE: 'tokens' })).toEqual({
    ...defaults,
    ACCESS_TOKENS_FILE: 'tokens',
  });
});

test('everything can be set', () => {
  const environment = {
    HOST: '::1',
    PORT: '8080',
    OPERATIONS_PORT: '0',
    ACCESS_TOKENS: 'one,two, three ',
    INBOX_URL: 'file:///var/inbox',
    LOG_LEVEL: 'silent',
    MAX_CONTENT_BYTES: '1',
    MAX_CONTENT_BYTES_IN_FLIGHT: '2',
    REQUEST_TIMEOUT_MS: '3',
    KEEP_ALIVE_TIMEOUT_MS: '4',
    SHUTDOWN_TIMEOUT_MS: '5',
    HANDLER_CONCURRENCY: '6',
    HANDLER_TIMEOUT_MS: '7',
    HANDLER_MAX_ATTEMPTS: '8',
    HANDLER_BACKOFF_MS: '9',
    HANDLER_MAX_BACKOFF_MS: '10',
  };

  expect(parse(environment)).toEqual({
    ...environment,
    PORT: 8_080,
    OPERATIONS_PORT: 0,
    ACCESS_TOKENS: ['one', 'two', 'three'],
    MAX_CONTENT_BYTES: 1,
    MAX_CONTENT_BYTES_IN_FLIGHT: 2,
    REQUEST_TIMEOUT_MS: 3,
    KEEP_ALIVE_TIMEOUT_MS: 4,
    SHUTDOWN_TIMEOUT_MS: 5,
    HANDLER_CONCURRENCY: 6,
    HANDLER_TIMEOUT_MS: 7,
    HANDLER_MAX_ATTEMPTS: 8,
    HANDLER_BACKOFF_MS: 9,
    HANDLER_MAX_BACKOFF_MS: 10,
  });
  expect(Object.keys(environment).concat('ACCESS_TOKENS_FILE', 'SIGNING_KEYS').sort()).toEqual(
    [...SETTING_NAMES].sort(),
  );
});

test('what is empty is not set', () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']));

  expect(parse({ ...empty, ...TOKENS })).toEqual(parse(TOKENS));
});

test('zero is set', () => {
  expect(parse({ ...TOKENS, PORT: '0' }).PORT).toBe(0);
});

test('what is none of its settings is not looked at', () => {
  expect(parse({ ...TOKENS, PATH: '/arbitrary', PORTS: 'no' })).toEqual(parse(TOKENS));
});

test('cannot be changed, nor can what it holds', () => {
  const config = parse(TOKENS);

  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.ACCESS_TOKENS)).toBe(true);
});

const TIMES = 'must be a whole number from 1 to 2147483647';
const COUNT = 'must be a whole number from 1 to 9007199254740991';
const TOKEN_LIST =
  'must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)';
const LEVELS = 'must be one of trace, debug, info, warn, error, fatal, silent';
const FOLDER = 'must be file: and a folder, as in file:./data/inbox';

test.each<[name: string, fault: string, ...values: string[]]>([
  [
    'PORT',
    'must be a whole number from 0 to 65535',
    ...['-1', '65536', '1.5', 'NaN', 'Infinity', '0x10', '1e3', ' 80', '80 ', ' ', '٣', 'http'],
  ],
  ...SETTING_NAMES.filter((name) => name.endsWith('_MS')).map(
    (name) => [name, TIMES, '0', '-1', '2147483648', '0.5', '1s', 'no'] as [string, string, ...string[]],
  ),
  ['MAX_CONTENT_BYTES', COUNT, '0', '-1', '1MiB', '9007199254740992'],
  ['MAX_CONTENT_BYTES_IN_FLIGHT', COUNT, '0', 'no', '1_000'],
  ['HANDLER_CONCURRENCY', 'must be a whole number from 1 to 1000', '0', '1001', 'no'],
  ['HANDLER_MAX_ATTEMPTS', COUNT, '0', 'Infinity'],
  ['LOG_LEVEL', LEVELS, 'INFO', 'verbose', '0'],
  [
    'INBOX_URL',
    FOLDER,
    ...[
      'file:',
      'file://',
      'file:///',
      './data',
      'postgres://a/b',
      'file://elsewhere/a',
      'file:///%',
      'FILE:a',
    ],
  ],
  ['ACCESS_TOKENS', TOKEN_LIST, ',', 'a,', 'a,,b', 'a b', '=', 'a=b', '"a"', 'caf\u00e9', 'a\nb'],
])('%s: %s, unlike %j', (name, fault, ...values) => {
  for (const value of values) {
    expect(faultsOf({ ...TOKENS, [name]: value })).toEqual([`${name}: ${fault}`]);
  }
});

describe('once questions are answered:', () => {
  const { signing, 'event-identity': identity, 'token-format': format } = exampleAnswers;
  const signed: Answers = { signing, 'event-identity': identity };
  const KEYS =
    'SIGNING_KEYS: set the keys of signatures, separated by commas, each whsec_ and base64: signing is answered';

  test.each<[name: string, given: Answers, environment: Record<string, string>, want: string[]]>([
    [
      'no key while signing is open',
      {},
      { SIGNING_KEYS: 'whsec_YQ==' },
      ['SIGNING_KEYS: cannot be set while signing is an open question; take it away'],
    ],
    ['a key once signing is answered', signed, {}, [KEYS]],
    ['a key with its prefix', signed, { SIGNING_KEYS: 'whsec_YQ==,YQ==' }, [KEYS]],
    ['a key in its encoding', signed, { SIGNING_KEYS: 'whsec_secret?' }, [KEYS]],
    ['a key with something in it', signed, { SIGNING_KEYS: 'whsec_' }, [KEYS]],
    [
      'tokens of the format',
      { 'token-format': format },
      TOKENS,
      ['ACCESS_TOKENS: must be of the format that token-format is answered with: example'],
    ],
    [
      'no guard that is answered',
      { 'size-limits': 10, 'time-outs': { delivery: 10, answer: 10 } },
      {
        MAX_CONTENT_BYTES: '10',
        REQUEST_TIMEOUT_MS: '10',
      },
      [
        'MAX_CONTENT_BYTES: cannot be set, since size-limits is answered; take it away',
        'REQUEST_TIMEOUT_MS: cannot be set, since time-outs is answered; take it away',
      ],
    ],
    [
      'room for one delivery of the largest size',
      { 'size-limits': 10 },
      { MAX_CONTENT_BYTES_IN_FLIGHT: '9' },
      ['MAX_CONTENT_BYTES_IN_FLIGHT: must not be smaller than what size-limits is answered with'],
    ],
  ])('%s', (_name, given, environment, want) => {
    expect(faultsOf({ ...TOKENS, ...environment }, given)).toEqual(want);
  });

  test('answers take the place of guards', () => {
    const environment = { ACCESS_TOKENS: 'example-token', SIGNING_KEYS: 'whsec_YQ==, whsec_Yg' };

    expect(parse(environment, exampleAnswers)).toEqual({
      ...defaults,
      ACCESS_TOKENS: ['example-token'],
      SIGNING_KEYS: ['whsec_YQ==', 'whsec_Yg'],
      MAX_CONTENT_BYTES: 1_000,
      REQUEST_TIMEOUT_MS: 2_000,
    });
  });

  test('answers that cannot be carried out are told apart from settings', () => {
    expect(() => parse(TOKENS, { 'size-limits': 0 })).toThrow(
      new ReceiverError(
        'ANSWERS_INVALID',
        'These answers cannot be carried out:\n  size-limits: the number of bytes must be a whole number from 1 to 500,000,000 (got 0)',
      ),
    );
  });
});

describe('settings that have to agree:', () => {
  const ONE =
    'ACCESS_TOKENS: set one of ACCESS_TOKENS (comma-separated) and ACCESS_TOKENS_FILE (one a line): without a token the receiver does not start';

  test.each<[name: string, environment: Record<string, string>, want: string[]]>([
    ['no token', {}, [ONE]],
    ['empty tokens', { ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: '' }, [ONE]],
    ['two places for tokens', { ...TOKENS, ACCESS_TOKENS_FILE: 'tokens' }, [ONE]],
    [
      'a content that is larger than all of them',
      { ...TOKENS, MAX_CONTENT_BYTES: '11', MAX_CONTENT_BYTES_IN_FLIGHT: '10' },
      ['MAX_CONTENT_BYTES: must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT'],
    ],
    [
      'a content that is larger than can be kept',
      { ...TOKENS, MAX_CONTENT_BYTES: '500000001', MAX_CONTENT_BYTES_IN_FLIGHT: '1000000000' },
      ['MAX_CONTENT_BYTES: must not be larger than 500000000, which the inbox can keep'],
    ],
    [
      'a content that is larger than all of them by default',
      { ...TOKENS, MAX_CONTENT_BYTES: '67108865' },
      ['MAX_CONTENT_BYTES: must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT'],
    ],
    [
      'a content that is as large as all of them',
      { ...TOKENS, MAX_CONTENT_BYTES: '10', MAX_CONTENT_BYTES_IN_FLIGHT: '10' },
      [],
    ],
  ])('%s', (_name, environment, want) => {
    expect(faultsOf(environment)).toEqual(want);
  });
});

test('every fault is listed, each once', () => {
  expect(
    faultsOf({
      PORT: 'no',
      OPERATIONS_PORT: 'no',
      INBOX_URL: 'no',
      LOG_LEVEL: 'no',
      SIGNING_KEYS: 'no',
      ...Object.fromEntries(
        SETTING_NAMES.filter((name) => /_(MS|BYTES|IN_FLIGHT|CONCURRENCY|ATTEMPTS)$/.test(name)).map(
          (name) => [name, 'no'],
        ),
      ),
    }).map((fault) => fault.split(':')[0]),
  ).toEqual(
    expect.arrayContaining(SETTING_NAMES.filter((name) => !['HOST', 'ACCESS_TOKENS_FILE'].includes(name))),
  );
});

test('no value is quoted, since a token may stand in the wrong variable', () => {
  const secret = 'a secret?';
  const environment = Object.fromEntries(SETTING_NAMES.map((name) => [name, secret]));

  const faults = faultsOf(environment);
  expect(faults).toHaveLength(SETTING_NAMES.length - 1);
  expect(faults.join('\n')).not.toContain('secret');
});
