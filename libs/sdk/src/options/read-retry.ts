import type { RetryPolicy } from '@plant-store/contract';
import { Fault } from './fault.js';
import { longestTimer } from './read-guards.js';

/** Reads `retry`, or takes the answer to the question retry. `undefined` is one attempt. */
export function readRetry(answer: RetryPolicy | undefined, option: unknown): RetryPolicy | undefined {
  const policy = option === undefined ? answer : option;
  if (policy === undefined || policy === false) return undefined;
  if (!isPolicy(policy)) {
    throw new Fault(
      'retry',
      `must be false or { delays, statuses, withoutAnswer }: delays are whole numbers of milliseconds up to ` +
        `${longestTimer}, statuses are from 100 to 599 or 'all', withoutAnswer is true or false.`,
      'retry',
    );
  }
  const { delays, statuses, withoutAnswer } = policy;
  return Object.freeze({
    delays: Object.freeze([...delays]),
    statuses: statuses === 'all' ? statuses : Object.freeze([...statuses]),
    withoutAnswer,
  });
}

function isPolicy(value: unknown): value is RetryPolicy {
  if (typeof value !== 'object' || value === null) return false;
  const { delays, statuses, withoutAnswer } = value as Partial<Record<keyof RetryPolicy, unknown>>;
  return (
    Array.isArray(delays) &&
    delays.every((delay) => isWithin(delay, 0, longestTimer)) &&
    (statuses === 'all' ||
      (Array.isArray(statuses) && statuses.every((status) => isWithin(status, 100, 599)))) &&
    typeof withoutAnswer === 'boolean'
  );
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
