/**
 * The inspector: shows the deliveries of this receiver as they arrive, and lets people act on them. This file ties the
 * parts together.
 */
import { render } from 'preact';

import { Acts } from './acts.mjs';
import { ChangeDialog, confirmSome } from './change.mjs';
import { Detail, detail, refreshDetail, showDetail } from './detail.mjs';
import { Header } from './header.mjs';
import { KeysDialog, KeysInBrief, onKeys, showKeys } from './keys.mjs';
import { isLookedAt, isReleased, isStale, list, refreshList, select, showList } from './list.mjs';
import { Errors, LastHour, overview, refreshOverview } from './overview.mjs';
import { calmly } from './pace.mjs';
import { go, goTo, keepFocus, page, quietly } from './page.mjs';
import { listAddressOf, newestOf, placeOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { Refused } from './refused.mjs';
import { Deliveries } from './table.mjs';
import { html, message, onRedraw, redraw, say } from './ui.mjs';
import * as words from './words.mjs';

const DELIVERIES = { name: undefined, title: 'Deliveries', View: DeliveriesView };

/** What the page can show, by the name in its address. A further view is a further line. */
const VIEWS = [
  DELIVERIES,
  { name: 'acts', title: 'Acts', View: Acts },
  { name: 'refused', title: 'Refused', View: Refused, count: countRefused },
];

/** How often the page asks whether something has changed, and for what changes slowly, in milliseconds. */
const POLL_INTERVAL = 1_000;
const OVERVIEW_INTERVAL = 10_000;

/** Shows the place of the address. */
async function show() {
  const { delivery: before, olderThan, newerThan } = page.place;
  page.place = placeOf(location.search);
  redraw();
  const { delivery } = page.place;
  const isPaged = page.place.olderThan !== olderThan || page.place.newerThan !== newerThan;
  // A link to the present place asks for what is new. Another page is read from its top.
  if (delivery === before || isStale())
    void quietly(showList).then(() => (isPaged ? focus('deliveries') : keepFocus()));
  if (delivery === before) return;
  const panel = document.getElementById('detail');
  if (panel) panel.scrollTop = 0;
  if (panel && panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
  const staysInTable = isMoving && document.activeElement?.closest('#rows');
  isMoving = false;
  await showDetail();
  // Somebody may have gone on meanwhile.
  if (page.place.delivery !== delivery || staysInTable) return;
  if (delivery === undefined) focusRow(before);
  else focus('delivery');
}

const focus = (/** @type {string} */ id) => document.getElementById(id)?.focus();

/** Moves the focus to the link of a delivery, or to the heading if it isn't on the page. @param {number | undefined} id */
function focusRow(id) {
  const link = document.querySelector(`#rows a[data-id="${id}"]`) ?? document.getElementById('deliveries');
  if (link instanceof HTMLElement) link.focus();
}

async function refreshStats() {
  const { receiver: about, ...stats } = await receiver.stats();
  page.about = about;
  page.stats = stats;
  redraw();
}

const refresh = calmly(() => quietly(() => Promise.all([refreshList(), refreshDetail(), refreshOverview()])));

/** Asks what has changed, and shows it. */
const poll = calmly(async () => {
  const before = knownStats();
  try {
    await refreshStats();
  } catch (error) {
    if (!(error instanceof receiver.RequestError && error.code === 'UNREACHABLE')) return;
    page.lostAt ??= Date.now();
    return redraw();
  }
  const wasLost = page.lostAt !== undefined;
  if (wasLost) say('The receiver responds again.');
  page.lostAt = undefined;
  if (wasLost) redraw();
  if (wasLost || knownStats() !== before) void refresh();
});

/** The time alone is no news. */
const knownStats = () => JSON.stringify({ ...page.stats, now: undefined });

function countRefused() {
  return (overview.activity?.refused ?? []).reduce((sum, { count }) => sum + count, 0);
}

/** Whether the receiver has told all that the first look needs. */
let isReady = false;

function Page() {
  // What came later would move what is seen.
  if (!isReady) return html`<p role="status">Loading…</p>`;
  const { place, stats, about } = page;
  const { View } = VIEWS.find(({ name }) => name === place.view) ?? DELIVERIES;
  const name = place.view ?? 'deliveries';
  return html`<a class="skip" href=${`#${name}`}>Skip to the ${name}</a>
    <${Header} views=${VIEWS} />
    <main class=${place.delivery === undefined ? '' : 'has-detail'}><${View} /></main>
    <footer class="row note">
      <${KeysInBrief} />
      ${
        stats &&
        about &&
        html`<span>Inbox <code>${about.inbox}</code> · ${words.size(stats.bytes)} on disk</span>`
      }
      <span>Times are in ${words.timeZone()}</span>
    </footer>
    <p id="message" role="status">${message.text}</p>
    <${ChangeDialog} /><${KeysDialog} />`;
}

function DeliveriesView() {
  return html`<div class="overview"><${LastHour} /><${Errors} /></div>
    <${Deliveries}>${page.place.delivery !== undefined && html`<${Detail} />`}<//>`;
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
  // Back leads to the list, not to each delivery on the way.
  go({ ...page.place, delivery: id }, 'replace');
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
    if (list.selected.size > 0) document.getElementById('replay')?.click();
    else if (delivery !== undefined) confirmSome('replay', [delivery]);
  },
  '/': () => focus('search'),
  '?': showKeys,
  Escape: () => {
    if (page.place.delivery !== undefined) goTo(listAddressOf(page.place));
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
const release = () => (isReleased() || (overview.isHeld && !isLookedAt())) && void refresh();
document.addEventListener('pointermove', release, { passive: true });
document.addEventListener('focusout', () => setTimeout(release));
document.addEventListener('scroll', release, { passive: true });

/** The title of the tab. It begins with what fails. */
function titleOf() {
  const { stats, about, place } = page;
  const failing = [
    stats?.parked && `${words.count(stats.parked)} parked`,
    stats?.retrying && `${words.count(stats.retrying)} retrying`,
  ];
  const alarm = failing.filter(Boolean).join(', ');
  const what = place.delivery === undefined ? wordsOf(newestOf(place)) : `delivery ${place.delivery}`;
  const title = place.view ?? what;
  const capital = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  return [alarm && `▲ ${alarm}`, capital, about?.name, 'Inspector'].filter(Boolean).join(' · ');
}

onRedraw(() => {
  document.title = titleOf();
  render(html`<${Page} />`, document.body);
});

document.querySelector('noscript')?.remove();
redraw();
void showDetail();
await Promise.all([showList, refreshStats, refreshOverview].map(quietly));
isReady = true;
redraw();
// A page that nobody sees asks nothing.
const pollIfSeen = () => document.hidden || void poll();
document.addEventListener('visibilitychange', pollIfSeen);
setInterval(pollIfSeen, POLL_INTERVAL);
setInterval(() => document.hidden || void quietly(refreshOverview), OVERVIEW_INTERVAL);
