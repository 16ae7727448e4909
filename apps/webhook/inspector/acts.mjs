/**
 * What operators did, and what became of each replay.
 *
 * @import { FollowedAct } from '../src/inbox/inbox-operations.js'
 */
import { useEffect, useState } from 'preact/hooks';

import { outcomeOf, outcomeText } from '../src/inbox/in-words.js';
import { page, quietly } from './page.mjs';
import { addressOf, placeOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { cut, html, Table, Time } from './ui.mjs';
import * as words from './words.mjs';

const COLUMNS = [
  { title: 'When', isName: true },
  { title: 'What' },
  { title: 'Result' },
  { title: 'Who' },
  { title: 'From' },
  { title: 'Why' },
];

export function Acts() {
  const [acts, setActs] = useState(/** @type {readonly FollowedAct[] | undefined} */ (undefined));
  // Whatever changes a delivery changes the counts.
  useEffect(() => void quietly(async () => setActs(await receiver.acts())), [page.stats]);
  return html`<section class="card stack" aria-labelledby="acts">
    <h2 id="acts" tabindex="-1">What operators did</h2>
    ${
      acts?.length === 0
        ? html`<p>Nobody has replayed, discarded, paused or resumed anything.</p>`
        : html`<${Table}
            caption="Acts"
            kind="stacked"
            columns=${COLUMNS}
            rows=${(acts ?? []).map(cellsOf)}
          />`
    }
  </section>`;
}

/** @param {FollowedAct} act */
const cellsOf = (act) => [
  html`<${Time} at=${act.at} as=${words.time} />`,
  html`${whatOf(act)} ${act.filters.map((filter) => html`<div class="note">${linkOf(filter)}</div>`)}`,
  act.kind === 'replay' &&
    html`<span class=${outcomeOf(act).failed > 0 ? 'parked' : ''}>${outcomeText(act)}</span>`,
  act.operator && cut`${act.operator}`,
  act.source,
  act.reason && cut`${act.reason}`,
];

/** What was done. @param {Pick<FollowedAct, 'kind' | 'changed'>} act */
export const whatOf = ({ kind, changed }) =>
  kind === 'pause' || kind === 'resume'
    ? `${kind} of the handler`
    : `${kind} of ${words.deliveries(changed)}`;

/** @param {FollowedAct['filters'][number]} filter */
function linkOf({ ids, ...filter }) {
  const one = ids?.length === 1 ? ids[0] : undefined;
  if (one !== undefined) return html`<a href=${addressOf({ delivery: one })}>delivery ${one}</a>`;
  if (ids !== undefined) return `${words.count(ids.length)} selected`;
  const { state, errorGroup, receivedFrom, receivedBefore } = filter;
  const place = { ...placeOf(''), state, errorGroup, receivedFrom, receivedBefore };
  return cut`${wordsOf(place)}`;
}
