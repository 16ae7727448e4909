import type { Minute } from '../activity.js';
import type { Look } from './look.js';
import { Time } from './parts.js';
import * as words from './words.js';

const MINUTE = 60_000;
const MINUTES = 60;

/** Size of the chart, in its own units: so many for each minute. */
const STEP = 10;
const HEIGHT = 80;

/** How the receiver is doing: three figures, and what it received in each minute. */
export function hourOf(look: Look) {
  const { stats, facts, times, oldestParkedAt } = look;
  const { waiting, retrying, parked, oldestWaitingAt } = stats;
  const { minutes } = look.activity.read();
  const measured = minutes.findLast(({ p50 }) => p50 !== null);
  const start = Math.floor(times.now / MINUTE - MINUTES + 1) * MINUTE;
  const isWhole = facts.startedAt <= start;
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
        {oldestParkedAt !== null && oldest(words.number(parked, 'parked'), oldestParkedAt)}
        <span class="note">{oldestParkedAt !== null && oldestWaitingAt !== null && ' · '}</span>
        {oldestWaitingAt !== null && oldest(words.number(waiting + retrying, 'to come'), oldestWaitingAt)}
      </p>
      <details>
        <summary>Chart</summary>
        {chartOf(minutes, start)}
      </details>
    </section>
  );
}

const oldest = (what: string, at: number) => (
  <span class="note">
    {what}, oldest <Time at={at} as="ago" />
  </span>
);

/** A bar for each minute of the hour. */
function chartOf(minutes: readonly Minute[], start: number) {
  const most = Math.max(1, ...minutes.map(({ received }) => received));
  const bars = minutes.map(({ startedAt, received }) => {
    const height = Math.round((received / most) * HEIGHT);
    return `M${((startedAt - start) / MINUTE) * STEP} ${HEIGHT}v-${height}h${STEP - 2}v${height}`;
  });
  return (
    <figure>
      <figcaption class="note">Received in each minute, at most {words.count(most)}</figcaption>
      <svg viewBox={`0 0 ${MINUTES * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
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
