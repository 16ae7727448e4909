import { answerFaults, type Answers } from '@plant-store/contract';
import { answeredSettingsOf } from '../answers/answered-settings-of.js';
import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import { defaultTotalTimeout } from './default-total-timeout.js';
import type { UncheckedOptions } from './new-plant-sender-options.js';
import type { OptionFault } from './option-fault.js';
import { readAccessToken, tokenSyntax } from './read-access-token.js';
import { readAll } from './read-all.js';
import { readEncode } from './read-encode.js';
import { readCount, readSwitch, readTimeout } from './read-guards.js';
import { readHeaderHook } from './read-header-hook.js';
import { readMethod } from './read-method.js';
import { readRetry } from './read-retry.js';
import { readSigningKey } from './read-signing-key.js';
import { readTarget } from './read-target.js';

/** Everything that is decided when a sender is made. */
export type Settings<Plant> = ReturnType<typeof resolveSettings<Plant>>;

/**
 * Settles the options of a sender under the answers given.
 *
 * @throws InvalidOptionsError with every fault of the options, or every fault of the answers.
 */
export function resolveSettings<Plant>(given: Answers, options: UncheckedOptions<Plant> = {}) {
  refuseFaultsOf(given);
  const answered = answeredSettingsOf(given);
  const { signing } = answered;
  const syntax = tokenSyntax(answered.tokenPattern);
  const readers = {
    baseUrl: () => readTarget(answered, options.baseUrl, options.allowInsecureTransport),
    method: () => readMethod(answered, options.method),
    encode: () => readEncode<Plant>(answered, options.encode),
    accessToken: () => readAccessToken(options.accessToken, syntax),
    signingKey: () => signing && readSigningKey(signing.key, options.signingKey),
    headers: () => readHeaderHook(options.headers),
    retry: () => readRetry(answered.retry, options.retry),
    connectTimeout: () => readTimeout('connectTimeout', options.connectTimeout),
    attemptTimeout: () => readTimeout('attemptTimeout', options.attemptTimeout, answered.attemptTimeout),
    totalTimeout: () => readTimeout('totalTimeout', options.totalTimeout),
    maxAnswerBytes: () => readCount('maxAnswerBytes', 0, options.maxAnswerBytes),
    maxConnections: () => readCount('maxConnections', 1, options.maxConnections),
    allowInsecureTransport: () => readSwitch('allowInsecureTransport', options.allowInsecureTransport),
  };
  const known = Object.keys(readers).filter((name) => signing !== undefined || name !== 'signingKey');
  const read = readAll(readers, unknownOptions(options, known));
  const { baseUrl: target, ...settings } = read;
  const totalTimeout =
    options.totalTimeout === undefined
      ? defaultTotalTimeout(answered, read.attemptTimeout, read.retry)
      : read.totalTimeout;
  return Object.freeze({ ...settings, target, totalTimeout, syntax, answered });
}

function refuseFaultsOf(given: Answers): void {
  const faults = answerFaults(given);
  if (faults.length > 0) {
    throw new InvalidOptionsError(faults.map((problem) => ({ option: 'answers', problem })));
  }
}

function unknownOptions(options: object, known: readonly string[]): OptionFault[] {
  return Object.keys(options)
    .filter((option) => !known.includes(option))
    .map((option) => ({ option, problem: 'is not an option of a sender.' }));
}
