/**
 * The table of deliveries: a page of at most fifty, however many there are.
 *
 * @import { DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 */
import { visible } from './content.mjs';
import { find, make, write } from './page.mjs';
import { addressOf, filterOf, newestOf, wordsOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import * as words from './words.mjs';

const ROWS = 50;
/** The receiver gives no more at once. */
const MOST = 500;
/** New deliveries are counted up to here. */
const MOST_NEW = 100;

const body = /** @type {HTMLElement} */ (document.querySelector('#list tbody'));
const follow = find('follow', HTMLInputElement);
const newOnes = find('new', HTMLAnchorElement);
const links = {
  newest: find('newest', HTMLAnchorElement),
  newer: find('newer', HTMLAnchorElement),
  older: find('older', HTMLAnchorElement),
};

/** @type {Place} */
let shown;
let isFirstPage = false;
/** Whether the rows are those of another place, because the receiver hasn't responded. */
let isStale = true;
/** The rows by id, newest first. @type {Map<number, HTMLTableRowElement>} */
let rows = new Map();

/**
 * Shows the page of a place.
 *
 * @param {Place} place
 * @param {() => boolean} mayMove asked again when the receiver has responded
 * @returns what is shown: above the newest page there is none, so that one is shown instead
 */
export async function showList(place, mayMove = () => true) {
  if (shown !== place) isStale = true;
  shown = place;
  const page = await readPage(place);
  // Somebody may have gone on meanwhile.
  if (shown !== place || !mayMove()) return place;
  isStale = false;
  isFirstPage = page.place.olderThan === undefined && page.place.newerThan === undefined;
  fill(page.deliveries);
  showOpen(page.place);
  showLinks(page.hasOlder);
  return page.place;
}

/** Whether the rows are those of the place that was asked for last. */
export const isShown = () => !isStale;

/**
 * Marks the delivery whose details are shown.
 *
 * @param {Place} place of the same page
 */
export function showOpen(place) {
  shown = place;
  for (const [id, row] of rows) {
    const isOpen = id === place.delivery;
    row.classList.toggle('open', isOpen);
    const link = linkOf(row);
    link.href = addressOf({ ...place, delivery: id });
    if (isOpen) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

/**
 * Whether the newest delivery is on the page already.
 *
 * @param {number | null} newestId
 */
export const isUpToDate = (newestId) => isFirstPage && rows.keys().next().value === (newestId ?? undefined);

/** Shows what has changed. What somebody reads stays where it is. */
export async function refreshList() {
  if (isStale) return void (await showList(shown));
  const before = rows;
  if (isFirstPage && isFollowing()) await showList(shown, isFollowing);
  // Somebody may have begun to read, or have gone on, meanwhile.
  if (rows === before && !isStale) await Promise.all([refreshRows(), countNew()]);
}

/**
 * Calls a function when the page was held back, and nobody reads the table any more.
 *
 * @param {() => void} listener
 */
export function onRelease(listener) {
  const release = () => {
    const isBehind = !newOnes.hidden || body.querySelector('.gone') !== null;
    if (isBehind && isFollowing()) listener();
  };
  body.addEventListener('pointerleave', release);
  body.addEventListener('focusout', () => setTimeout(release));
  document.addEventListener('scroll', release, { passive: true });
  follow.addEventListener('change', release);
}

/**
 * Moves the focus to the link of a delivery, or to the heading if it isn't on the page.
 *
 * @param {number | undefined} [id]
 */
export function focusList(id) {
  const row = id === undefined ? undefined : rows.get(id);
  (row === undefined ? find('deliveries', HTMLElement) : linkOf(row)).focus();
}

/**
 * @param {Place} place
 * @returns {Promise<{ place: Place, deliveries: readonly DeliverySummary[], hasOlder: boolean }>}
 */
async function readPage(place) {
  const isUp = place.newerThan !== undefined;
  const found = await receiver.list(filterOf(place), {
    order: isUp ? 'oldest' : 'newest',
    after: place.newerThan ?? place.olderThan,
    limit: ROWS + 1,
  });
  const hasMore = found.length > ROWS;
  if (isUp && !hasMore) return readPage({ ...place, newerThan: undefined });
  const deliveries = found.slice(0, ROWS);
  if (isUp) deliveries.reverse();
  return { place, deliveries, hasOlder: isUp || hasMore };
}

/** Whether nobody looks at a part of the table that new deliveries would move. */
function isFollowing() {
  if (rows.size === 0) return true;
  return (
    follow.checked &&
    shown.delivery === undefined &&
    !body.matches(':hover') &&
    !body.contains(document.activeElement) &&
    body.getBoundingClientRect().top >= 0 &&
    document.getSelection()?.isCollapsed !== false
  );
}

/** Writes the present state of the deliveries into their rows. */
async function refreshRows() {
  const place = shown;
  const before = rows;
  const ids = [...before.keys()];
  const [lastId] = ids;
  const firstId = ids.at(-1);
  if (firstId === undefined || lastId === undefined) return;
  const found = await receiver.list(
    { ...filterOf(place), firstId, lastId },
    { order: 'newest', limit: MOST },
  );
  // The page may be another one now.
  if (rows !== before) return;
  const lowest = found.length < MOST ? 0 : (found.at(-1)?.id ?? 0);
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  for (const [id, row] of rows) {
    const delivery = byId.get(id);
    if (delivery !== undefined) fillRow(row, delivery);
    else if (id > lowest && id <= lastId)
      markAsGone(row, place.state === undefined ? 'deleted' : `no longer ${place.state}`);
  }
}

async function countNew() {
  if (!isFirstPage || newOnes.textContent?.includes('+')) return;
  const place = shown;
  const [highest = 0] = rows.keys();
  const found = await receiver.list(
    { ...filterOf(place), firstId: highest + 1 },
    { order: 'newest', limit: MOST_NEW },
  );
  // The page may have changed meanwhile.
  if (shown !== place || rows.keys().next().value !== highest) return;
  newOnes.href = addressOf(place);
  newOnes.hidden = found.length === 0;
  write(newOnes, `Show ${found.length < MOST_NEW ? found.length : `${MOST_NEW - 1}+`} new`);
}

/** @param {readonly DeliverySummary[]} deliveries */
function fill(deliveries) {
  const before = rows;
  rows = new Map(deliveries.map(({ id }) => [id, before.get(id) ?? makeRow(id)]));
  for (const delivery of deliveries)
    fillRow(/** @type {HTMLTableRowElement} */ (rows.get(delivery.id)), delivery);
  // Rows that are moved lose the focus.
  if ([...before.keys()].join() !== [...rows.keys()].join()) body.replaceChildren(...rows.values());
  newOnes.hidden = true;
  newOnes.textContent = '';
}

/** @param {boolean} hasOlder */
function showLinks(hasOlder) {
  const newest = newestOf(shown);
  const [highest] = rows.keys();
  const lowest = [...rows.keys()].at(-1);
  links.newest.href = addressOf(newest);
  links.newer.href = addressOf({ ...newest, newerThan: highest });
  links.older.href = addressOf({ ...newest, olderThan: lowest });
  links.newest.hidden = isFirstPage;
  links.newer.hidden = isFirstPage || highest === undefined;
  links.older.hidden = !hasOlder;
  const none = find('none', HTMLElement);
  none.hidden = rows.size > 0;
  write(none, `No ${wordsOf(shown)}${isFirstPage ? '' : ' on this page'}.`);
}

/** @param {number} id */
function makeRow(id) {
  const heading = make('th', { scope: 'row', className: 'number' }, make('a', {}, String(id)));
  const cells = [
    make('td', {}, make('time')),
    make('td', {}, make('span')),
    make('td', { className: 'attempts' }),
    make('td', { className: 'error' }, make('div')),
    make('td', { className: 'number size' }),
  ];
  return make('tr', {}, heading, ...cells);
}

/**
 * @param {HTMLTableRowElement} row
 * @param {DeliverySummary} delivery
 */
function fillRow(row, { receivedAt, state, attempts, dueAt, error, reason, bytes }) {
  const [, received, stateCell, failed, why, size] = row.cells;
  const time = /** @type {HTMLTimeElement} */ (received?.firstChild);
  const dateTime = new Date(receivedAt).toISOString();
  // Another inbox has other deliveries with the same ids.
  if (time.dateTime !== dateTime) {
    time.dateTime = dateTime;
    const [day = '', timeOfDay = ''] = words.time(receivedAt).split(' ');
    time.replaceChildren(make('span', {}, day), ' ', make('span', {}, timeOfDay));
  }
  const mark = /** @type {HTMLElement} */ (stateCell?.firstChild);
  mark.className = `state ${state}`;
  write(mark, state);
  row.classList.remove('gone');
  const again = dueAt === null ? '' : `, again at ${words.time(dueAt).slice(-8)}`;
  write(/** @type {Node} */ (failed), attempts === 0 ? '' : `${words.count(attempts)}${again}`);
  write(/** @type {Node} */ (why?.firstChild), visible(reason ?? error ?? ''));
  write(/** @type {Node} */ (size), words.size(bytes));
}

/**
 * @param {HTMLTableRowElement} row
 * @param {string} text
 */
function markAsGone(row, text) {
  row.classList.add('gone');
  const mark = /** @type {HTMLElement} */ (row.cells[2]?.firstChild);
  mark.className = '';
  write(mark, text);
}

/** @param {HTMLTableRowElement} row */
const linkOf = (row) => /** @type {HTMLAnchorElement} */ (row.cells[0]?.firstChild);
