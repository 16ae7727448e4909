import type { RetryPolicy } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { guardDefaults } from './guard-defaults.js';
import { longestTimer } from './read-guards.js';

/** The default of `totalTimeout`: room for an answered time-out, and for every attempt of a policy and its waits. */
export function defaultTotalTimeout(
  answered: AnsweredSettings,
  attemptTimeout: number,
  retry: RetryPolicy | undefined,
): number {
  const delays = retry?.delays ?? [];
  const once = Math.max(guardDefaults.totalTimeout, answered.attemptTimeout ?? 0);
  return Math.min(
    delays.reduce((total, delay) => total + delay + attemptTimeout, once),
    longestTimer,
  );
}
