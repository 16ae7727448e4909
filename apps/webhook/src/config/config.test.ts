import type { AnswerValues } from '@plant-store/contract';
import { valueFaults } from '@plant-store/contract/check';
import { exampleAnswers } from '@plant-store/example-answers';

import { composeAnswers } from '../answers/compose-answers.js';
import { ReceiverError } from '../errors.js';
import { type Config, parseConfig, SETTING_NAMES, unknownSettings } from './config.js';

const TOKENS = { ACCESS_TOKENS: 'arbitrary-token' };

const defaults: Config = {
  HOST: '127.0.0.1',
  PORT: 3_000,
  OPERATIONS_PORT: 3_001,
  INBOX_URL: 'file:./data/inbox',
  RETENTION_MS: 2_592_000_000,
  EVENT_RETENTION_MS: 7_776_000_000,
  LOG_LEVEL: 'info',
  MAX_CONTENT_BYTES: 1_048_576,
  MAX_CONTENT_BYTES_IN_FLIGHT: 67_108_864,
  MAX_CONNECTIONS: 1_000,
  REQUEST_TIMEOUT_MS: 30_000,
  KEEP_ALIVE_TIMEOUT_MS: 72_000,
  SHUTDOWN_DELAY_MS: 0,
  SHUTDOWN_TIMEOUT_MS: 10_000,
  HANDLER: 'handler.mjs',
  HANDLER_CONCURRENCY: 8,
  HANDLER_TIMEOUT_MS: 30_000,
  HANDLER_MAX_ATTEMPTS: 12,
  HANDLER_BACKOFF_MS: 1_000,
  HANDLER_MAX_BACKOFF_MS: 3_600_000,
};

const parse = (environment: Record<string, string>, given: AnswerValues = {}, openFiles?: number): Config =>
  parseConfig(
    { ...environment, HANDLER: environment['HANDLER'] || 'handler.mjs' },
    composeAnswers(given).settings,
    openFiles,
  );

/** The faults of an environment, one a line. */
function faultsOf(
  environment: Record<string, string>,
  given: AnswerValues = {},
  openFiles?: number,
): string[] {
  try {
    parse(environment, given, openFiles);
  } catch (error) {
    expect(error).toBeInstanceOf(ReceiverError);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    const [first, ...faults] = (error as Error).message.split('\n');
    expect(first).toBe('The configuration is invalid:');
    return faults.map((fault) => fault.trim());
  }
  return [];
}

test('only a token is required, beside the handler that run.ts names', () => {
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
    OPERATIONS_HOST: '0.0.0.0',
    OPERATOR_HEADER: 'X-Forwarded-User',
    RECEIVER_NAME: 'production',
    ACCESS_TOKENS: 'one,two, three ',
    INBOX_URL: 'file:///var/inbox',
    RETENTION_MS: '2147483648',
    RETENTION_BYTES: '12',
    EVENT_RETENTION_MS: '9007199254740991',
    LOG_LEVEL: 'silent',
    MAX_CONTENT_BYTES: '1',
    MAX_CONTENT_BYTES_IN_FLIGHT: '2',
    MAX_CONNECTIONS: '11',
    REQUEST_TIMEOUT_MS: '3',
    KEEP_ALIVE_TIMEOUT_MS: '4',
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '5',
    HANDLER: 'https://plants.example/new?key=arbitrary',
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
    RETENTION_MS: 2_147_483_648,
    RETENTION_BYTES: 12,
    EVENT_RETENTION_MS: 9_007_199_254_740_991,
    MAX_CONTENT_BYTES: 1,
    MAX_CONTENT_BYTES_IN_FLIGHT: 2,
    MAX_CONNECTIONS: 11,
    REQUEST_TIMEOUT_MS: 3,
    KEEP_ALIVE_TIMEOUT_MS: 4,
    SHUTDOWN_DELAY_MS: 0,
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

test.each([
  ...['X-Forwarded-User', 'Remote-User', 'X-Auth-Request-Preferred-Username', 'X-WEBAUTH-USER', 'From'],
  ...['Tailscale-User-Login', 'Cf-Access-Authenticated-User-Email', 'X-Goog-Authenticated-User-Email'],
])('a proxy may name operators in %s', (name) => {
  expect(parse({ ...TOKENS, OPERATOR_HEADER: name }).OPERATOR_HEADER).toBe(name);
});

test('an empty variable counts as not set', () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']));

  expect(parse({ ...empty, ...TOKENS })).toEqual(parse(TOKENS));
});

test('zero is set', () => {
  expect(parse({ ...TOKENS, PORT: '0' }).PORT).toBe(0);
});

test('a variable that is no setting is ignored', () => {
  expect(parse({ ...TOKENS, PATH: '/arbitrary', PORTS: 'no' })).toEqual(parse(TOKENS));
});

test('neither it nor its lists can be changed', () => {
  const config = parse(TOKENS);

  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.ACCESS_TOKENS)).toBe(true);
});

