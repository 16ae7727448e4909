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
import { Evidence } from './evidence.mjs';
import { Header } from './header.mjs';
import { KeysDialog, KeysInBrief, onKeys, showKeys } from './keys.mjs';
import { isReleased, isUpToDate, keepList, list, refreshList, select, showList } from './list.mjs';
import { Errors, LastHour, overview, refreshOverview } from './overview.mjs';
import { calmly } from './pace.mjs';
import { addressOf, newestOf, placeOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Refused } from './refused.mjs';
import { Deliveries } from './table.mjs';
import { html, message, onRedraw, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

/** What the page can show, by the name in its address. A further view is a further line. */
const VIEWS = [
  { name: undefined, title: 'Deliveries', View: DeliveriesView, count: () => 0 },
  { name: 'refused', title: 'Refused', View: Refused, count: countRefused },
  { name: 'evidence', title: 'Evidence', View: Evidence, count: () => 0 },
];

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
    <${Header} ...${{ ...page, views: VIEWS, setPaused }} />
    <main class=${page.place.delivery === undefined ? '' : 'has-detail'}>
      <${viewOf(page.place).View} ...${{ stats: page.stats }} />
    </main>
    <footer>
      <${KeysInBrief} />
      ${
        page.stats &&
        html`<span
          >Inbox <code>${page.stats.receiver.inbox}</code> · ${words.size(page.stats.bytes)} on disk</span
        >`
      }
      <span>Times are in ${words.timeZone()}</span>
    </footer>
    <p id="message" role="status">${message.text}</p>
    <${ChangeDialog} /><${KeysDialog} />`;

/** @param {Place} place */
const viewOf = ({ view }) => VIEWS.find(({ name }) => name === view) ?? VIEWS[0] ?? { View: Refused };

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
  '?': showKeys,
  Escape: () => {
    if (page.place.delivery !== undefined) goTo(pageOf(page.place));
  },
};

onKeys(ACTIONS);

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
