import type { Act, FailedAttempt } from './inbox-operations.js';

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

/**
 * How many deliveries an act has changed, such as `7`, or `120 of 1,000` until it is over. It may change more than it has
 * selected: those that came to be so meanwhile.
 */
export function changedText({
  changed,
  selected,
  endedAt,
}: Pick<Act, 'changed' | 'selected' | 'endedAt'>): string {
  const number = changed.toLocaleString('en-US');
  return endedAt === null && changed < selected ? `${number} of ${selected.toLocaleString('en-US')}` : number;
}

/** What became of the deliveries of a replay, such as `handled 3, failed 1,197 (2 come again), waiting 0`. */
export function outcomeText(act: Pick<Act, 'handled' | 'failed' | 'retrying' | 'waiting'>): string {
  const [handled, failed, retrying, waiting] = [act.handled, act.failed, act.retrying, act.waiting].map(
    (count) => count.toLocaleString('en-US'),
  );
  const again = act.retrying === 0 ? '' : ` (${retrying} come${act.retrying === 1 ? 's' : ''} again)`;
  return `handled ${handled}, failed ${failed}${again}, waiting ${waiting}`;
}
