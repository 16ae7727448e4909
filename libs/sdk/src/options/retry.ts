import { longestTimer } from '../delivery/clocks.js';
import type { Retry, RetryDelay } from '../delivery/retry.js';
import { invalidOption } from '../errors/invalid-options-error.js';
import { isInvalidOptions } from '../errors/sender-error.js';
import { isNumber, readInteger, readOptions, readSwitch } from './read-options.js';

const readers = {
  delays: (option: unknown, name: string) =>
    typeof option === 'function'
      ? (option as RetryDelay)
      : readList(option, name, 'milliseconds, or a function', 0, longestTimer),
  statuses: (option: unknown, name: string) =>
    option === 'all' ? option : readList(option, name, "numbers, or 'all'", 100, 599),
  withoutResponse: readSwitch,
  jitter: readPart,
  maxRetryAfter: (option: unknown, name: string) =>
    readInteger(option, name, 0, longestTimer, ' of milliseconds'),
};
const defaults = { jitter: 0, maxRetryAfter: 0 };

/** Reads `retry`. `undefined` means one attempt. */
export function readRetry(option: unknown): Retry | undefined {
  if (option === undefined || option === false) return undefined;
  try {
    return readOptions(readers, option, '`retry`', defaults);
  } catch (error) {
    if (!isInvalidOptions(error)) throw error;
    const problem = `must be false or a policy. ${error.message.replaceAll('\n', ' ')}`;
    throw invalidOption('retry', problem, { question: 'retry' });
  }
}

/** Reads a list of whole numbers. */
function readList(
  option: unknown,
  name: string,
  expected: string,
  minimum: number,
  maximum: number,
): readonly number[] {
  if (!Array.isArray(option)) throw invalidOption(name, `must be a list of ${expected}.`);
  return Object.freeze(
    option.map((entry, index) => readInteger(entry, `${name}[${index}]`, minimum, maximum)),
  );
}

/** Reads a number from 0 to 1. */
function readPart(option: unknown, name: string): number {
  if (isNumber(option, 0, 1)) return option;
  throw invalidOption(name, 'must be a number from 0 to 1.');
}
