/**
 * What operators did, and what became of each replay.
 *
 * @import { Act, DeliveryFilter } from '../src/inbox/inbox-operations.js'
 */
import { useEffect, useState } from 'preact/hooks';

import { changedText, outcomeText } from '../src/inbox/in-words.js';
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
  const [acts, setActs] = useState(/** @type {readonly Act[] | undefined} */ (undefined));
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

/** @param {Act} act */
const cellsOf = (act) => [
  html`<${Time} at=${act.at} as=${words.time} />`,
  html`${whatOf(act)} ${act.filter && html`<div class="note">${linkOf(act.filter)}</div>`}`,
  act.kind === 'replay' && html`<span class=${act.failed > 0 ? 'parked' : ''}>${outcomeText(act)}</span>`,
  act.operator && cut`${act.operator}`,
  act.source,
  act.reason && cut`${act.reason}`,
];

/** What was done. @param {Act} act */
export function whatOf(act) {
  if (act.filter === null) return `${act.kind} of the handler`;
  const changed = act.endedAt === null ? `${changedText(act)} deliveries` : words.deliveries(act.changed);
  return `${act.kind} of ${changed}`;
}

/** @param {DeliveryFilter} filter */
function linkOf({ ids, ...filter }) {
  const one = ids?.length === 1 ? ids[0] : undefined;
  if (one !== undefined) return html`<a href=${addressOf({ delivery: one })}>delivery ${one}</a>`;
  if (ids !== undefined) return `${words.count(ids.length)} selected`;
  const { state = [], errorGroup, receivedFrom, receivedBefore } = filter;
  const place = { ...placeOf(''), errorGroup, receivedFrom, receivedBefore };
  return cut`${[state].flat().join(' and ')} ${wordsOf(place)}`;
}
