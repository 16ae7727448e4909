/**
 * The inspector: shows the deliveries of this receiver as they arrive, and lets people act on them. This file ties the
 * parts together.
 *
 * @import { Place } from './place.mjs'
 * @import { Stats } from './receiver.mjs'
 */
import { render } from 'preact';

import { ChangeDialog, replayOne } from './change.mjs';
import { Detail, detail, refreshDetail, showDetail } from './detail.mjs';
import { isReleased, isUpToDate, keepList, list, refreshList, select, showList } from './list.mjs';
import { Evidence } from './evidence.mjs';
import { Errors, LastHour, overview, refreshOverview } from './overview.mjs';
import { calmly } from './pace.mjs';
import { addressOf, newestOf, placeOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Refused } from './refused.mjs';
import { Deliveries } from './table.mjs';
import { Button, html, message, onRedraw, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

/** What the page can show, by the name in its address. A further view is a further line. */
const VIEWS = [
  { name: undefined, title: 'Deliveries', View: DeliveriesView, count: () => 0 },
  { name: 'refused', title: 'Refused', View: Refused, count: countRefused },
  { name: 'evidence', title: 'Evidence', View: Evidence, count: () => 0 },
];

/** The keys that the foot of the page names, and what they do. */
const FOOTER_KEYS = /** @type {const} */ ([
  ['jk', 'move'],
  ['x', 'select'],
  ['r', 'replay'],
  ['/', 'search'],
  ['?', 'all keys'],
]);

/** How often the page looks at what nobody tells it, in milliseconds. */
const OVERVIEW_INTERVAL = 10_000;

const page = {
  place: placeOf(location.search),
  stats: /** @type {Stats | undefined} */ (undefined),
  /** When the receiver stopped to respond; undefined while it does. */
  lostAt: /** @type {number | undefined} */ (undefined),
};

/** The part of a place that the list shows. @param {Place} place */
const pageOf = (place) => addressOf({ ...place, delivery: undefined });

let visits = 0;

/** Shows the place of the address. */
async function show() {
  const visit = (visits += 1);
  const before = page.place;
  const place = placeOf(location.search);
  page.place = place;
  const isOtherDelivery = place.delivery !== before.delivery;
  const isOtherPage = pageOf(place) !== pageOf(before);
  // A link to the present place asks for what is new.
  if (isOtherPage || !isOtherDelivery || list.isStale) void quietly(showPage);
  else keepList(place);
  const wasInTable = document.querySelector('#rows')?.contains(document.activeElement);
  if (isOtherDelivery) await showDetail(place.delivery);
  // Somebody may have gone on meanwhile.
  if (visit !== visits || !isOtherDelivery) return;
  if (place.delivery === undefined) focusRow(before.delivery);
  else if (!(wasInTable && isMoving)) document.getElementById('delivery')?.focus();
  isMoving = false;
}

async function showPage() {
  const asked = page.place;
  const shown = await showList(asked);
  if (page.place !== asked || shown === asked) return;
  page.place = shown;
  history.replaceState(null, '', addressOf(shown));
  redraw();
}

/** Moves the focus to the link of a delivery, or to the heading if it isn't on the page. @param {number | undefined} id */
function focusRow(id) {
  const link = document.querySelector(`#rows a[data-id="${id}"]`) ?? document.getElementById('deliveries');
  if (link instanceof HTMLElement) link.focus();
}

/** @param {Partial<Place>} place */
const go = (place) => goTo(addressOf(place));

/** @param {string} address */
function goTo(address) {
  if (address === location.search) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  void show();
}

/** What fails here is said by the banner, and is tried again. */
async function quietly(/** @type {() => Promise<unknown>} */ work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof receiver.RequestError)) throw error;
    if (error.code !== 'UNREACHABLE') say(error.message);
  }
}

/** The counts that the page shows. */
let known = '';
/** How often the receiver has told them. */
let told = 0;

async function refreshStats() {
  const before = told;
  const stats = await receiver.stats();
  const { receiver: about, ...counts } = stats;
  // What was told meanwhile may be newer, and isn't told again.
  if (told === before || page.stats === undefined) {
    known = JSON.stringify(counts);
    page.stats = stats;
  } else page.stats = { ...page.stats, receiver: about };
  redraw();
}