const TIMES = 'must be a whole number from 1 to 2147483647';
const COUNT = 'must be a whole number from 1 to 9007199254740991';
const TOKEN_LIST =
  'must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)';
const LEVELS = 'must be one of trace, debug, info, warn, error, fatal, silent';
const FOLDER =
  'must be file: and a folder, as in file:./data/inbox, or postgres: with a host and a database, as in postgres://user@db.example/plants';

test.each<[name: string, fault: string, ...values: string[]]>([
  [
    'PORT',
    'must be a whole number from 0 to 65535',
    ...['-1', '65536', '1.5', 'NaN', 'Infinity', '0x10', '1e3', ' 80', '80 ', ' ', '٣', 'http'],
  ],
  ...SETTING_NAMES.filter((name) => /_MS$/.test(name) && !/RETENTION|^SHUTDOWN/.test(name)).map(
    (name) => [name, TIMES, '0', '-1', '2147483648', '0.5', '1s', 'no'] as [string, string, ...string[]],
  ),
  ['SHUTDOWN_DELAY_MS', 'must be a whole number from 0 to 86400000', '-1', '86400001', 'no'],
  ['SHUTDOWN_TIMEOUT_MS', 'must be a whole number from 1 to 86400000', '0', '86400001', 'no'],
  [
    'OPERATOR_HEADER',
    'must be the name of a header field, such as X-Forwarded-User',
    ...['no name', 'a:', 'a\0', 'ä', '"a"', 'a,b', '__proto__', 'constructor', 'Constructor'],
  ],
  [
    'OPERATOR_HEADER',
    'must not be a field with credentials, because names of operators are logged; use another, such as X-Forwarded-User',
    ...[
      'Authorization',
      'authorization',
      'Cookie',
      'Set-Cookie',
      'Proxy-Authorization',
      'X-Original-Authorization',
    ],
    ...[
      'X-Forwarded-Access-Token',
      'X-API-Key',
      'X-Apikey',
      'Cf-Access-Jwt-Assertion',
      'X-Session',
      'X-CSRF-Token',
    ],
  ],
  [
    'MAX_CONTENT_BYTES',
    'must be a whole number from 1 to 400000000',
    ...['0', '-1', '1MiB', '400000001', '9007199254740992'],
  ],
  ['MAX_CONTENT_BYTES_IN_FLIGHT', COUNT, '0', 'no', '1_000'],
  ['MAX_CONNECTIONS', 'must be a whole number from 1 to 1000000', '0', '1000001', 'no'],
  ['HANDLER_CONCURRENCY', 'must be a whole number from 0 to 1000', '-1', '1001', 'no'],
  ['HANDLER_MAX_ATTEMPTS', COUNT, '0', 'Infinity'],
  ['RETENTION_MS', COUNT, '0', '-1', '9007199254740992', '30d'],
  ['RETENTION_BYTES', COUNT, '0', '-1', '9007199254740992', '1GB'],
  ['EVENT_RETENTION_MS', COUNT, '0', '-1', '9007199254740992', '90d'],
  ['LOG_LEVEL', LEVELS, 'INFO', 'verbose', '0'],
  [
    'INBOX_URL',
    FOLDER,
    ...[
      'file:',
      'file://',
      'file:///',
      './data',
      'postgres:///a',
      'file://elsewhere/a',
      'file:///%',
      'FILE:a',
      'file:~/inbox',
      'file:./inbox ',
    ],
  ],
  ['ACCESS_TOKENS', TOKEN_LIST, ',', 'a,', 'a,,b', 'a b', '=', 'a=b', '"a"', 'caf\u00e9', 'a\nb'],
])('%s: %s, unlike %j', (name, fault, ...values) => {
  for (const value of values) {
    expect(faultsOf({ ...TOKENS, [name]: value })).toEqual([`${name}: ${fault}`]);
  }
});

