import type { InboxStats } from '../../inbox/inbox-operations.js';
import type { Minute } from '../activity.js';
import type { Look } from './look.js';
import { Time } from './parts.js';
import * as words from './words.js';

const MINUTE = 60_000;
const MINUTES = 60;
const WIDTH = 600;
const HEIGHT = 80;

/** What isn't handled; null if nobody looked. */
function backlogOf({ waiting, retrying, parked }: Pick<Minute, 'waiting' | 'retrying' | 'parked'>) {
  return waiting === null || retrying === null || parked === null ? null : waiting + retrying + parked;
}

/** How the receiver is doing: three figures, and their last hour. */
export function Hour({ look }: { readonly look: Look }) {
  const { stats, facts, times, oldestParkedAt } = look;
  const { minutes } = look.activity.read();
  const measured = minutes.findLast(({ p50 }) => p50 !== null);
  const hourAgo = times.now - MINUTES * MINUTE;
  const start = Math.floor(times.now / MINUTE - MINUTES + 1) * MINUTE;
  const byStart = new Map(minutes.map((minute) => [minute.startedAt, minute]));
  const hour = Array.from({ length: MINUTES }, (_, index) => byStart.get(start + index * MINUTE));
  const lineOf = (value: (minute: Minute) => number | null): (number | null)[] =>
    hour.map((minute) => (minute ? value(minute) : null));
  return (
    <section class="hour" aria-label="The last hour">
      <p>
        <strong>{words.count(minutes.reduce((sum, { received }) => sum + received, 0))}</strong> received{' '}
        <span class="note">
          {facts.startedAt > hourAgo ? (
            <>
              since the start, <Time at={facts.startedAt} />
            </>
          ) : (
            'in the last hour'
          )}
        </span>
      </p>
      <p>
        <strong>{measured ? words.duration(measured.p50!) : 'no'}</strong> attempt{' '}
        <span class="note">{measured ? `p50, ${words.duration(measured.p95!)} p95` : 'has ended'}</span>
      </p>
      <Backlog stats={stats} oldestParkedAt={oldestParkedAt} />
      <details>
        <summary>The last hour</summary>
        <Chart title="Received in a minute" look={look} values={lineOf(({ received }) => received)} />
        <Chart
          title="Attempts, p95 in milliseconds"
          look={look}
          kind="open"
          values={lineOf(({ p95 }) => p95)}
        />
        <Chart title="Backlog" look={look} kind="bad" values={lineOf(backlogOf)} />
      </details>
    </section>
  );
}

function Backlog({ stats, oldestParkedAt }: { stats: InboxStats; oldestParkedAt: number | null }) {
  const { waiting, retrying, parked, oldestWaitingAt } = stats;
  return (
    <p>
      <strong>{words.count(waiting + retrying + parked)}</strong> not handled{' '}
      <span class="note">
        {oldestParkedAt !== null && (
          <>
            {words.count(parked)} parked, oldest <Time at={oldestParkedAt} as="ago" />
          </>
        )}
        {oldestParkedAt !== null && oldestWaitingAt !== null && ' · '}
        {oldestWaitingAt !== null && (
          <>
            {words.count(waiting + retrying)} to come, oldest <Time at={oldestWaitingAt} as="ago" />
          </>
        )}
      </span>
    </p>
  );
}

/** A value for each minute of the last hour; null where nothing is known. */
function Chart(shown: {
  readonly title: string;
  readonly look: Look;
  readonly values: readonly (number | null)[];
  readonly kind?: string;
}) {
  const { values, look } = shown;
  const { now } = look.times;
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const known = values.filter((value) => value !== null);
  const bars = values.map((value, minute) => {
    const height = ((value ?? 0) / most) * HEIGHT;
    const width = WIDTH / MINUTES - 2;
    return <rect x={minute * (width + 2)} y={HEIGHT - height} width={width} height={height} />;
  });
  return (
    <figure>
      <figcaption class="note">
        {shown.title}: at most {words.count(most)}, now {words.count(known.at(-1) ?? 0)}
      </figcaption>
      <svg
        class={shown.kind ?? 'good'}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars}
      </svg>
      <p class="axis note">
        {[60, 45, 30, 15, 0].map((ago) => (
          <Time at={now - ago * MINUTE} />
        ))}
      </p>
    </figure>
  );
}
