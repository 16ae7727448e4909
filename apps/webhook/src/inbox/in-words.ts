import type { FailedAttempt, FollowedAct } from './inbox-operations.js';

// The command and the inspector, which is bundled with this file, say the same of these.

/** What decides when an attempt begins. Times are in milliseconds since 1970. */
export interface Due {
  readonly dueAt: number;
  readonly now: number;
  readonly isPaused: boolean;
}

/**
 * When an attempt that is due begins.
 *
 * @param timeText how a time is written
 */
export function dueText({ dueAt, now, isPaused }: Due, timeText: (time: number) => string): string {
  if (isPaused) return 'after the pause';
  return dueAt <= now ? 'now' : `at ${timeText(dueAt)}`;
}

/** Attempts in runs: each is that after the one before, and failed with the same error. */
export function runsOf<Attempt extends Pick<FailedAttempt, 'number' | 'error'>>(
  history: readonly Attempt[],
): Attempt[][] {
  const runs: Attempt[][] = [];
  for (const attempt of history) {
    const before = runs.at(-1)?.at(-1);
    if (before?.error === attempt.error && before.number + 1 === attempt.number) runs.at(-1)!.push(attempt);
    else runs.push([attempt]);
  }
  return runs;
}

/** What is not kept between two attempts, such as `attempts 2 and 3 are not kept`; empty if nothing is missing. */
export function gapText(
  before: Pick<FailedAttempt, 'number'> | undefined,
  next: Pick<FailedAttempt, 'number'> | undefined,
): string {
  const last = (next?.number ?? 1) - 1;
  // A replay begins to count again.
  const first = before === undefined || before.number > last ? 1 : before.number + 1;
  if (first > last) return '';
  if (first === last) return `attempt ${first} is not kept`;
  return `attempts ${first} ${first + 1 === last ? 'and' : 'to'} ${last} are not kept`;
}

/** What became of the deliveries of a replay. */
export interface Outcome {
  readonly handled: number;
  /** Parked, or retrying: an attempt has failed since. */
  readonly failed: number;
  /** None has ended since. */
  readonly waiting: number;
}

export const outcomeOf = ({ states }: Pick<FollowedAct, 'states'>): Outcome => ({
  handled: states.handled,
  failed: states.retrying + states.parked,
  waiting: states.waiting + states.running,
});

/** What became of the deliveries of a replay, such as `handled 3, failed 1,197, waiting 0`. */
export function outcomeText(act: Pick<FollowedAct, 'states' | 'changed'>): string {
  const outcome = outcomeOf(act);
  const others = act.changed - outcome.handled - outcome.failed - outcome.waiting;
  return Object.entries({ ...outcome, ...(others > 0 && { 'changed again or deleted': others }) })
    .map(([name, count]: [string, number]) => `${name} ${count.toLocaleString('en-US')}`)
    .join(', ');
}
