import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';

import { ACCESS_TOKEN_PATTERN, MAX_SIZE_LIMIT, type QuestionId } from '@plant-store/contract';
import { z } from 'zod';

import { ReceiverError } from '../errors.js';
import { namesHandler } from './handler-source.js';
import { inboxFolder } from './inbox-folder.js';
import { deliveryConnections } from './open-files.js';
import { ParameterFault } from './postgres-parameters.js';
import { isPostgresUrl, postgresServers } from './postgres-url.js';
import { describeUnknownVariables } from './unknown-variables.js';

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A limit whose value an answer gives. It can't be set then. */
export interface AnsweredLimit {
  readonly setting: 'MAX_CONTENT_BYTES' | 'REQUEST_TIMEOUT_MS';
  readonly value: number;
  readonly question: QuestionId;
}

/** What the answers require of the settings. While every question is open, nothing. */
export interface AnsweredSettings {
  readonly limits: readonly AnsweredLimit[];
  /** The format of access tokens (question `token-format`). */
  readonly accessToken: { readonly format: string; matches(token: string): boolean } | undefined;
  /** How a key is written (question `signing`). */
  readonly signingKey: { readonly description: string; matches(key: string): boolean } | undefined;
}

/** The receiver's settings, valid and frozen. */
export type Config = Readonly<z.output<typeof settings>>;

/** A timer of Node can't be longer, in milliseconds. */
export const LONGEST_TIMER = 2_147_483_647;

/** A number in decimal digits. One check for everything, so that a wrong value has one fault. */
const optionalNumber = (least: number, most: number) =>
  z
    .string()
    .transform((digits) => (/^\d+$/.test(digits) ? Number(digits) : NaN))
    .transform((value) => (value >= least && value <= most ? value : NaN))
    .refine((value) => !Number.isNaN(value), { error: `must be a whole number from ${least} to ${most}` });
const wholeNumber = (fallback: number, least: number, most: number) =>
  optionalNumber(least, most).default(fallback);
const milliseconds = (fallback: number) => wholeNumber(fallback, 1, LONGEST_TIMER);
const port = (fallback: number) => wholeNumber(fallback, 0, 65_535);

const commaSeparated = z.string().transform((list) => list.split(',').map((entry) => entry.trim()));
const accessTokens = commaSeparated.refine(
  (tokens) => tokens.every((token) => ACCESS_TOKEN_PATTERN.test(token)),
  {
    error: 'must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)',
  },
);

/** Where an inbox is. */
export const inboxUrl = z.string().refine((url) => inboxFault(url) === undefined, {
  error: ({ input }) => inboxFault(input as string),
});

const handler = z.string().refine(namesHandler, {
  error:
    'must be the path or the file: URL of a module, or an http: or https: URL without a user name and a password',
});

/** A name, or an address perhaps with its zone. */
const host = z
  .string()
  .refine((text) => (text.includes(':') ? isIPv6(text.split('%', 1)[0]!) : /^[^\s/[\]]+$/.test(text)), {
    error: 'must be a name or an address alone, without a scheme, brackets and a port',
  });

/** A host that others can reach. On the loopback address everything is served already. */
const otherHost = host.refine((host) => !/^(?:localhost|127\..*|::1)$/i.test(host), {
  error: 'must not be a loopback address, where everything is served already; remove the variable',
});

/** Names of header fields that have credentials: each name of an operator is stored, shown and logged. */
const CREDENTIALS =
  /(?:authorization|cookie2?|token|jwt|secret|password|credentials?|assertion|session|signature|(?:^|-)(?:api-?)?key)$/i;

/** The header field in which a proxy names who has signed in. Every object of JavaScript has a __proto__. */
const operatorField = z
  .string()
  .regex(/^(?!__proto__$|constructor$)[!#$%&'*+.^_`|~\dA-Za-z-]+$/i, {
    error: 'must be the name of a header field, such as X-Forwarded-User',
  })
  .refine((name) => !CREDENTIALS.test(name), {
    error:
      'must not be a field with credentials, because names of operators are logged; use another, such as X-Forwarded-User',
  });

/** What people tell a receiver by, such as `production`. */
const receiverName = z.string().regex(/^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,60}$/u, {
  error: 'must have from 1 to 60 characters, not only spaces, and without control characters',
});

/** What Kubernetes sets for a service: `OPERATIONS_PORT=tcp://10.0.0.1:80` for one that is called `operations`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** In milliseconds. */
const DAY = 86_400_000;

/** The delay and the time of a stop are added, with a margin, and the sum must fit into one timer. */
const stopTime = (fallback: number, least: number) => wholeNumber(fallback, least, DAY);