test('a parameter of INBOX_URL that is not known is refused', () => {
  const url = 'postgres://user:secret@db.example/plants?sslMode=require';
  expect(faultsOf({ ...TOKENS, INBOX_URL: url })).toEqual(["INBOX_URL: sslMode isn't supported; remove it"]);
});

test.each(['[::1]', 'http://localhost', 'localhost:3000', '127.0.0.1/8', 'a b'])(
  'HOST %j says what to write',
  (HOST) => {
    expect(faultsOf({ ...TOKENS, HOST })).toEqual([
      'HOST: must be a name or an address alone, without a scheme, brackets and a port',
    ]);
  },
);

test.each(['localhost', 'vm-1.example', '::', 'fe80::1%eth0', '::ffff:127.0.0.1'])(
  'HOST may be %s',
  (HOST) => {
    expect(parse({ ...TOKENS, HOST }).HOST).toBe(HOST);
  },
);

test.each(['OPERATIONS_PORT', 'HOST'])('%s that Kubernetes has set for a service says so', (name) => {
  expect(faultsOf({ ...TOKENS, [name]: 'tcp://10.0.0.1:3001' })).toEqual([
    `${name}: Kubernetes has set it for a service of that name; write enableServiceLinks: false into the pod`,
  ]);
});

test('an inbox on PostgreSQL has limits of its own', () => {
  const shared = { ...TOKENS, INBOX_URL: 'postgres://user@host/database' };
  const large = { MAX_CONTENT_BYTES: '268000001', MAX_CONTENT_BYTES_IN_FLIGHT: '268000001' };

  expect(faultsOf({ ...shared, ...large, RETENTION_BYTES: '1' })).toEqual([
    'MAX_CONTENT_BYTES: must not be larger than 268000000 for an inbox on PostgreSQL',
    'RETENTION_BYTES: must not be set for an inbox on PostgreSQL; remove the variable',
  ]);
  expect(faultsOf({ ...TOKENS, ...large, RETENTION_BYTES: '1' })).toEqual([]);
  expect(faultsOf(shared)).toEqual([]);
});

test('identifiers of events are kept at least as long as contents', () => {
  const fault = 'EVENT_RETENTION_MS: must not be smaller than RETENTION_MS';

  expect(faultsOf({ ...TOKENS, RETENTION_MS: '2', EVENT_RETENTION_MS: '1' })).toEqual([fault]);
  expect(faultsOf({ ...TOKENS, RETENTION_MS: '7776000001' })).toEqual([fault]);
  expect(faultsOf({ ...TOKENS, EVENT_RETENTION_MS: '2591999999' })).toEqual([fault]);
  expect(faultsOf({ ...TOKENS, RETENTION_MS: '2', EVENT_RETENTION_MS: '2' })).toEqual([]);
});

