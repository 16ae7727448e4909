/**
 * The inspector: shows the deliveries of this receiver as they arrive, and lets people act on them. This file ties the
 * parts together.
 *
 * @import { Place } from './place.mjs'
 */
import { confirmAll } from './change.mjs';
import { focusDetail, hideDetail, refreshDetail, showDetail } from './detail.mjs';
import { focusList, isShown, isUpToDate, onRelease, refreshList, showList, showOpen } from './list.mjs';
import { calmly } from './pace.mjs';
import { find, say } from './page.mjs';
import { addressOf, newestOf, placeOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import * as status from './status.mjs';
import * as words from './words.mjs';

const times = find('times', HTMLFormElement);
const open = find('open', HTMLFormElement);

let place = placeOf(location.search);

/** The part of a place that the list shows. */
const pageOf = (/** @type {Place} */ place) => addressOf({ ...place, delivery: undefined });

let visits = 0;

/** Shows the place of the address. */
async function show() {
  const visit = (visits += 1);
  const before = place;
  place = placeOf(location.search);
  showControls();
  const isOtherDelivery = place.delivery !== before.delivery;
  const isOtherPage = pageOf(place) !== pageOf(before);
  // A link to the present place asks for what is new.
  const page = isOtherPage || !isOtherDelivery || !isShown() ? quietly(showPage) : showOpen(place);
  if (place.delivery === undefined) hideDetail();
  else if (isOtherDelivery) await showDetail(place.delivery, pageOf(place));
  await page;
  // Somebody may have gone on meanwhile.
  if (visit !== visits) return;
  if (isOtherDelivery && place.delivery !== undefined) focusDetail();
  else focusList(before.delivery);
}

async function showPage() {
  const asked = place;
  const shown = await showList(asked);
  if (place !== asked || shown === asked) return;
  place = shown;
  history.replaceState(null, '', addressOf(shown));
}

function showControls() {
  const { state, receivedFrom, receivedBefore, delivery } = place;
  status.showStates(place);
  input(times, 'receivedFrom').value = receivedFrom === undefined ? '' : words.localTime(receivedFrom);
  input(times, 'receivedBefore').value = receivedBefore === undefined ? '' : words.localTime(receivedBefore);
  if (receivedFrom !== undefined || receivedBefore !== undefined)
    find('more', HTMLDetailsElement).open = true;
  const anyTime = find('any-time', HTMLAnchorElement);
  anyTime.hidden = receivedFrom === undefined && receivedBefore === undefined;
  anyTime.href = addressOf({ ...newestOf(place), receivedFrom: undefined, receivedBefore: undefined });
  find('replay-all', HTMLElement).hidden = state === 'discarded';
  find('discard-all', HTMLElement).hidden = state !== undefined && state !== 'parked';
  const what = delivery === undefined ? wordsOf(place) : `delivery ${delivery}`;
  document.title = `${what.charAt(0).toUpperCase()}${what.slice(1)} · Inspector`;
}

/** @param {string} address */
function go(address) {
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
  const { receiver: about, ...counts } = await receiver.stats();
  status.showReceiver(about);
  // What was told meanwhile may be newer, and isn't told again.
  if (told !== before) return;
  known = JSON.stringify(counts);
  status.showStats(counts);
}

const refresh = calmly(() => quietly(() => Promise.all([refreshList(), refreshDetail()])));

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
const input = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

addEventListener('popstate', () => void show());

// A link to another place of this page needs no other page.
document.addEventListener('click', (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (!(target instanceof Element) || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
  const row = document.getSelection()?.isCollapsed ? target.closest('#list tbody tr') : null;
  const link = target.closest('a') ?? row?.querySelector('a');
  const address = link?.getAttribute('href');
  if (!address?.startsWith('?')) return;
  event.preventDefault();
  go(address);
});

document.addEventListener('keydown', ({ key, target }) => {
  const isElsewhere = target instanceof HTMLInputElement || document.querySelector('dialog[open]') !== null;
  if (key === 'Escape' && place.delivery !== undefined && !isElsewhere) go(pageOf(place));
});

times.addEventListener('submit', (event) => {
  event.preventDefault();
  const time = (/** @type {string} */ name) => {
    const { value } = input(times, name);
    return value === '' ? undefined : new Date(value).getTime();
  };
  const received = { receivedFrom: time('receivedFrom'), receivedBefore: time('receivedBefore') };
  go(addressOf({ ...newestOf(place), ...received }));
});

open.addEventListener('submit', (event) => {
  event.preventDefault();
  go(addressOf({ ...place, delivery: Number(input(open, 'delivery').value) }));
});

for (const action of /** @type {const} */ (['replay', 'discard']))
  find(`${action}-all`, HTMLElement).addEventListener('click', () => void confirmAll(action, place));

status.enablePausing(async () => {
  await refreshStats();
  void refresh();
});
onRelease(refresh);
find('zone', HTMLElement).textContent = `Times are in the time zone of this browser: ${words.timeZone()}.`;

let wasConnected = false;

showControls();
await Promise.all([
  quietly(showPage),
  quietly(refreshStats),
  place.delivery === undefined ? undefined : showDetail(place.delivery, pageOf(place)),
]);
receiver.watch({
  connected() {
    status.showConnected();
    // Whatever happened while there was no connection wasn't told.
    if (wasConnected) void quietly(refreshStats).then(refresh);
    wasConnected = true;
  },
  lost() {
    wasConnected = true;
    status.showLost();
  },
  stats(stats) {
    told += 1;
    const now = JSON.stringify(stats);
    if (now === known) return;
    known = now;
    status.showStats(stats);
    void refresh();
  },
  arrived(newestId) {
    if (!isUpToDate(newestId)) void refresh();
  },
});
