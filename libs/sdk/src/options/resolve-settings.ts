import type { Answers } from '@plant-store/contract';
import type { UncheckedOptions } from './new-plant-sender-options.js';
import type { OptionFault } from './option-fault.js';
import { readAccessToken } from './read-access-token.js';
import { readAll } from './read-all.js';
import { readEncode } from './read-encode.js';
import { readCount, readSwitch, readTimeout } from './read-guards.js';
import { readHeaderHook } from './read-header-hook.js';
import { readMethod } from './read-method.js';
import { readTarget } from './read-target.js';

/** Everything that is decided when a sender is made. */
export type Settings<Plant> = ReturnType<typeof resolveSettings<Plant>>;

/**
 * Settles the options of a sender under the answers given.
 *
 * @throws InvalidOptionsError with every fault.
 */
export function resolveSettings<Plant>(given: Answers, options: UncheckedOptions<Plant> = {}) {
  const readers = {
    baseUrl: () => readTarget(given, options.baseUrl, options.allowInsecureTransport),
    method: () => readMethod(given, options.method),
    encode: () => readEncode<Plant>(given, options.encode),
    accessToken: () => readAccessToken(options.accessToken),
    headers: () => readHeaderHook(options.headers),
    connectTimeout: () => readTimeout('connectTimeout', options.connectTimeout),
    attemptTimeout: () => readTimeout('attemptTimeout', options.attemptTimeout),
    totalTimeout: () => readTimeout('totalTimeout', options.totalTimeout),
    maxAnswerBytes: () => readCount('maxAnswerBytes', 0, options.maxAnswerBytes),
    maxConnections: () => readCount('maxConnections', 1, options.maxConnections),
    allowInsecureTransport: () => readSwitch('allowInsecureTransport', options.allowInsecureTransport),
  };
  const { baseUrl: target, ...settings } = readAll(readers, unknownOptions(options, Object.keys(readers)));
  return Object.freeze({ target, ...settings });
}

function unknownOptions(options: object, known: readonly string[]): OptionFault[] {
  return Object.keys(options)
    .filter((option) => !known.includes(option))
    .map((option) => ({ option, problem: 'is not an option of a sender.' }));
}