describe('once questions are answered:', () => {
  const { signing, 'event-identity': identity, 'token-format': format } = exampleAnswers;
  const signed: AnswerValues = { signing, 'event-identity': identity };
  const KEYS =
    'SIGNING_KEYS: set the signing keys, separated by commas, each written as whsec_ and base64: signing is answered';

  test.each<[name: string, given: AnswerValues, environment: Record<string, string>, want: string[]]>([
    [
      'no key while signing is open',
      {},
      { SIGNING_KEYS: 'whsec_YQ==' },
      ['SIGNING_KEYS: must not be set while signing is an open question; remove the variable'],
    ],
    ['a key once signing is answered', signed, {}, [KEYS]],
    ['a key with its prefix', signed, { SIGNING_KEYS: 'whsec_YQ==,YQ==' }, [KEYS]],
    ['a key in its encoding', signed, { SIGNING_KEYS: 'whsec_secret?' }, [KEYS]],
    ['a key with something in it', signed, { SIGNING_KEYS: 'whsec_' }, [KEYS]],
    [
      'tokens of the format',
      { 'token-format': format },
      TOKENS,
      ['ACCESS_TOKENS: must have the format that answers token-format: example'],
    ],
    [
      'no limit that is answered',
      { 'size-limits': 10, 'time-outs': { delivery: 10, response: 10 } },
      {
        MAX_CONTENT_BYTES: '10',
        REQUEST_TIMEOUT_MS: '10',
      },
      [
        'MAX_CONTENT_BYTES: must not be set, because size-limits is answered; remove the variable',
        'REQUEST_TIMEOUT_MS: must not be set, because time-outs is answered; remove the variable',
      ],
    ],
    [
      'room for one delivery of the largest size',
      { 'size-limits': 10 },
      { MAX_CONTENT_BYTES_IN_FLIGHT: '9' },
      ['MAX_CONTENT_BYTES_IN_FLIGHT: must not be smaller than the answer to size-limits'],
    ],
  ])('%s', (_name, given, environment, want) => {
    expect(faultsOf({ ...TOKENS, ...environment }, given)).toEqual(want);
  });

  test('answers replace limits', () => {
    const environment = { ACCESS_TOKENS: 'example-token', SIGNING_KEYS: 'whsec_YQ==, whsec_Yg' };

    expect(parse(environment, exampleAnswers)).toEqual({
      ...defaults,
      ACCESS_TOKENS: ['example-token'],
      SIGNING_KEYS: ['whsec_YQ==', 'whsec_Yg'],
      MAX_CONTENT_BYTES: 1_000,
      REQUEST_TIMEOUT_MS: 2_000,
    });
  });

  test('answers that cannot be carried out have an error of their own', () => {
    const given: AnswerValues = { 'size-limits': 0 };
    const [fault] = valueFaults(given);
    expect(() => parse(TOKENS, given)).toThrow(
      new ReceiverError('ANSWERS_INVALID', `These answers cannot be carried out:\n  ${fault}`),
    );
  });
});

