import { ACCESS_TOKEN_PATTERN, type Answers, answers } from '@plant-store/contract';
import { z } from 'zod';

import { effectsOf, type ReceiverEffects } from './answers/effects-of.js';
import { accessTokenTest } from './authentication/access-token-test.js';
import { readSigningKey } from './checks/signing-key.js';
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

const commaSeparated = z.string().transform((list) => list.split(',').map((entry) => entry.trim()));
const accessTokens = commaSeparated.refine(
  (tokens) => tokens.every((token) => ACCESS_TOKEN_PATTERN.test(token)),
  {
    error: 'must be access tokens separated by commas (letters, digits, - . _ ~ + / and = at the end)',
  },
);

const inboxUrl = z
  .string()
  .refine(namesFolder, { error: 'must be file: and a folder, as in file:./data/inbox' });

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * The receiver's settings. Sizes and times are guards: they protect this process, and no peer may rely
 * on them (questions `size-limits`, `time-outs`, `rate-limits`).
 */
const settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port(3000),
  OPERATIONS_PORT: port(3001),
  ACCESS_TOKENS: accessTokens.optional(),
  ACCESS_TOKENS_FILE: z.string().min(1).optional(),
  SIGNING_KEYS: commaSeparated.optional(),
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
});

/** The receiver's settings, valid and frozen. */
export type Config = Readonly<z.output<typeof settings>>;

/** Names of the settings, in the order in which they are documented. */
export const SETTING_NAMES = Object.keys(settings.shape) as readonly (keyof Config)[];

/**
 * Reads the settings from an environment. An empty variable counts as not set.
 *
 * @param given answers: they take the place of guards, and ask for settings that there are not while a question is open
 * @throws ReceiverError `ANSWERS_INVALID`, or `CONFIGURATION_INVALID` with every fault on a line of its own. No value
 * is quoted, since a token may stand in the wrong variable.
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  given: Answers = answers,
): Config {
  const effects = effectsOf(given);
  const set = Object.fromEntries(SETTING_NAMES.map((name) => [name, environment[name] || undefined]));
  const answered = effects.guards.map(({ setting, value }) => [setting, String(value)]);
  const result = agreeing(settings, effects).safeParse({ ...set, ...Object.fromEntries(answered) });
  const faults = [
    ...effects.guards
      .filter(({ setting }) => set[setting] !== undefined)
      .map(
        ({ setting, question }) => `${setting}: cannot be set, since ${question} is answered; take it away`,
      ),
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  ];
  if (result.success && faults.length === 0) return freeze(result.data);
  throw new ReceiverError(
    'CONFIGURATION_INVALID',
    ['The configuration is not usable:', ...faults.map((fault) => `  ${fault}`)].join('\n'),
  );
}

/** The settings, with what they have to be in the light of each other and of the answers. */
function agreeing(all: typeof settings, { guards, signing, tokenFormat }: ReceiverEffects): typeof settings {
  const sizeIsAnswered = guards.some(({ setting }) => setting === 'MAX_CONTENT_BYTES');
  const isOfFormat = accessTokenTest(tokenFormat);
  const always = (): boolean => true;
  return all
    .refine(
      ({ ACCESS_TOKENS: list, ACCESS_TOKENS_FILE: file }) => (list === undefined) !== (file === undefined),
      {
        error:
          'set one of ACCESS_TOKENS (comma-separated) and ACCESS_TOKENS_FILE (one a line): without a token the receiver does not start',
        path: ['ACCESS_TOKENS'],
        when: always,
      },
    )
    .refine(
      ({ ACCESS_TOKENS: list }) =>
        !Array.isArray(list) || list.every((token) => !ACCESS_TOKEN_PATTERN.test(token) || isOfFormat(token)),
      {
        error: `must be of the format that token-format is answered with: ${tokenFormat?.name}`,
        path: ['ACCESS_TOKENS'],
        when: always,
      },
    )
    .refine(
      ({ MAX_CONTENT_BYTES: one, MAX_CONTENT_BYTES_IN_FLIGHT: all }) => !(one > all),
      sizeIsAnswered
        ? {
            error: 'must not be smaller than what size-limits is answered with',
            path: ['MAX_CONTENT_BYTES_IN_FLIGHT'],
            when: always,
          }
        : {
            error: 'must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT',
            path: ['MAX_CONTENT_BYTES'],
            when: always,
          },
    )
    .refine(
      ({ SIGNING_KEYS: keys }) =>
        signing === undefined
          ? keys === undefined
          : keys?.every((key) => readSigningKey(signing.key, key) !== undefined),
      {
        error:
          signing === undefined
            ? 'cannot be set while signing is an open question; take it away'
            : `set the keys of signatures, separated by commas, each ${signing.key.prefix} and ${signing.key.encoding}: signing is answered`,
        path: ['SIGNING_KEYS'],
        when: always,
      },
    );
}

function freeze(config: Config): Config {
  Object.freeze(config.ACCESS_TOKENS);
  Object.freeze(config.SIGNING_KEYS);
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
