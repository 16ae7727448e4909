/**
 * How the receiver is doing: the last hour in three lines, and what fails.
 *
 * @import { ErrorGroup } from '../src/inbox/inbox-operations.js'
 * @import { Minute } from '../src/operations/activity.js'
 * @import { Activity } from './receiver.mjs'
 */
import { useState } from 'preact/hooks';

import { visible } from './content.mjs';
import { isLookedAt } from './list.mjs';
import { page } from './page.mjs';
import { addressOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Ago, Button, html, redraw } from './ui.mjs';
import * as words from './words.mjs';

const MINUTE = 60_000;
const MINUTES = 60;

/** Groups that are shown at first: more would move the deliveries off a small screen. */
const GROUPS = 3;

export const overview = {
  activity: /** @type {Activity | undefined} */ (undefined),
  groups: /** @type {readonly ErrorGroup[]} */ ([]),
  isComplete: true,
  /** Whether there are more or fewer groups than are shown, and somebody looks at the rows below them. */
  isHeld: false,
};

export async function refreshOverview() {
  const [activity, { groups, complete }] = await Promise.all([receiver.activity(), receiver.errors()]);
  overview.activity = activity;
  overview.isHeld = groups.length !== overview.groups.length && isLookedAt();
  if (!overview.isHeld) Object.assign(overview, { groups, isComplete: complete });
  redraw();
}

/** A line; null where nothing is known. @typedef {{ kind: string, values: (number | null)[] }} Line */

export function LastHour() {
  const { stats } = page;
  const minutes = overview.activity?.minutes ?? [];
  const first = minutes[0]?.startedAt ?? Infinity;
  const start = (minutes.at(-1)?.startedAt ?? 0) - (MINUTES - 1) * MINUTE;
  const byStart = new Map(minutes.map((minute) => [minute.startedAt, minute]));
  const hour = Array.from({ length: MINUTES }, (_, index) => byStart.get(start + index * MINUTE));
  /** @param {string} kind @param {(minute: Minute) => number | null} value @returns {Line} */
  const line = (kind, value) => ({ kind, values: hour.map((minute) => (minute ? value(minute) : null)) });
  // Nothing was received in a minute that is missing since the first one.
  const received = hour.map(
    (minute, index) => minute?.received ?? (start + index * MINUTE < first ? null : 0),
  );
  const measured = minutes.findLast(({ p50 }) => p50 !== null);
  const oldest = stats?.oldestWaitingAt;
  const parked = stats?.parked ? `${words.count(stats.parked)} parked, ` : '';
  return html`<section class="hour" aria-label="The last hour">
    <${Measure}
      title="Received"
      value=${words.count(minutes.reduce((sum, minute) => sum + minute.received, 0))}
      note=${`in the last hour · ${words.count(received.at(-1) ?? 0)} this minute`}
      scale=${words.count}
      lines=${[{ kind: 'good', values: received }]}
    />
    <${Measure}
      title="Attempts"
      value=${measured && `${words.duration(measured.p50 ?? 0)} / ${words.duration(measured.p95 ?? 0)}`}
      note=${measured ? 'p50 / p95' : 'none yet'}
      scale=${words.duration}
      lines=${[line('good', ({ p50 }) => p50), line('open', ({ p95 }) => p95)]}
    />
    <${Measure}
      title="Backlog"
      value=${stats && words.count(backlogOf(stats) ?? 0)}
      note=${oldest ? html`${parked}oldest came <${Ago} at=${oldest} />` : `${parked}nothing waits`}
      scale=${words.count}
      lines=${[line('open', backlogOf), line('bad', ({ parked }) => parked)]}
    />
  </section>`;
}

/** What isn't handled; null if nobody looked. @param {Pick<Minute, 'waiting' | 'retrying' | 'parked'>} counts */
const backlogOf = ({ waiting, retrying, parked }) =>
  waiting === null || retrying === null || parked === null ? null : waiting + retrying + parked;

/** @typedef {(most: number) => string} Scale */

/** @param {{ title: string, value: string | undefined, note: any, lines: Line[], scale: Scale }} shown */
const Measure = ({ title, value, note, ...chart }) =>
  html`<div class="card">
    <h2 class="note">${title}</h2>
    <p class="cut"><strong>${value}</strong> <span class="note">${note}</span></p>
    <${Lines} ...${chart} />
  </div>`;

const WIDTH = 120;
const HEIGHT = 24;

/** Lines over the same minutes, with one scale. @param {{ lines: Line[], scale: Scale }} shown */
function Lines({ lines, scale }) {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const point = (/** @type {number} */ value, /** @type {number} */ index) =>
    `${((index / (MINUTES - 1)) * WIDTH).toFixed(1)} ${(HEIGHT - 1.5 - (value / most) * (HEIGHT - 3)).toFixed(1)}`;
  return html`<div class="chart" aria-hidden="true">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      ${lines.map(({ kind, values }) => {
        let path = '';
        values.forEach((value, index) => {
          if (value === null) return;
          const isFirst = (values[index - 1] ?? null) === null;
          // A minute alone is a point.
          path += isFirst ? `M${point(value, index)}h.1` : `L${point(value, index)}`;
        });
        return html`<path class=${kind} d=${path} />`;
      })}
    </svg>
    <p class="note"><span>${scale(most)}</span><span>0</span></p>
  </div>`;
}

/** What fails: the errors of what is parked or comes again. */
export function Errors() {
  const [isOpen, setOpen] = useState(false);
  const { groups, isComplete } = overview;
  const shown = isOpen ? groups : groups.slice(0, GROUPS);
  const left = groups.length - shown.length;
  if (groups.length === 0) return '';
  return html`<section class="errors card" aria-label="What fails">
    <ul>
      ${shown.map(
        (group, index) =>
          html`<li key=${group.group} class="row line">
            <${Group} ...${group} />
            ${
              index === shown.length - 1 &&
              (left > 0 || isOpen) &&
              html`<${Button}
                kind="quiet"
                aria-expanded=${isOpen}
                aria-label=${isOpen ? 'Fewer errors' : `${left} more ${left === 1 ? 'error' : 'errors'}`}
                act=${() => setOpen(!isOpen)}
              >
                ${isOpen ? 'Fewer' : `${left} more`}
              <//>`
            }
          </li>`,
      )}
    </ul>
    ${!isComplete && html`<p class="note">There are more failures: the newest are grouped.</p>`}
  </section>`;
}

/** A link to the deliveries of a group. @param {ErrorGroup} group */
function Group({ group, message, parked, retrying, firstAt, lastAt }) {
  const { errorGroup } = page.place;
  const retried = retrying > 0 && `${parked === 0 ? '' : `${words.count(retrying)} `}retrying · `;
  return html`<a
    class=${`row line fill ${parked > 0 ? 'parked' : 'retrying'}`}
    href=${addressOf({ errorGroup: group })}
    aria-current=${errorGroup === group ? 'true' : undefined}
  >
    <strong class="number">${words.count(parked + retrying)}</strong>
    <code class="cut fill" title=${visible(message)}>${visible(message)}</code>
    <span class="note number">
      <span class="more">${retried}</span>${'first '}<${Ago} at=${firstAt} />
      <span class="more">${' · last '}<${Ago} at=${lastAt} /></span>
    </span>
  </a>`;
}
