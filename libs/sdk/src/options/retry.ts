import type { RetryPolicy } from '@plant-store/contract';
import { longestTimer } from '../delivery/clocks.js';
import { Fault } from './faults.js';

/** Reads `retry`, or uses the answer to the question retry. `undefined` means one attempt. */
export function readRetry(answer: RetryPolicy | undefined, option: unknown): RetryPolicy | undefined {
  const policy = option === undefined ? answer : option;
  if (policy === undefined || policy === false) return undefined;
  if (!isPolicy(policy)) {
    throw new Fault(
      'retry',
      'must be false or { delays, statuses, withoutResponse }. delays: whole numbers of milliseconds from 0 to ' +
        `${longestTimer}. statuses: numbers from 100 to 599, or 'all'. withoutResponse: true or false.`,
      'retry',
    );
  }
  const { delays, statuses, withoutResponse } = policy;
  return Object.freeze({
    delays: Object.freeze([...delays]),
    statuses: statuses === 'all' ? statuses : Object.freeze([...statuses]),
    withoutResponse,
  });
}

function isPolicy(value: unknown): value is RetryPolicy {
  if (typeof value !== 'object' || value === null) return false;
  const { delays, statuses, withoutResponse } = value as Partial<Record<keyof RetryPolicy, unknown>>;
  return (
    Array.isArray(delays) &&
    delays.every((delay) => isFromTo(delay, 0, longestTimer)) &&
    (statuses === 'all' ||
      (Array.isArray(statuses) && statuses.every((status) => isFromTo(status, 100, 599)))) &&
    typeof withoutResponse === 'boolean'
  );
}

function isFromTo(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}
