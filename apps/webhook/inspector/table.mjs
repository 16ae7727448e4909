/**
 * The list of deliveries: what it is limited to, the table, and what can be done with many.
 *
 * @import { DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place, State as StateName } from './place.mjs'
 * @import { Stats } from './receiver.mjs'
 */
import { useEffect, useState } from 'preact/hooks';

import { confirmAll, confirmSelected } from './change.mjs';
import { visible } from './content.mjs';
import { list, newText, select } from './list.mjs';
import { addressOf, newestOf, stateOf, STATES, wordsOf } from './place.mjs';
import { Button, html, State } from './ui.mjs';
import * as words from './words.mjs';

/** @typedef {{ place: Place, stats: Stats | undefined, go: (place: Partial<Place>) => void }} Shown */

/** How many deliveries there are in a state, as the page names it. @param {Stats} stats @param {StateName} state */
export const countOf = (stats, state) =>
  state === 'waiting' ? stats.waiting - stats.retrying : stats[state];

export const Deliveries = (/** @type {Shown} */ { place, stats, go }) =>
  html`<div class="tools">
      <nav aria-label="State" class="scroll">
        <ul>
          ${[undefined, ...STATES].map((state) => html`<li><${Tab} ...${{ state, place, stats }} /></li>`)}
        </ul>
      </nav>
      <${SearchBox} ...${{ place, go }} />
      <${Times} ...${{ place, go }} />
      <${Actions} ...${{ place }} />
    </div>
    <${Limits} place=${place} />
    ${
      list.rows.length > 0 &&
      html`<div class="table">
        ${list.newCount > 0 && html`<a id="new" class="button" href=${addressOf(newestOf(place))}>${newText()}</a>`}
        <${Table} place=${place} />
      </div>`
    }
    <${End} ...${{ place, stats }} />`;

/** @param {{ state: StateName | undefined, place: Place, stats: Stats | undefined }} shown */
function Tab({ state, place, stats }) {
  const all = stats && STATES.reduce((sum, one) => sum + countOf(stats, one), 0);
  const number = stats && state !== undefined ? countOf(stats, state) : all;
  return html`<a
    href=${addressOf({ ...newestOf(place), state, errorGroup: undefined })}
    class=${number ? (state ?? '') : 'none'}
    aria-current=${state === place.state ? 'true' : undefined}
    >${state ?? 'all'} <span class="count">${number === undefined ? '' : words.count(number)}</span></a
  >`;
}

/** @param {Pick<Shown, 'place' | 'go'>} shown */
function SearchBox({ place, go }) {
  const [text, setText] = useState(place.text ?? '');
  useEffect(() => setText(place.text ?? ''), [place.text]);
  const search = (/** @type {Event} */ event) => {
    event.preventDefault();
    go({ ...newestOf(place), text: text || undefined });
  };
  return html`<form role="search" onSubmit=${search}>
    <input
      id="search"
      type="search"
      maxlength="200"
      autocomplete="off"
      placeholder="Search content, header, error, event or id"
      aria-label="Search"
      value=${text}
      onInput=${(/** @type {any} */ { currentTarget }) => setText(currentTarget.value)}
    />
  </form>`;
}

const HOUR = 3_600_000;

/** Times that can be chosen. An address can have any other. */
const TIMES = [
  { text: 'Any time', duration: undefined },
  { text: 'Last 15 minutes', duration: HOUR / 4 },
  { text: 'Last hour', duration: HOUR },
  { text: 'Last day', duration: 24 * HOUR },
];

/** @param {Pick<Shown, 'place' | 'go'>} shown */
function Times({ place, go }) {
  const choose = (/** @type {any} */ { currentTarget }) => {
    const { duration } = TIMES[currentTarget.selectedIndex - 1] ?? {};
    const receivedFrom = duration === undefined ? undefined : Date.now() - duration;
    go({ ...newestOf(place), receivedFrom, receivedBefore: undefined });
    currentTarget.selectedIndex = 0;
  };
  return html`<select aria-label="Received" onChange=${choose}>
    <option hidden>Time</option>
    ${TIMES.map(({ text }) => html`<option>${text}</option>`)}
  </select>`;
}

