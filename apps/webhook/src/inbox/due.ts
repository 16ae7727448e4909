/** What decides when an attempt begins. Times are in milliseconds since 1970. */
export interface Due {
  readonly dueAt: number;
  readonly now: number;
  readonly isPaused: boolean;
}

/**
 * When an attempt that is due begins, for people. The command and the inspector say it alike.
 *
 * @param timeText how a time is written
 */
export function dueText({ dueAt, now, isPaused }: Due, timeText: (time: number) => string): string {
  if (isPaused) return 'after the pause';
  return dueAt <= now ? 'now' : `at ${timeText(dueAt)}`;
}