const refresh = calmly(() => quietly(() => Promise.all([refreshList(), refreshDetail(), refreshOverview()])));

function countRefused() {
  return (overview.activity?.refused ?? []).reduce((sum, { count }) => sum + count, 0);
}

async function setPaused(/** @type {boolean} */ isPaused) {
  await quietly(async () => {
    await receiver.setPaused(isPaused);
    await refreshStats();
    say(isPaused ? 'The handler is paused. Deliveries are accepted, and wait.' : 'The handler goes on.');
    void refresh();
  });
}

const Page = () =>
  html`<a class="skip" href=${`#${page.place.view ?? 'deliveries'}`}
      >Skip to the ${page.place.view ?? 'deliveries'}</a
    >
    <${Header} />
    <main class=${page.place.delivery === undefined ? '' : 'has-detail'}>
      <${viewOf(page.place).View} ...${{ stats: page.stats }} />
    </main>
    <footer>
      ${FOOTER_KEYS.map(
        ([keys, what]) => html`<span>${[...keys].map((key) => html`<kbd>${key}</kbd> `)}${what}</span>`,
      )}
      ${
        page.stats &&
        html`<span
          >Inbox <code>${page.stats.receiver.inbox}</code> · ${words.size(page.stats.bytes)} on disk</span
        >`
      }
      <span>Times are in ${words.timeZone()}</span>
    </footer>
    <p id="message" role="status">${message.text}</p>
    <${ChangeDialog} /><${Keys} />`;

/** @param {Place} place */
const viewOf = ({ view }) => VIEWS.find(({ name }) => name === view) ?? VIEWS[0] ?? { View: Refused };

function Header() {
  const { stats, place, lostAt } = page;
  const failing = (/** @type {'parked' | 'retrying'} */ state, more = '') =>
    stats &&
    stats[state] > 0 &&
    html`<a class=${`pill ${state}`} href=${`?state=${state}`}
      >${words.count(stats[state])} ${state}${more}</a
    >`;
  const next = stats?.nextRetryAt ? `, next at ${words.shortTime(stats.nextRetryAt)}` : '';
  return html`<header>
    <h1>Inspector</h1>
    <p role="status" class=${lostAt === undefined ? 'live' : 'live lost'}>
      ${lostAt === undefined ? 'live' : `The receiver has not responded since ${words.shortTime(lostAt)}`}
    </p>
    ${failing('parked')}${failing('retrying', next)}
    ${stats?.isPaused && html`<span class="pill paused">The handler is paused</span>`}
    <nav aria-label="Pages">
      <ul>
        ${VIEWS.map(
          ({ name, title, count }) =>
            html`<li>
              <a href=${addressOf({ view: name })} aria-current=${name === place.view ? 'page' : undefined}
                >${title}${count() > 0 && html` <span class="count">${words.count(count())}</span>`}</a
              >
            </li>`,
        )}
        <li><a href="api">Interface</a></li>
        <li><a href="openapi.json">openapi.json</a></li>
      </ul>
    </nav>
    ${
      stats &&
      html`<${Button} kind=${stats.isPaused ? 'primary' : ''} act=${() => setPaused(!stats.isPaused)}>
        ${stats.isPaused ? 'Resume the handler' : 'Pause the handler'}
      <//>`
    }
  </header>`;
}

function DeliveriesView() {
  const { place, stats } = page;
  return html`<div class="overview">
      <${LastHour} stats=${stats} />
      <${Errors} place=${place} />
    </div>
    <section id="list" aria-labelledby="deliveries">
      <h2 id="deliveries" class="unseen" tabindex="-1">Deliveries</h2>
      <${Deliveries} ...${{ place, stats, go }} />
    </section>
    ${place.delivery !== undefined && html`<${Detail} place=${place} url=${stats?.receiver.url} />`}`;
}

const KEYS = {
  'j, k': 'the next or the previous delivery',
  Enter: 'open the delivery',
  x: 'select it',
  r: 'replay it, or what is selected',
  '/': 'search',
  Escape: 'close the delivery',
  '?': 'these keys',
};

const Keys = () =>
  html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl>
      ${Object.entries(KEYS).map(
        ([key, what]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${what}</dd>
          </div>`,
      )}
    </dl>
    <form method="dialog"><button autofocus>Close</button></form>
  </dialog>`;

const keysDialog = () => /** @type {HTMLDialogElement} */ (document.getElementById('keys'));

/** Whether a key has opened another delivery: the focus then stays in the table. */
let isMoving = false;

/** The row that has the focus, or else that of the delivery that is open. */
function presentId() {
  const link = document.activeElement?.closest('#rows tr')?.querySelector('a');
  return link ? Number(link.dataset['id']) : page.place.delivery;
}

/** @param {1 | -1} step */
function move(step) {
  const ids = list.rows.map(({ id }) => id);
  const id = ids[Math.max(0, ids.indexOf(presentId() ?? 0) + step)] ?? ids.at(-1);
  focusRow(id);
  if (page.place.delivery === undefined || id === undefined) return;
  isMoving = true;
  go({ ...page.place, delivery: id });
}

/** @type {Record<string, () => void>} */
const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  x: () => {
    const id = presentId();
    if (id !== undefined) select([id], !list.selected.has(id));
  },
  r: () => {
    const id = presentId();
    const delivery = list.rows.find((one) => one.id === id) ?? detail.delivery;
    if (list.selected.size > 0)
      /** @type {HTMLElement | null} */ (document.querySelector('.actions [data-replay]'))?.click();
    else if (delivery !== undefined) replayOne(delivery);
  },
  '/': () => document.getElementById('search')?.focus(),
  '?': () => keysDialog().showModal(),
  Escape: () => {
    if (page.place.delivery !== undefined) goTo(pageOf(page.place));
  },
};

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyping =
    target instanceof HTMLInputElement && target.type !== 'checkbox' && target.type !== 'radio';
  const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
  if (
    action === undefined ||
    isTyping ||
    ctrlKey ||
    metaKey ||
    altKey ||
    document.querySelector('dialog[open]')
  )
    return;
  event.preventDefault();
  action();
});

// A link to another place of this page needs no other page.
document.addEventListener('click', (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (!(target instanceof Element) || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
  const isInRow = document.getSelection()?.isCollapsed && target.closest('.choice') === null;
  const link = target.closest('a') ?? (isInRow ? target.closest('#rows tr')?.querySelector('a') : null);
  const address = link?.getAttribute('href');
  if (!address?.startsWith('?')) return;
  event.preventDefault();
  goTo(address);
});

addEventListener('popstate', () => void show());
const release = () => isReleased() && void refresh();
document.addEventListener('pointermove', release, { passive: true });
document.addEventListener('focusout', () => setTimeout(release));
document.addEventListener('scroll', release, { passive: true });

onRedraw(() => {
  const { stats, place } = page;
  const failing = stats
    ? [
        stats.parked && `${words.count(stats.parked)} parked`,
        stats.retrying && `${words.count(stats.retrying)} retrying`,
      ]
    : [];
  const what = place.delivery === undefined ? wordsOf(newestOf(place)) : `delivery ${place.delivery}`;
  const title = place.view === undefined ? what : place.view;
  const alarm = failing.filter(Boolean).join(', ');
  document.title = [alarm && `▲ ${alarm}`, `${title.charAt(0).toUpperCase()}${title.slice(1)}`, 'Inspector']
    .filter(Boolean)
    .join(' · ');
  render(html`<${Page} />`, document.body);
});

document.querySelector('noscript')?.remove();
redraw();
await Promise.all([
  quietly(showPage),
  quietly(refreshStats),
  quietly(refreshOverview),
  showDetail(page.place.delivery),
]);
let wasConnected = false;
receiver.watch({
  connected() {
    if (page.lostAt !== undefined) say('The receiver responds again.');
    page.lostAt = undefined;
    redraw();
    // Whatever happened while there was no connection wasn't told.
    if (wasConnected) void quietly(refreshStats).then(refresh);
    wasConnected = true;
  },
  lost() {
    wasConnected = true;
    page.lostAt ??= Date.now();
    redraw();
  },
  stats(stats) {
    told += 1;
    const now = JSON.stringify(stats);
    if (now === known || page.stats === undefined) return;
    known = now;
    page.stats = { ...page.stats, ...stats };
    redraw();
    void refresh();
  },
  arrived(newestId) {
    if (!isUpToDate(newestId)) void refresh();
  },
});
setInterval(() => document.hidden || void quietly(refreshOverview), OVERVIEW_INTERVAL);