describe('settings that depend on each other:', () => {
  const ONE =
    'ACCESS_TOKENS: set either ACCESS_TOKENS (comma-separated) or ACCESS_TOKENS_FILE (one a line): the receiver does not start without a token';

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
      'a content that is larger than can be stored',
      { ...TOKENS, MAX_CONTENT_BYTES: '400000001', MAX_CONTENT_BYTES_IN_FLIGHT: '1000000000' },
      ['MAX_CONTENT_BYTES: must be a whole number from 1 to 400000000'],
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

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1'])(
  'OPERATIONS_HOST must not be the loopback address: %s',
  (host) => {
    expect(faultsOf({ ...TOKENS, OPERATIONS_HOST: host })).toEqual([
      'OPERATIONS_HOST: must not be a loopback address, where everything is served already; remove the variable',
    ]);
  },
);

describe('connections and the limit of open files', () => {
  test.each([
    { openFiles: 512, connections: 288 },
    { openFiles: 1_024, connections: 800 },
    { openFiles: 1_223, connections: 999 },
    { openFiles: 65_536, connections: 1_000 },
  ])('$openFiles files: $connections connections by default', ({ openFiles, connections }) => {
    expect(parse(TOKENS, {}, openFiles).MAX_CONNECTIONS).toBe(connections);
  });

  test('more than the limit leaves is a fault', () => {
    const set = { ...TOKENS, MAX_CONNECTIONS: '801' };

    expect(parse(set, {}, 1_025).MAX_CONNECTIONS).toBe(801);
    expect(faultsOf(set, {}, 1_024)).toEqual([
      'MAX_CONNECTIONS: must not be larger than 800: the process may have 1024 files and connections open; raise that limit (ulimit -n)',
    ]);
  });
});

test('every fault is listed, each once', () => {
  expect(
    faultsOf({
      PORT: 'no',
      OPERATIONS_PORT: 'no',
      OPERATIONS_HOST: 'localhost',
      OPERATOR_HEADER: 'no name',
      RECEIVER_NAME: ' ',
      INBOX_URL: 'no',
      HANDLER: 'ftp://no',
      LOG_LEVEL: 'no',
      SIGNING_KEYS: 'no',
      ...Object.fromEntries(
        SETTING_NAMES.filter((name) =>
          /_(MS|BYTES|IN_FLIGHT|CONNECTIONS|PROCESS|CONCURRENCY|ATTEMPTS)$/.test(name),
        ).map((name) => [name, 'no']),
      ),
    }).map((fault) => fault.split(':')[0]),
  ).toEqual(
    expect.arrayContaining(SETTING_NAMES.filter((name) => !['HOST', 'ACCESS_TOKENS_FILE'].includes(name))),
  );
});

test('no value is quoted, because a token may be in the wrong variable', () => {
  const secret = 'a secret?';
  const environment = Object.fromEntries(SETTING_NAMES.map((name) => [name, secret]));

  const faults = faultsOf(environment);
  // Any text may be the path of a file, or a name.
  expect(faults).toHaveLength(SETTING_NAMES.length - 2);
  expect(faults.join('\n')).not.toContain('secret');
});

describe('HANDLER', () => {
  test.each([
    'handler.mjs',
    '/opt/handler.cjs',
    'C:\\handler.mjs',
    'c:/handler.mjs',
    'file:///opt/handler.mjs',
    'http://127.0.0.1:8000',
    'HTTPS://plants.example/new?key=arbitrary',
    'http://[::1]:8000/',
  ])('may be %s', (HANDLER) => {
    expect(parse({ ...TOKENS, HANDLER }).HANDLER).toBe(HANDLER);
  });

  test.each(
    [
      'ftp://plants.example',
      'data:text/javascript,',
      'http://',
      'file://host/handler.mjs',
      'nats://a',
    ].concat('https://user:secret@plants.example'),
  )('must not be %s', (HANDLER) => {
    expect(faultsOf({ ...TOKENS, HANDLER })).toEqual([
      'HANDLER: must be the path or the file: URL of a module, or an http: or https: URL without a user name and a password',
    ]);
  });
});

describe('variables that look like misspelt settings', () => {
  test.each([
    ...['HANDLER_CONCURENCY', 'HANDLER_TIMEOUT', 'MAX_CONTENT_BYTE', 'INBOX_URI', 'ACCESS_TOKENS_FILES'],
    'SHUTDOWN_TIMEOUT',
  ])('%s', (name) => {
    const environment = { ...TOKENS, [name]: 'a secret?' };
    const warning = `${name}: is not a setting and has no effect; docs/reference/settings.md has their names`;

    expect(unknownSettings(environment)).toEqual([warning]);
    expect(parse(environment)).toEqual(parse(TOKENS));
    expect(faultsOf({ ...environment, PORT: 'no' })).toEqual([expect.stringContaining('PORT: '), warning]);
  });

  test('are found for every setting, but for names that other programs use too', () => {
    const unnoticed = SETTING_NAMES.filter(
      (name) => unknownSettings({ [`${name}X`]: 'arbitrary' }).length === 0,
    );

    // Another setting here: add the start of its name to PREFIXES in unknown-variables.ts.
    expect(unnoticed).toEqual(['HOST', 'PORT', 'LOG_LEVEL']);
  });

  test('are not settings, nor variables that other programs use', () => {
    const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'arbitrary']));
    const others = [
      ...[
        'PATH',
        'HOSTNAME',
        'HOST_IP',
        'PORTS',
        'LOG_FORMAT',
        'MAX_WORKERS',
        'NODE_OPTIONS',
        'ACCESS_TOKEN',
      ],
      // Kubernetes sets these for services with such names.
      ...['INBOX_SERVICE_HOST', 'INBOX_SERVICE_PORT', 'INBOX_SERVICE_PORT_HTTP', 'HANDLER_PORT'],
      ...['HANDLER_PORT_80_TCP', 'HANDLER_PORT_80_TCP_ADDR'],
    ];

    expect(
      unknownSettings({ ...settings, ...Object.fromEntries(others.map((name) => [name, 'arbitrary'])) }),
    ).toEqual([]);
  });
});
