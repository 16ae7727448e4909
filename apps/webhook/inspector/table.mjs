/**
 * The list of deliveries: what it is limited to, the table, and what can be done with many.
 *
 * @import { DeliveryState, ListedDelivery } from '../src/inbox/inbox-operations.js'
 * @import { Action } from './change.mjs'
 * @import { Place } from './place.mjs'
 */
import { useEffect, useRef, useState } from 'preact/hooks';

import { Changes, confirmAll, confirmSome } from './change.mjs';
import { visible } from './content.mjs';
import { isStale, list, MOST_NEW, ROWS, select } from './list.mjs';
import { go, page } from './page.mjs';
import { addressOf, isNewest, limitsOf, newestOf, STATES, wordsOf } from './place.mjs';
import { Button, html, own, Scroll, State, Table, Time } from './ui.mjs';
import * as words from './words.mjs';

/** The list, and beside it the delivery that is open. */
export const Deliveries = (/** @type {{ children?: any }} */ { children }) =>
  html`<section aria-labelledby="deliveries">
    <h2 id="deliveries" class="unseen" tabindex="-1">Deliveries</h2>
    <div class="tools row">
      <nav class="tabs" aria-label="State">
        <ul>
          ${[undefined, ...STATES].map((state) => html`<li><${Tab} state=${state} /></li>`)}
        </ul>
      </nav>
      <${Times} />
      <${SearchBox} place=${page.place} />
      <${ChangesOfAll} />
    </div>
    <${Limits} />
    <div class="split">
      <div class="results">
        ${
          list.rows.length > 0 &&
          html`<div class=${`table ${isStale() ? 'stale' : ''}`} aria-busy=${isStale()}>
            <${ChangesOfSelection} />
            ${
              list.newCount > 0 &&
              html`<a id="new" class="button primary" href=${addressOf(page.place)}
                >Show ${list.newCount < MOST_NEW ? list.newCount : `${MOST_NEW - 1}+`} new</a
              >`
            }
            <${Rows} />
          </div>`
        }
        <${End} />
      </div>
      ${children}
    </div>
  </section>`;

/** @param {{ state: DeliveryState | undefined }} shown undefined for all */
function Tab({ state }) {
  const { place } = page;
  const counts = list.counts ?? page.stats;
  const states = STATES.filter((one) => state === undefined || one === state);
  const number = counts && states.map((one) => counts[one]).reduce((sum, count) => sum + count);
  return html`<a
    href=${addressOf({ ...newestOf(place), state })}
    class=${number ? state : 'none'}
    aria-current=${state === place.state ? 'true' : undefined}
    >${state ?? 'all'} ${number !== undefined && words.count(number)}</a
  >`;
}

/** @param {{ place: Place }} shown */
function SearchBox({ place }) {
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
      title="Finds what is written exactly so: upper and lower case differ."
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
  { text: 'From – to…', isRange: true },
];

const RANGE = /** @type {const} */ ([
  { name: 'receivedFrom', text: 'From' },
  { name: 'receivedBefore', text: 'To' },
]);

const inputOf = (/** @type {number | undefined} */ time) =>
  time === undefined ? '' : words.time(time).replace(' ', 'T');

function Times() {
  const range = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const choose = (/** @type {any} */ { currentTarget }) => {
    const { duration, isRange } = TIMES[currentTarget.selectedIndex - 1] ?? {};
    currentTarget.selectedIndex = 0;
    if (isRange) return range.current?.showModal();
    const receivedFrom = duration === undefined ? undefined : Date.now() - duration;
    go({ ...newestOf(page.place), receivedFrom, receivedBefore: undefined });
  };
  const limit = (/** @type {any} */ event) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const times = RANGE.map(({ name }) => [name, Date.parse(String(given.get(name))) || undefined]);
    go({ ...newestOf(page.place), ...Object.fromEntries(times) });
  };
  return html`<select aria-label="Received" onChange=${choose}>
      <option hidden>Time</option>
      ${TIMES.map(({ text }) => html`<option>${text}</option>`)}
    </select>
    <dialog ref=${range} closedby="any" aria-label="Received" key=${addressOf(page.place)}>
      <form class="stack" onSubmit=${limit}>
        ${RANGE.map(
          ({ name, text }) =>
            html`<label
              >${text}
              <input type="datetime-local" step="1" name=${name} defaultValue=${inputOf(page.place[name])}
            /></label>`,
        )}
        <button>Show</button>
      </form>
    </dialog>`;
}

/** What can be done with all that the place lists. It keeps its room while rows are selected. */
function ChangesOfAll() {
  const { state, text, errorGroup } = page.place;
  const isSearch = text !== undefined;
  const isOfError = state === undefined && errorGroup !== undefined;
  return html`<${Changes}
    states=${[state, isSearch ? 'retrying' : undefined, isOfError ? 'parked' : undefined]}
    what=${html`<span class="word"> these</span>`}
    isOff=${list.rows.length === 0 || list.selected.size > 0}
    act=${(/** @type {Action} */ action) =>
      isSearch ? confirmSome(action, list.rows, 'shown') : void confirmAll(action, page.place)}
  />`;
}

/** What can be done with the rows that are selected. */
function ChangesOfSelection() {
  const selected = list.rows.filter(({ id }) => list.selected.has(id));
  if (selected.length === 0) return '';
  return html`<div class="bulk">
    <div class="row">
      <${Button} kind="quiet" act=${() => select([...list.selected], false)}>Clear<//>
      <${Changes}
        hasIds
        states=${['retrying', ...selected.map(({ state }) => state)]}
        what=${` ${words.count(selected.length)}`}
        act=${(/** @type {Action} */ action) => confirmSome(action, selected, 'selected')}
      />
    </div>
  </div>`;
}

