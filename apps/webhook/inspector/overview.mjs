/**
 * How the receiver is doing: the last hour in three lines, and what fails.
 *
 * @import { ErrorGroup } from '../src/inbox/inbox-operations.js'
 * @import { Minute } from '../src/operations/activity.js'
 * @import { Place } from './place.mjs'
 * @import { Activity, Stats } from './receiver.mjs'
 */
import { useState } from 'preact/hooks';

import { confirmAll } from './change.mjs';
import { visible } from './content.mjs';
import { placeOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { addressOf } from './place.mjs';
import { Ago, Button, html, redraw } from './ui.mjs';
import * as words from './words.mjs';

const MINUTE = 60_000;
const MINUTES = 60;

/** Groups that are shown at first: more would move the deliveries off a small screen. */
const GROUPS = 2;

export const overview = {
  activity: /** @type {Activity | undefined} */ (undefined),
  groups: /** @type {readonly ErrorGroup[]} */ ([]),
  isComplete: true,
};

export async function refreshOverview() {
  const [activity, { groups, complete }] = await Promise.all([receiver.activity(), receiver.errors()]);
  Object.assign(overview, { activity, groups, isComplete: complete });
  redraw();
}

/** @param {{ stats: Stats | undefined }} shown */
export function LastHour({ stats }) {
  const minutes = overview.activity?.minutes ?? [];
  const last = minutes.at(-1)?.startedAt ?? 0;
  const at = (/** @type {number} */ index) => last - (MINUTES - 1 - index) * MINUTE;
  const byStart = new Map(minutes.map((minute) => [minute.startedAt, minute]));
  const first = minutes[0]?.startedAt ?? Infinity;
  /** The values of a line; null where nothing is known. @param {(minute: Minute) => number | null} value */
  const values = (value, missing = /** @type {number | null} */ (null)) =>
    Array.from({ length: MINUTES }, (_, index) => {
      const minute = byStart.get(at(index));
      return minute === undefined ? (at(index) < first ? null : missing) : value(minute);
    });
  const received = values(({ received }) => received, 0);
  const measured = minutes.findLast(({ p50 }) => p50 !== null);
  const backlog = stats && stats.waiting + stats.parked;
  const sum = received.reduce((/** @type {number} */ sum, number) => sum + (number ?? 0), 0);
  return html`<section class="hour" aria-label="The last hour">
    <div>
      <h2>Received, last hour</h2>
      <p>
        <strong>${words.count(sum)}</strong>
        <span class="note">${words.count(received.at(-1) ?? 0)} this minute</span>
      </p>
      <${Line} lines=${[{ kind: 'good', values: received }]} />
    </div>
    <div>
      <h2>Attempt, p50, p95</h2>
      <p>
        ${
          measured
            ? html`<strong>${words.duration(measured.p50 ?? 0)}</strong>
                <span class="note">and ${words.duration(measured.p95 ?? 0)}</span>`
            : html`<span class="note">none yet</span>`
        }
      </p>
      <${Line}
        lines=${[
          { kind: 'good', values: values(({ p50 }) => p50) },
          { kind: 'open', values: values(({ p95 }) => p95) },
        ]}
      />
    </div>
    <div>
      <h2>Backlog</h2>
      <p>
        <strong>${backlog === undefined ? '' : words.count(backlog)}</strong>
        <span class="note">
          ${stats?.oldestWaitingAt ? html`oldest came <${Ago} at=${stats.oldestWaitingAt} />` : 'nothing waits'}
        </span>
      </p>
      <${Line}
        lines=${[
          {
            kind: 'open',
            values: values(({ waiting, parked }) =>
              waiting !== null && parked !== null ? waiting + parked : null,
            ),
          },
          { kind: 'bad', values: values(({ parked }) => parked) },
        ]}
      />
    </div>
  </section>`;
}

const WIDTH = 120;
const HEIGHT = 24;

/** Lines over the same minutes, with one scale. What they show is beside them in words. */
function Line(/** @type {{ lines: { kind: string, values: (number | null)[] }[] }} */ { lines }) {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const point = (/** @type {number} */ value, /** @type {number} */ index) =>
    `${((index / (MINUTES - 1)) * WIDTH).toFixed(1)} ${(HEIGHT - 1.5 - (value / most) * (HEIGHT - 3)).toFixed(1)}`;
  return html`<svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
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
  </svg>`;
}

/** What fails: the errors of what is parked or comes again. @param {{ place: Place }} shown */
export function Errors({ place }) {
  const [isOpen, setOpen] = useState(false);
  const { groups, isComplete } = overview;
  const shown = isOpen ? groups : groups.slice(0, GROUPS);
  const left = groups.length - shown.length;
  return (
    groups.length > 0 &&
    html`<section class="errors" aria-label="What fails">
      <ul>
        ${shown.map((group) => html`<${Group} key=${group.group} ...${{ group, place }} />`)}
      </ul>
      ${
        (left > 0 || isOpen) &&
        html`<${Button} kind="quiet" aria-expanded=${isOpen} act=${() => setOpen(!isOpen)}>
          ${isOpen ? 'Show fewer errors' : `Show ${left} more ${left === 1 ? 'error' : 'errors'}`}
        <//>`
      }
      ${!isComplete && html`<p class="note">There are more failures: the newest are grouped.</p>`}
    </section>`
  );
}

/** @param {{ group: ErrorGroup, place: Place }} shown */
function Group({ group: { group, message, parked, retrying, firstAt, lastAt }, place }) {
  const only = { ...placeOf(''), errorGroup: group };
  return html`<li class=${parked > 0 ? 'parked' : 'retrying'}>
    <strong>${words.count(parked + retrying)}</strong>
    <code title=${visible(message)}>${visible(message)}</code>
    <span class="note">
      ${parked > 0 && retrying > 0 && `${words.count(retrying)} retrying · `}${parked === 0 && 'retrying · '}
      first <${Ago} at=${firstAt} /> · last <${Ago} at=${lastAt} />
    </span>
    <span class="actions">
      <${Button} act=${() => confirmAll('replay', only)}>Replay ${words.count(parked + retrying)}…<//>
      <a
        class="button"
        href=${addressOf(only)}
        aria-current=${place.errorGroup === group ? 'true' : undefined}
        >Show</a
      >
    </span>
  </li>`;
}
