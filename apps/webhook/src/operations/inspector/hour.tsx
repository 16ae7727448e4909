import type { Minute } from '../activity.js';
import type { Look } from './look.js';
import { Time } from './parts.js';
import * as words from './words.js';

const MINUTE = 60_000;
const MINUTES = 60;

/** Size of a chart, in its own units: so many for each minute. */
const STEP = 10;
const HEIGHT = 80;

type Value = (minute: Minute) => number | null;

/** What isn't handled; null if nobody looked. */
const backlogOf: Value = ({ waiting, retrying, parked }) =>
  waiting === null || retrying === null || parked === null ? null : waiting + retrying + parked;

/** How the receiver is doing: three figures, and their last hour. */
export function hourOf(look: Look) {
  const { stats, facts, times, oldestParkedAt } = look;
  const { waiting, retrying, parked, oldestWaitingAt } = stats;
  const { minutes } = look.activity.read();
  const measured = minutes.findLast(({ p50 }) => p50 !== null);
  const start = Math.floor(times.now / MINUTE - MINUTES + 1) * MINUTE;
  const isWhole = facts.startedAt <= start;
  const chart = (title: string, kind: string, value: Value) =>
    chartOf(title, kind, valuesOf(minutes, start, value), start);
  return (
    <section class="hour" aria-label="The last hour">
      <p>
        <strong>{words.count(minutes.reduce((sum, { received }) => sum + received, 0))}</strong> received{' '}
        <span class="note">
          {isWhole ? 'in the last hour' : 'since the start at '}
          {!isWhole && <Time at={facts.startedAt} />}
        </span>
      </p>
      <p>
        <strong>{measured ? words.duration(measured.p50!) : 'no'}</strong> attempt{' '}
        <span class="note">{measured ? `p50, ${words.duration(measured.p95!)} p95` : 'has ended'}</span>
      </p>
      <p>
        <strong>{words.count(waiting + retrying + parked)}</strong> not handled{' '}
        {oldestParkedAt !== null && oldest(words.number(parked, 'parked'), oldestParkedAt)}{' '}
        {oldestWaitingAt !== null && oldest(words.number(waiting + retrying, 'to come'), oldestWaitingAt)}
      </p>
      <details>
        <summary>Charts</summary>
        {chart('Received in a minute', 'good', ({ received }) => received)}
        {chart('Attempts, p95 in milliseconds', 'open', ({ p95 }) => p95)}
        {chart('Backlog', 'bad', backlogOf)}
      </details>
    </section>
  );
}

const oldest = (what: string, at: number) => (
  <span class="note">
    {what}, oldest <Time at={at} as="ago" />
  </span>
);

function valuesOf(minutes: readonly Minute[], start: number, value: Value): (number | null)[] {
  const byStart = new Map(minutes.map((minute) => [minute.startedAt, value(minute)]));
  return Array.from({ length: MINUTES }, (_, index) => byStart.get(start + index * MINUTE) ?? null);
}

/** A bar for each minute; none where nothing is known. */
function chartOf(title: string, kind: string, values: readonly (number | null)[], start: number) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const bars = values.map((value, minute) => {
    const height = Math.round(((value ?? 0) / most) * HEIGHT);
    return `M${minute * STEP} ${HEIGHT}v-${height}h${STEP - 2}v${height}`;
  });
  return (
    <figure>
      <figcaption class="note">
        {title}: at most {words.count(most)}, now {words.count(values.at(-1) ?? 0)}
      </figcaption>
      <svg
        class={kind}
        viewBox={`0 0 ${MINUTES * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={bars.join('')} />
      </svg>
      <p class="axis note">
        {[0, 15, 30, 45, 59].map((minute) => (
          <Time at={start + minute * MINUTE} />
        ))}
      </p>
    </figure>
  );
}