/** What can be done with the rows that are selected, or with all that the place lists. @param {{ place: Place }} shown */
function Actions({ place }) {
  const { size } = list.selected;
  const selected = list.rows.filter(({ id }) => list.selected.has(id));
  const some = (/** @type {string} */ verb) => `${verb} ${words.count(size)}…`;
  const act = (/** @type {'replay' | 'discard'} */ action) => () =>
    void (size > 0 || place.text !== undefined
      ? confirmSelected(action, size > 0 ? selected : list.rows, size > 0 ? 'selected' : 'shown')
      : confirmAll(action, place));
  const isChosen = size > 0 || place.text !== undefined || place.errorGroup !== undefined;
  const canReplay = isChosen || ['parked', 'retrying', 'handled'].includes(place.state ?? '');
  const canDiscard = size > 0 ? selected.some(({ state }) => state === 'parked') : place.state === 'parked';
  if (list.rows.length === 0 || !(canReplay || canDiscard)) return '';
  return html`<div
    class="actions"
    role="group"
    aria-label=${size > 0 ? 'Selected deliveries' : 'All of these'}
  >
    ${size > 0 && html`<${Button} kind="quiet" act=${() => select([...list.selected], false)}>Clear<//>`}
    ${
      canReplay &&
      html`<${Button} data-replay act=${act('replay')}>${size > 0 ? some('Replay') : 'Replay these…'}<//>`
    }
    ${
      canDiscard &&
      html`<${Button} kind="danger" act=${act('discard')}
        >${size > 0 ? some('Discard') : 'Discard these…'}<//
      >`
    }
  </div>`;
}

/** What the list is limited to beside the state, each with a link that takes it away. @param {{ place: Place }} shown */
function Limits({ place }) {
  const { errorGroup, text, receivedFrom, receivedBefore } = place;
  const chip = (/** @type {string} */ words, /** @type {Partial<Place>} */ without) =>
    html`<li>
      ${words} <a href=${addressOf({ ...newestOf(place), ...without })} aria-label=${`Remove: ${words}`}>✕</a>
    </li>`;
  const chips = [
    errorGroup !== undefined && chip(`error: ${errorGroup}`, { errorGroup: undefined }),
    text !== undefined && chip(`exactly “${text}”`, { text: undefined }),
    receivedFrom !== undefined && chip(`from ${words.time(receivedFrom)}`, { receivedFrom: undefined }),
    receivedBefore !== undefined &&
      chip(`before ${words.time(receivedBefore)}`, { receivedBefore: undefined }),
    text !== undefined &&
      /^[1-9]\d{0,14}$/.test(text) &&
      html`<li><a href=${addressOf({ ...place, delivery: Number(text) })}>Open delivery ${text}</a></li>`,
  ].filter(Boolean);
  return (
    chips.length > 0 &&
    html`<ul class="limits" aria-label="Limited to">
      ${chips}
    </ul>`
  );
}

/** @param {{ place: Place }} shown */
function Table({ place }) {
  const ids = list.rows.map(({ id }) => id);
  const isAll = ids.length > 0 && ids.every((id) => list.selected.has(id));
  return html`<table class=${list.isStale ? 'stale' : ''} aria-busy=${list.isStale}>
    <caption class="unseen">
      Deliveries
    </caption>
    <thead>
      <tr>
        <td class="choice">
          <input
            type="checkbox"
            aria-label="Select all on this page"
            checked=${isAll}
            onChange=${() => select(ids, !isAll)}
          />
        </td>
        <th scope="col" class="number">Id</th>
        <th scope="col">Received</th>
        <th scope="col">State</th>
        <th scope="col" class="number attempts">Attempts</th>
        <th scope="col" class="error">Error</th>
        <th scope="col" class="number size">Size</th>
      </tr>
    </thead>
    <tbody id="rows">
      ${list.rows.map((delivery) => html`<${Row} key=${delivery.id} ...${{ delivery, place }} />`)}
    </tbody>
  </table>`;
}

/** @param {{ delivery: DeliverySummary, place: Place }} shown */
function Row({ delivery, place }) {
  const { id, receivedAt, attempts, dueAt, error, reason, bytes } = delivery;
  const isOpen = id === place.delivery;
  const isGone = list.gone.has(id);
  const isSelected = list.selected.has(id);
  const text = visible(reason ?? error ?? '');
  return html`<tr
    class=${[isOpen && 'open', isGone && 'gone', isSelected && 'selected'].filter(Boolean).join(' ')}
  >
    <td class="choice">
      <input
        type="checkbox"
        aria-label=${`Select delivery ${id}`}
        checked=${isSelected}
        onChange=${() => select([id], !isSelected)}
      />
    </td>
    <th scope="row" class="number">
      <a
        href=${addressOf({ ...place, delivery: id })}
        data-id=${id}
        aria-current=${isOpen ? 'true' : undefined}
        >${id}</a
      >
    </th>
    <td>
      <time datetime=${new Date(receivedAt).toISOString()} title=${words.time(receivedAt)}
        >${words.shortTime(receivedAt)}</time
      >
    </td>
    <td>
      ${
        isGone
          ? html`<span>${place.state === undefined ? 'deleted' : `no longer ${place.state}`}</span>`
          : html`<${State} name=${stateOf(delivery)} />`
      }
      ${!isGone && dueAt !== null && html` <span class="note">at ${words.shortTime(dueAt)}</span>`}
    </td>
    <td class="number attempts">${attempts === 0 ? '' : words.count(attempts)}</td>
    <td class="error" title=${text || undefined}><div>${text}</div></td>
    <td class="number size">${words.size(bytes)}</td>
  </tr>`;
}

/** What is below the table: other pages, or why there is nothing. @param {Pick<Shown, 'place' | 'stats'>} shown */
function End({ place, stats }) {
  const { rows, isStale, isFirstPage, hasOlder, next, hasStopped } = list;
  const newest = newestOf(place);
  const link = (/** @type {string} */ text, /** @type {Partial<Place>} */ to) =>
    html`<a class="button" href=${addressOf({ ...newest, ...to })}>${text}</a>`;
  const isUnlimited = wordsOf(place) === 'deliveries';
  const isEmpty = rows.length === 0 && !isStale;
  const searched = html`The search stopped after a second: everything from delivery ${next} on was searched.`;
  return html`${
      isEmpty &&
      (isUnlimited && isFirstPage
        ? html`<${Empty} url=${stats?.receiver?.url} />`
        : html`<p class="none">No ${wordsOf(place)}${isFirstPage ? '' : ' on this page'}.</p>`)
    }
    ${hasStopped && html`<p class="note">${searched}</p>`}
    <nav aria-label="Page" class="row">
      ${!isFirstPage && !isStale && link('Newest', {})}
      ${!isFirstPage && rows.length > 0 && place.text === undefined && link('Newer', { newerThan: rows[0]?.id })}
      ${hasOlder && link('Older', { olderThan: rows.at(-1)?.id })}
      ${next !== null && link('Search older', { olderThan: next })}
    </nav>`;
}

/** @param {{ url: string | null | undefined }} shown */
const Empty = ({ url }) =>
  html`<div class="empty">
    <h3>No delivery has arrived</h3>
    <p>Send one, with a token of the receiver. It appears here at once.</p>
    <pre class="scroll" tabindex="0" role="region" aria-label="Command"><code>${[
      `curl -i -X POST ${url ?? 'URL'}`,
      `-H "Authorization: Bearer $ACCESS_TOKEN"`,
      `-H 'Content-Type: application/json'`,
      `--data '{"arbitrary":1}'`,
    ].join(' \\\n  ')}</code></pre>
    <p>Does a sender get an error? <a href="?view=refused">Look at refused requests</a>.</p>
  </div>`;
