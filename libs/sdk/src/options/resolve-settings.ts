import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  type Accepts,
  type Answers,
  BASE64_PATTERN,
  CONTENT_METHODS,
  type ContentMethod,
  isJsonMediaType,
  type SigningScheme,
} from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { type AccessToken, type TokenSyntax, tokenSyntax } from '../delivery/access-token.js';
import type { HeaderHook } from '../delivery/headers.js';
import {
  checkEncodedWith,
  type EncodePlant,
  encodePlantWith,
  type UncheckedEncoder,
} from '../encoders/encode-plant.js';
import { readDispatcher } from './dispatcher.js';
import { Fault, missing, readAll } from './faults.js';
import { defaultTotalTimeout, readCount, readSwitch, readTimeout } from './limits.js';
import { readProperties, unknownOptions } from './read-properties.js';
import { readRetry } from './retry.js';
import type { UncheckedOptions } from './sender-options.js';
import { readTarget } from './target.js';
import { readCertificates, readKey } from './tls.js';

/** Everything that is decided when a sender is created. */
export type Settings<Plant> = ReturnType<typeof resolveSettings<Plant>>;

/**
 * Checks the options of a sender and applies the answers, which are right.
 *
 * @throws InvalidOptionsError with every fault of the options.
 */
export function resolveSettings<Plant>(
  given: Answers,
  unread: UncheckedOptions<Plant> = {},
  accepts: Accepts = {},
) {
  const answered = answeredSettingsOf(given, accepts);
  const { signing } = answered;
  const syntax = tokenSyntax(answered.tokenPattern);
  const readers = {
    baseUrl: (baseUrl: unknown) => readTarget(answered, baseUrl, options.allowInsecureTransport),
    method: (method: unknown) => readMethod(answered, method),
    encode: (encode: unknown) => readEncode<Plant>(answered, encode),
    accessToken: (token: unknown) => readAccessToken(token, syntax),
    signingKey: (key: unknown) => signing && readSigningKey(signing.key, key),
    headers: readHeaderHook,
    retry: (retry: unknown) => readRetry(answered.retry, retry),
    ca: () => readCertificates('ca', options),
    cert: () => readCertificates('cert', options),
    key: () => readKey(options),
    dispatcher: () => readDispatcher(options),
    connectTimeout: readTimeout,
    attemptTimeout: (time: unknown) => readTimeout(time, 'attemptTimeout', answered.attemptTimeout),
    totalTimeout: readTimeout,
    maxResponseBytes: (count: unknown) => readCount(count, 'maxResponseBytes', 0),
    maxConnections: (count: unknown) => readCount(count, 'maxConnections', 1),
    allowInsecureTransport: readSwitch,
  };
  const known = Object.keys(readers).filter((name) => signing !== undefined || name !== 'signingKey');
  const options = readProperties(unread, known) as UncheckedOptions<Plant>;
  const read = readAll(readers, unknownOptions(unread, known, 'a sender'), options);
  const { baseUrl: target, ...settings } = read;
  const totalTimeout =
    options.totalTimeout === undefined
      ? defaultTotalTimeout(answered.attemptTimeout, read.attemptTimeout, read.retry)
      : read.totalTimeout;
  const checkEncoded = checkEncodedWith(answered);
  return Object.freeze({ ...settings, checkEncoded, target, totalTimeout, syntax, answered });
}

/** Reads `method`, or uses the answer to the question http-method. */
function readMethod(answered: AnsweredSettings, option: unknown): ContentMethod {
  const method = option ?? answered.method;
  if (method === undefined) throw missing('method', 'http-method');
  const known = CONTENT_METHODS.find((candidate) => candidate === method);
  if (known === undefined) {
    throw new Fault('method', `must be one of ${CONTENT_METHODS.join(', ')}, in capitals.`, 'http-method');
  }
  return known;
}

/** Reads `encode`, or uses the default encoder of the answers to the questions payload and media-type. */
export function readEncode<Plant>(answered: AnsweredSettings, option: unknown): EncodePlant<Plant> {
  const encode = option ?? answered.defaultEncoder;
  if (encode === undefined) throw withoutEncode(answered.mediaType);
  if (typeof encode !== 'function') throw new Fault('encode', 'must be a function.', 'media-type');
  return encodePlantWith(encode as UncheckedEncoder<Plant>, answered);
}

function withoutEncode(mediaType: string | undefined): Fault {
  if (mediaType === undefined) return missing('encode', 'media-type');
  if (isJsonMediaType(mediaType)) return missing('encode', 'payload');
  return new Fault('encode', `is missing. This package has no encoder for ${mediaType}.`, 'media-type');
}

/** Reads `accessToken`. The token never becomes part of a fault. */
function readAccessToken(option: unknown, syntax: TokenSyntax): AccessToken {
  if (option === undefined) {
    throw new Fault(
      'accessToken',
      'is missing. Pass a string, or a function that returns one.',
      'token-issuance',
    );
  }
  if (typeof option === 'function') return option as AccessToken;
  if (!syntax.matches(option)) throw new Fault('accessToken', `must consist of ${syntax.description}.`);
  return option;
}

/** Reads `signingKey` in the form that the answer to the question signing defines. It never becomes part of a fault. */
function readSigningKey(scheme: SigningScheme['key'], option: unknown): KeyObject {
  const { prefix, encoding } = scheme;
  const form = `${prefix === '' ? '' : `${prefix} and then `}${encoding === 'base64' ? 'base64' : 'text'}`;
  if (option === undefined) {
    throw new Fault('signingKey', `is missing. Deliveries are signed; pass a key: ${form}.`, 'signing');
  }
  const rest = typeof option === 'string' && option.startsWith(prefix) ? option.slice(prefix.length) : '';
  if (rest === '' || (encoding === 'base64' && !BASE64_PATTERN.test(rest))) {
    throw new Fault('signingKey', `must be ${form}.`, 'signing');
  }
  return createSecretKey(Buffer.from(rest, encoding));
}

/** Reads `headers`. */
function readHeaderHook(option: unknown): HeaderHook | undefined {
  if (option !== undefined && typeof option !== 'function') throw new Fault('headers', 'must be a function.');
  return option as HeaderHook | undefined;
}
