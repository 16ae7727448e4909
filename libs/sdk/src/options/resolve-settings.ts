import type { KeyObject } from 'node:crypto';
import {
  type AnswerValues,
  CONTENT_METHODS,
  type ContentMethod,
  isJsonMediaType,
  type SigningScheme,
} from '@plant-store/contract';
import type { Dispatcher } from 'undici';
import { type AnsweredSettings, answeredSettingsOf } from '../answers/settings-table.js';
import { type AccessToken, type TokenSyntax, tokenSyntax } from '../delivery/access-token.js';
import type { HeaderHook } from '../delivery/headers.js';
import { describeKey, keyReader, parseSigningKey } from '../delivery/signing.js';
import { type Encoding, PlantEncoder, type UncheckedEncoder } from '../encoders/plant-encoder.js';
import { invalidOption, type InvalidOptionsError, unexpected } from '../errors/invalid-options-error.js';
import { defaultTotalTimeout, limitDefaults } from './limits.js';
import {
  missing,
  type OptionValues,
  readFunction,
  readInteger,
  readOptions,
  readSwitch,
  readTimeout,
} from './read-options.js';
import { readRetry } from './retry.js';
import type { RawOptions } from './sender-options.js';
import { readTarget } from './target.js';
import { readCertificates, readKey } from './tls.js';

/** Everything that is decided when a sender is created. */
export type Settings<Plant> = ReturnType<typeof resolveSettings<Plant>>;

/**
 * Checks the options of a sender and applies the answers, which are right.
 *
 * @throws InvalidOptionsError with every fault of the options.
 */
export function resolveSettings<Plant>(given: AnswerValues, raw: RawOptions = {}) {
  const answered = answeredSettingsOf(given);
  const { signing } = answered;
  const syntax = tokenSyntax(answered.tokenPattern);
  // The default of `totalTimeout` depends on other options.
  const defaults = { ...limitDefaults, ...answered, totalTimeout: undefined };
  const readers = {
    baseUrl: (option: unknown, _name: string, { allowInsecureTransport }: OptionValues) =>
      readTarget(option, answered.pathPrefix, allowInsecureTransport),
    method: readMethod,
    encode: (encode: unknown) => readEncoder<Plant>(answered, encode),
    accessToken: (token: unknown) => readAccessToken(token, syntax),
    ...(signing && { signingKey: (key: unknown) => readSigningKey(signing.key, key) }),
    headers: readFunction as () => HeaderHook | undefined,
    retry: readRetry,
    ca: readCertificates,
    cert: readCertificates,
    key: readKey,
    dispatcher: readDispatcher,
    connectTimeout: readTimeout,
    attemptTimeout: readTimeout,
    totalTimeout: (time: unknown, name: string) => (time === undefined ? time : readTimeout(time, name)),
    maxResponseBytes: (count: unknown, name: string) => readInteger(count, name, 0),
    maxConnections: (count: unknown, name: string) => readInteger(count, name, 1),
    maxConnectionAge: readTimeout,
    allowInsecureTransport: readSwitch,
  };
  const { baseUrl: target, encode: encoder, ...settings } = readOptions(readers, raw, 'a sender', defaults);
  const { attemptTimeout, retry } = settings;
  const totalTimeout =
    settings.totalTimeout ?? defaultTotalTimeout(answered.attemptTimeout, attemptTimeout, retry);
  return Object.freeze({ ...settings, encoder, target, totalTimeout, syntax, answered });
}

/** Reads `method`. */
function readMethod(option: unknown): ContentMethod {
  if (option === undefined) throw missing('method', 'http-method');
  if (!CONTENT_METHODS.includes(option as ContentMethod)) {
    throw invalidOption('method', `must be one of ${CONTENT_METHODS.join(', ')}.`, {
      question: 'http-method',
    });
  }
  return option as ContentMethod;
}

/** Reads `encode`, or uses the default encoder of the answers to the questions payload and media-type. */
export function readEncoder<Plant>(answered: AnsweredSettings, option: unknown): Encoding<Plant> {
  const encode = option ?? answered.defaultEncoder;
  if (encode === undefined) throw withoutEncode(answered.mediaType);
  if (typeof encode !== 'function')
    throw invalidOption('encode', 'must be a function.', { question: 'media-type' });
  return new PlantEncoder(encode as UncheckedEncoder<Plant>, answered);
}

function withoutEncode(mediaType: string | undefined): InvalidOptionsError {
  const question = isJsonMediaType(mediaType) ? 'payload' : 'media-type';
  const problem =
    mediaType === undefined || question === 'payload'
      ? `is missing. Pass a function such as \`json\`. It has no default while the question ${question} is open.`
      : `is missing. This package has no encoder for ${mediaType}.`;
  return invalidOption('encode', problem, { question });
}

/** Reads `accessToken`. The token never becomes part of a fault. */
function readAccessToken(option: unknown, syntax: TokenSyntax): AccessToken {
  if (option === undefined) {
    throw invalidOption('accessToken', 'is missing. Pass a string, or a function that returns one.', {
      question: 'token-issuance',
    });
  }
  if (typeof option === 'function') return option as AccessToken;
  if (!syntax.matches(option)) throw invalidOption('accessToken', `must consist of ${syntax.description}.`);
  return option;
}

/** What a dispatcher replaces. */
const replaced = ['ca', 'cert', 'key', 'connectTimeout'];

/** Reads `dispatcher`. */
function readDispatcher(option: unknown, name: string, options: OptionValues): Dispatcher | undefined {
  if (option === undefined) return undefined;
  const { dispatch } = (option ?? {}) as Partial<Dispatcher>;
  if (typeof dispatch !== 'function') {
    throw invalidOption(name, 'must be a Dispatcher of undici 7 or later.');
  }
  const useless = replaced.filter((other) => options[other] !== undefined);
  if (useless.length === 0) return option as Dispatcher;
  const list = useless.map((other) => `\`${other}\``).join(', ');
  throw invalidOption(name, `makes the connections. Leave out ${list}, and set them in the dispatcher.`);
}

/** Reads `signingKey` in the form that the answer to the question signing defines. It never becomes part of a fault. */
function readSigningKey(scheme: SigningScheme['key'], option: unknown): () => KeyObject {
  if (typeof option === 'function') return keyReader(scheme, option as () => unknown);
  const key = parseSigningKey(scheme, option);
  if (key !== undefined) return () => key;
  const expected = `${describeKey(scheme)}, the key that signs deliveries, or a function that returns it.`;
  throw unexpected('signingKey', option, expected, { question: 'signing' });
}