/** What the list is limited to beside the state, each with a link that takes it away. */
function Limits() {
  const { place } = page;
  const { text } = place;
  return html`<ul class="row limits" aria-label="Limited to">
    ${limitsOf(place).map(
      ({ name, short }) =>
        html`<li class="pill row line">
          <span class="cut">${short}</span>
          <a href=${addressOf({ ...newestOf(place), [name]: undefined })} aria-label=${`Remove: ${short}`}
            >✕</a
          >
        </li>`,
    )}
    ${
      /^[1-9]\d{0,14}$/.test(text ?? '') &&
      html`<li><a href=${addressOf({ ...place, delivery: Number(text) })}>Open delivery ${text}</a></li>`
    }
  </ul>`;
}

function Rows() {
  const ids = list.rows.map(({ id }) => id);
  const columns = [
    { title: html`<${Choice} ids=${ids} label="Select all on this page" />`, kind: 'choice' },
    { title: 'Id', kind: 'number', isName: true },
    { title: 'Received', kind: 'received' },
    { title: 'State', kind: 'state' },
    { title: 'Attempts', kind: 'number attempts' },
    { title: 'Error or content', kind: 'error' },
    { title: 'Size', kind: 'number size' },
  ];
  return html`<${Table}
    id="rows"
    caption="Deliveries"
    columns=${columns}
    rows=${list.rows.map(cellsOf)}
    keys=${ids}
  />`;
}

/** Selects deliveries, or no longer. @param {{ ids: readonly number[], label: string }} shown */
function Choice({ ids, label }) {
  const isChosen = ids.every((id) => list.selected.has(id));
  return html`<input
    type="checkbox"
    aria-label=${label}
    checked=${isChosen}
    onClick=${(/** @type {MouseEvent} */ { shiftKey }) => select(ids, !isChosen, shiftKey)}
  />`;
}

/** @param {ListedDelivery} delivery */
function cellsOf(delivery) {
  const { place } = page;
  const { id, receivedAt, attempts, dueAt, error, reason, bytes } = delivery;
  const text = visible(reason ?? error ?? '');
  const gone = place.state === undefined ? 'deleted' : `no longer ${place.state}`;
  return [
    html`<${Choice} ids=${[id]} label=${`Select delivery ${id}`} />`,
    html`<a
      href=${addressOf({ ...place, delivery: id })}
      data-id=${id}
      aria-current=${id === place.delivery ? 'true' : undefined}
      >${id}</a
    >`,
    html`<${Time} at=${receivedAt} />`,
    list.gone.has(id)
      ? html`<span class="note">${gone}</span>`
      : html`<${State} name=${delivery.state} />
          ${dueAt !== null && html` <span class="note">${words.due(dueAt, page.stats?.isPaused)}</span>`}`,
    attempts === 0 ? '' : words.count(attempts),
    html`<div class="cut" title=${text || undefined}>
      ${text || html`<code class="none">${visible(delivery.preview || '') || sentText(delivery)}</code>`}
    </div>`,
    words.size(bytes),
  ];
}

/** What was sent, in a line. @param {ListedDelivery} delivery */
const sentText = ({ eventId, method, mediaType, contentEncoding }) =>
  [eventId, method, mediaType, contentEncoding]
    .filter(Boolean)
    .map((part, index) => [index > 0 && ' · ', own(String(part))]);

/** What is below the table: other pages, or why there is nothing. */
function End() {
  const { place } = page;
  const { rows, older } = list;
  const isFirst = isNewest(place);
  const isSearch = place.text !== undefined;
  const link = (/** @type {string} */ text, /** @type {Partial<Place>} */ to) =>
    html`<a class="button" href=${addressOf({ ...newestOf(place), ...to })}>${text}</a>`;
  if (isStale()) return '';
  if (rows.length === 0 && isFirst && wordsOf(place) === 'deliveries') return html`<${Empty} />`;
  return html`
    ${rows.length === 0 && html`<p class="long">No ${wordsOf(place)}${isFirst ? '' : ' on this page'}.</p>`}
    ${
      isSearch &&
      older !== null &&
      rows.length < ROWS &&
      html`<p class="note">
        The search stopped after a second: everything from delivery ${older} on was searched.
      </p>`
    }
    <nav aria-label="Page" class="row">
      ${!isFirst && link('Newest', {})}
      ${!isFirst && rows[0] && !isSearch && link('Newer', { newerThan: rows[0].id })}
      ${older !== null && link(isSearch ? 'Search older' : 'Older', { olderThan: older })}
    </nav>
  `;
}

const Empty = () =>
  html`<div class="empty stack">
    <h3>No delivery has arrived</h3>
    <p>
      Send one, with a token of the receiver. It appears here at once. Method and media type are examples:
      they are open questions, or have the answers of your team.
    </p>
    <${Scroll} label="Command"
      >${[
        `curl -i -X POST ${page.about?.url ?? 'URL'}`,
        `-H "Authorization: Bearer $ACCESS_TOKEN"`,
        `-H 'Content-Type: application/json'`,
        `--data '{"arbitrary":1}'`,
      ].join(' \\\n  ')}<//
    >
    <p>Does a sender get an error? <a href="?view=refused">Look at refused requests</a>.</p>
  </div>`;
