import { ACCESS_TOKEN_PATTERN } from '@plant-store/contract';
import { z } from 'zod';

import { ReceiverError } from './errors.js';
import { inboxFolder } from './inbox/inbox-folder.js';

/** A number in decimal digits. One rule for all of it, so that a wrong one has one fault, which says what is right. */
const wholeNumber = (fallback: number, least: number, most: number) =>
  z
    .string()
    .transform((digits) => (/^\d+$/.test(digits) ? Number(digits) : NaN))
    .transform((value) => (value >= least && value <= most ? value : NaN))
    .refine((value) => !Number.isNaN(value), { error: `must be a whole number from ${least} to ${most}` })
    .default(fallback);
const bytes = (fallback: number) => wholeNumber(fallback, 1, Number.MAX_SAFE_INTEGER);
const milliseconds = (fallback: number) => wholeNumber(fallback, 1, 2_147_483_647);
const port = (fallback: number) => wholeNumber(fallback, 0, 65_535);

const accessTokens = z
  .string()
  .transform((list) => list.split(',').map((token) => token.trim()))
  .refine((tokens) => tokens.every((token) => ACCESS_TOKEN_PATTERN.test(token)), {
    error: 'must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)',
  });

const inboxUrl = z
  .string()
  .refine(namesFolder, { error: 'must be file: and a folder, as in file:./data/inbox' });

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * The receiver's settings. Sizes and times are guards: they protect this process, and no peer may rely
 * on them (questions `size-limits`, `time-outs`, `rate-limits`).
 */
const settings = z
  .object({
    HOST: z.string().min(1).default('127.0.0.1'),
    PORT: port(3000),
    OPERATIONS_PORT: port(3001),
    ACCESS_TOKENS: accessTokens.optional(),
    ACCESS_TOKENS_FILE: z.string().min(1).optional(),
    INBOX_URL: inboxUrl.default('file:./data/inbox'),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    MAX_CONTENT_BYTES: bytes(1_048_576),
    MAX_CONTENT_BYTES_IN_FLIGHT: bytes(67_108_864),
    REQUEST_TIMEOUT_MS: milliseconds(30_000),
    KEEP_ALIVE_TIMEOUT_MS: milliseconds(72_000),
    SHUTDOWN_TIMEOUT_MS: milliseconds(10_000),
    HANDLER_CONCURRENCY: wholeNumber(8, 1, 1_000),
    HANDLER_TIMEOUT_MS: milliseconds(30_000),
    HANDLER_MAX_ATTEMPTS: wholeNumber(12, 1, Number.MAX_SAFE_INTEGER),
    HANDLER_BACKOFF_MS: milliseconds(1_000),
    HANDLER_MAX_BACKOFF_MS: milliseconds(3_600_000),
  })
  .refine((given) => (given.ACCESS_TOKENS === undefined) !== (given.ACCESS_TOKENS_FILE === undefined), {
    error:
      'set one of ACCESS_TOKENS (comma-separated) and ACCESS_TOKENS_FILE (one a line): without a token the receiver does not start',
    path: ['ACCESS_TOKENS'],
    when: () => true,
  })
  .refine((given) => !(given.MAX_CONTENT_BYTES > given.MAX_CONTENT_BYTES_IN_FLIGHT), {
    error: 'must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT',
    path: ['MAX_CONTENT_BYTES'],
    when: () => true,
  });

/** The receiver's settings, valid and frozen. */
export type Config = Readonly<z.output<typeof settings>>;

/** Names of the settings, in the order in which they are documented. */
export const SETTING_NAMES = Object.keys(settings.shape) as readonly (keyof Config)[];

/**
 * Reads the settings from an environment. An empty variable counts as not set.
 *
 * @throws ReceiverError `CONFIGURATION_INVALID`, with every fault on a line of its own. No value is
 * quoted, since a token may stand in the wrong variable.
 */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(SETTING_NAMES.map((name) => [name, environment[name] || undefined]));
  const result = settings.safeParse(given);
  if (result.success) return freeze(result.data);
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ReceiverError(
    'CONFIGURATION_INVALID',
    ['The configuration is not usable:', ...faults].join('\n'),
  );
}

function freeze(config: Config): Config {
  Object.freeze(config.ACCESS_TOKENS);
  return Object.freeze(config);
}

function namesFolder(url: string): boolean {
  try {
    inboxFolder(url);
    return true;
  } catch {
    return false;
  }
}