/** The default, if the process may have so many. */
const DEFAULT_CONNECTIONS = 1_000;
const maxConnections = (fallback: number) => wholeNumber(fallback, 1, 1_000_000);

/** `pg` reads a content as text of twice its length, and Node has no text that is longer than 512 MiB. */
const MAX_POSTGRES_CONTENT = 268_000_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * The receiver's settings. Sizes and times are limits: they protect this process, and no peer may rely
 * on them (questions `size-limits`, `time-outs`, `rate-limits`). **Add a new setting here**; CONTRIBUTING.md says what
 * else to change.
 */
const settings = z.object({
  HOST: host.default('127.0.0.1'),
  PORT: port(3000),
  OPERATIONS_PORT: port(3001),
  OPERATIONS_HOST: otherHost.optional(),
  OPERATOR_HEADER: operatorField.optional(),
  RECEIVER_NAME: receiverName.optional(),
  ACCESS_TOKENS: accessTokens.optional(),
  ACCESS_TOKENS_FILE: z.string().min(1).optional(),
  SIGNING_KEYS: commaSeparated.optional(),
  INBOX_URL: inboxUrl.default('file:./data/inbox'),
  // No timer runs for so long, so they may be longer than the longest one.
  RETENTION_MS: wholeNumber(30 * DAY, 1, Number.MAX_SAFE_INTEGER),
  RETENTION_BYTES: optionalNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  EVENT_RETENTION_MS: wholeNumber(90 * DAY, 1, Number.MAX_SAFE_INTEGER),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  // The inbox can't store more.
  MAX_CONTENT_BYTES: wholeNumber(1_048_576, 1, MAX_SIZE_LIMIT),
  MAX_CONTENT_BYTES_IN_FLIGHT: wholeNumber(67_108_864, 1, Number.MAX_SAFE_INTEGER),
  MAX_CONNECTIONS: maxConnections(DEFAULT_CONNECTIONS),
  REQUEST_TIMEOUT_MS: milliseconds(30_000),
  KEEP_ALIVE_TIMEOUT_MS: milliseconds(72_000),
  SHUTDOWN_DELAY_MS: stopTime(0, 0),
  SHUTDOWN_TIMEOUT_MS: stopTime(10_000, 1),
  // run.ts names your team's.
  HANDLER: handler,
  HANDLER_CONCURRENCY: wholeNumber(8, 0, 1_000),
  HANDLER_TIMEOUT_MS: milliseconds(30_000),
  HANDLER_MAX_ATTEMPTS: wholeNumber(12, 1, Number.MAX_SAFE_INTEGER),
  HANDLER_BACKOFF_MS: milliseconds(1_000),
  HANDLER_MAX_BACKOFF_MS: milliseconds(3_600_000),
});

/** Names of the settings, in the order in which they are documented. */
export const SETTING_NAMES = Object.keys(settings.shape) as readonly (keyof Config)[];

/**
 * Reads the settings from an environment. An empty variable counts as not set.
 *
 * @param openFiles how many files and connections the process may have open
 * @throws ReceiverError `CONFIGURATION_INVALID`, with every fault on a line of its own. No value is quoted, since a
 * token may be in the wrong variable.
 */
export function parseConfig(
  environment: Environment,
  answered: AnsweredSettings,
  openFiles = Infinity,
): Config {
  const set = Object.fromEntries(SETTING_NAMES.map((name) => [name, environment[name] || undefined]));
  const limits = Object.fromEntries(answered.limits.map(({ setting, value }) => [setting, String(value)]));
  const result = withRules(answered, openFiles).safeParse({ ...set, ...limits });
  const linked = SETTING_NAMES.filter((name) => SERVICE_LINK.test(set[name] ?? ''));
  const issues = (result.error?.issues ?? []).map(({ path, message }) => [path.join('.'), message] as const);
  const faults = [
    ...answered.limits
      .filter(({ setting }) => set[setting] !== undefined)
      .map(
        ({ setting, question }) =>
          `${setting}: must not be set, because ${question} is answered; remove the variable`,
      ),
    ...issues
      .filter(([name]) => !linked.some((each) => each === name))
      .map(([name, message]) => `${name}: ${message}`),
    ...linked.map(
      (name) =>
        `${name}: Kubernetes has set it for a service of that name; write enableServiceLinks: false into the pod`,
    ),
  ];
  if (result.success && faults.length === 0) return freeze(result.data);
  throw new ReceiverError(
    'CONFIGURATION_INVALID',
    ['The configuration is invalid:', ...faults, ...unknownSettings(environment)].join('\n  '),
  );
}

