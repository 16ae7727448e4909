import { ACCESS_TOKEN_PATTERN, MAX_SIZE_LIMIT, type TokenFormat } from '@plant-store/contract';
import { z } from 'zod';

import type { ReceiverEffects } from './answers/effects-of.js';
import type { Signing } from './answers/receiver-effect.js';
import { accessTokenTest } from './authentication/access-token-test.js';
import { readSigningKey } from './checks/signing-key.js';
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
export const settings = z.object({
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

/** The settings, with what they have to be in the light of each other and of the answers. */
export function settingsUnder({ guards, signing, tokenFormat }: ReceiverEffects): typeof settings {
  const isSizeAnswered = guards.some(({ setting }) => setting === 'MAX_CONTENT_BYTES');
  return settings
    .refine(hasOnePlaceForTokens, rule('ACCESS_TOKENS', ONE_PLACE_FOR_TOKENS))
    .refine(
      hasTokensOf(tokenFormat),
      rule('ACCESS_TOKENS', `must be of the format that token-format is answered with: ${tokenFormat?.name}`),
    )
    .refine(
      ({ MAX_CONTENT_BYTES: one }) => !(one > MAX_SIZE_LIMIT),
      rule('MAX_CONTENT_BYTES', `must not be larger than ${MAX_SIZE_LIMIT}, which the inbox can keep`),
    )
    .refine(
      hasRoomForOneDelivery,
      isSizeAnswered
        ? rule('MAX_CONTENT_BYTES_IN_FLIGHT', 'must not be smaller than what size-limits is answered with')
        : rule('MAX_CONTENT_BYTES', 'must not be larger than MAX_CONTENT_BYTES_IN_FLIGHT'),
    )
    .refine(hasKeysFor(signing), rule('SIGNING_KEYS', signing === undefined ? NO_KEYS : keysOf(signing)));
}

type Settings = z.output<typeof settings>;

const ONE_PLACE_FOR_TOKENS =
  'set one of ACCESS_TOKENS (comma-separated) and ACCESS_TOKENS_FILE (one a line): without a token the receiver does not start';
const NO_KEYS = 'cannot be set while signing is an open question; take it away';

const keysOf = ({ key: { prefix, encoding } }: Signing): string =>
  `set the keys of signatures, separated by commas, each ${prefix} and ${encoding}: signing is answered`;

/** A rule is looked at whatever else is wrong, so that every fault is told at once. */
const rule = (setting: keyof Settings, error: string) => ({ error, path: [setting], when: () => true });

function hasOnePlaceForTokens({ ACCESS_TOKENS: list, ACCESS_TOKENS_FILE: file }: Settings): boolean {
  return (list === undefined) !== (file === undefined);
}

/** What is no access token at all has a fault of its own. */
function hasTokensOf(format: TokenFormat | undefined): (given: Settings) => boolean {
  const isOfFormat = accessTokenTest(format);
  return ({ ACCESS_TOKENS: list }) =>
    !Array.isArray(list) || list.every((token) => !ACCESS_TOKEN_PATTERN.test(token) || isOfFormat(token));
}

/** What is no number has a fault of its own. */
function hasRoomForOneDelivery({
  MAX_CONTENT_BYTES: one,
  MAX_CONTENT_BYTES_IN_FLIGHT: all,
}: Settings): boolean {
  return !(one > all);
}

function hasKeysFor(signing: Signing | undefined): (given: Settings) => boolean {
  if (signing === undefined) return ({ SIGNING_KEYS: keys }) => keys === undefined;
  return ({ SIGNING_KEYS: keys = [] }) =>
    keys.length > 0 && keys.every((key) => readSigningKey(signing.key, key) !== undefined);
}

function namesFolder(url: string): boolean {
  try {
    inboxFolder(url);
    return true;
  } catch {
    return false;
  }
}
