import type { RetryPolicy } from '@plant-store/contract';
import { longestTimer } from '../delivery/clocks.js';
import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import type { Retry, RetryDelay } from '../delivery/retry.js';
import { Fault } from './faults.js';
import { readProperties, unknownOptions } from './read-properties.js';

const names = ['delays', 'statuses', 'withoutResponse', 'jitter', 'maxRetryAfter'] as const;

/** Reads `retry`, or uses the answer to the question retry. `undefined` means one attempt. */
export function readRetry(answer: RetryPolicy | undefined, option: unknown): Retry | undefined {
  const given = option === undefined ? answer : option;
  if (given === undefined || given === false) return undefined;
  if (isPromiseLike(given)) {
    ignore(given);
  } else if (typeof given === 'object' && given !== null) {
    const policy = readPolicy(given);
    if (policy !== undefined) return policy;
  }
  throw new Fault(
    'retry',
    'must be false or { delays, statuses, withoutResponse }, and may have jitter and maxRetryAfter. delays: whole ' +
      `numbers of milliseconds from 0 to ${longestTimer}, or a function. statuses: numbers from 100 to 599, or 'all'. ` +
      'withoutResponse: true or false. jitter: a number from 0 to 1. maxRetryAfter: a whole number of milliseconds ' +
      `from 0 to ${longestTimer}.`,
    'retry',
  );
}

function readPolicy(given: object): Retry | undefined {
  const { delays, statuses, withoutResponse, jitter = 0, maxRetryAfter = 0 } = readProperties(given, names);
  const isValid =
    unknownOptions(given, names, '`retry`').length === 0 &&
    (typeof delays === 'function' || isListOf(delays, 0, longestTimer)) &&
    (statuses === 'all' || isListOf(statuses, 100, 599)) &&
    typeof withoutResponse === 'boolean' &&
    typeof jitter === 'number' &&
    jitter >= 0 &&
    jitter <= 1 &&
    isFromTo(maxRetryAfter, 0, longestTimer);
  if (!isValid) return undefined;
  return Object.freeze({
    delays: typeof delays === 'function' ? (delays as RetryDelay) : Object.freeze([...delays]),
    statuses: statuses === 'all' ? statuses : Object.freeze([...statuses]),
    withoutResponse,
    jitter,
    maxRetryAfter,
  });
}

function isListOf(value: unknown, minimum: number, maximum: number): value is readonly number[] {
  return Array.isArray(value) && value.every((entry) => isFromTo(entry, minimum, maximum));
}

function isFromTo(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}