/** Variables that look like misspelt settings: a line for each, without its value. */
export function unknownSettings(environment: Environment): string[] {
  return describeUnknownVariables(environment, SETTING_NAMES);
}

/** The settings, with the rules that compare them with each other and with the answers. */
function withRules(
  { limits, accessToken, signingKey }: AnsweredSettings,
  openFiles: number,
): typeof settings {
  const isSizeAnswered = limits.some(({ setting }) => setting === 'MAX_CONTENT_BYTES');
  const connections = deliveryConnections(openFiles);
  return settings
    .extend({ MAX_CONNECTIONS: maxConnections(Math.min(DEFAULT_CONNECTIONS, connections)) })
    .refine(
      ({ MAX_CONNECTIONS: given }) => !(given > connections),
      rule(
        'MAX_CONNECTIONS',
        `must not be larger than ${connections}: the process may have ${openFiles} files and connections open; raise that limit (ulimit -n)`,
      ),
    )
    .refine(
      ({ ACCESS_TOKENS: list, ACCESS_TOKENS_FILE: file }) => (list === undefined) !== (file === undefined),
      rule(
        'ACCESS_TOKENS',
        'set either ACCESS_TOKENS (comma-separated) or ACCESS_TOKENS_FILE (one a line): the receiver does not start without a token',
      ),
    )
    .refine(
      // A token that isn't one at all has a fault already.
      ({ ACCESS_TOKENS: list }) =>
        accessToken === undefined ||
        !Array.isArray(list) ||
        list.every((token) => !ACCESS_TOKEN_PATTERN.test(token) || accessToken.matches(token)),
      rule('ACCESS_TOKENS', `must have the format that answers token-format: ${accessToken?.format}`),
    )
    .refine(
      // The comparison is negated because a value that isn't a number has a fault already.
      ({ MAX_CONTENT_BYTES: one, MAX_CONTENT_BYTES_IN_FLIGHT: all }) => !(one > all),
      isSizeAnswered
        ? rule('MAX_CONTENT_BYTES_IN_FLIGHT', 'must not be smaller than the answer to size-limits')
        : rule('MAX_CONTENT_BYTES', 'must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT'),
    )
    .refine(
      ({ MAX_CONTENT_BYTES: one, INBOX_URL: url }) => !(one > MAX_POSTGRES_CONTENT) || !isPostgresUrl(url),
      rule('MAX_CONTENT_BYTES', `must not be larger than ${MAX_POSTGRES_CONTENT} for an inbox on PostgreSQL`),
    )
    .refine(
      ({ RETENTION_BYTES: bytes, INBOX_URL: url }) => bytes === undefined || !isPostgresUrl(url),
      rule('RETENTION_BYTES', 'must not be set for an inbox on PostgreSQL; remove the variable'),
    )
    .refine(
      ({ RETENTION_MS: contents, EVENT_RETENTION_MS: events }) => !(events < contents),
      rule('EVENT_RETENTION_MS', 'must not be smaller than RETENTION_MS'),
    )
    .refine(
      ({ SIGNING_KEYS: keys }) =>
        signingKey === undefined
          ? keys === undefined
          : keys !== undefined && keys.every((key) => signingKey.matches(key)),
      rule(
        'SIGNING_KEYS',
        signingKey === undefined
          ? 'must not be set while signing is an open question; remove the variable'
          : `set the signing keys, separated by commas, each written as ${signingKey.description}: signing is answered`,
      ),
    );
}

/** A rule is checked even if another one failed, so that every fault is listed at once. */
function rule(setting: keyof Config, error: string) {
  return { error, path: [setting], when: () => true };
}

/** What is wrong with the URL of an inbox. It is never quoted, since it may have a password. */
function inboxFault(url: string): string | undefined {
  try {
    if (isPostgresUrl(url)) postgresServers(url);
    else inboxFolder(url);
    return undefined;
  } catch (error) {
    // Whoever opens the inbox says why its folder can't be found. The setting isn't wrong.
    if (error instanceof ReceiverError) return undefined;
    if (error instanceof ParameterFault) return error.message;
    return 'must be file: and a folder, as in file:./data/inbox, or postgres: with a host and a database, as in postgres://user@db.example/plants';
  }
}

/** What people tell the receiver by: by default, its host. */
export const nameOf = ({ RECEIVER_NAME: name = hostname() }: Config): string => name;

function freeze(config: Config): Config {
  Object.freeze(config.ACCESS_TOKENS);
  Object.freeze(config.SIGNING_KEYS);
  return Object.freeze(config);
}
