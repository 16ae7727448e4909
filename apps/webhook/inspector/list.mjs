/**
 * The deliveries that the table shows: a page of at most fifty, however many there are. What somebody looks at stays
 * where it is.
 *
 * @import { DeliverySummary } from '../src/inbox/inbox-operations.js'
 * @import { Place } from './place.mjs'
 */
import { filterOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { redraw } from './ui.mjs';

const ROWS = 50;
/** New deliveries are counted up to here. */
const MOST_NEW = 100;

/**
 * - `place`: the one that was asked for last
 * - `isStale`: the rows are those of another place, because the receiver hasn't responded
 * - `gone`: the rows that the place has no more
 * - `next`: where a search that has stopped goes on, and `hasStopped`, because of its time
 * - `newCount`: how many would be above the first row
 */
export const list = {
  place: /** @type {Place | undefined} */ (undefined),
  rows: /** @type {readonly DeliverySummary[]} */ ([]),
  gone: /** @type {ReadonlySet<number>} */ (new Set()),
  selected: /** @type {ReadonlySet<number>} */ (new Set()),
  isStale: true,
  isFirstPage: false,
  hasOlder: false,
  next: /** @type {number | null} */ (null),
  hasStopped: false,
  newCount: 0,
};

/** @typedef {Pick<typeof list, 'rows' | 'hasOlder' | 'next' | 'hasStopped'> & { place: Place }} Page */

/**
 * Shows the page of a place.
 *
 * @param {Place} place
 * @param {() => boolean} mayMove asked again when the receiver has responded
 * @returns what is shown: above the newest page there is none, so that one is shown instead
 */
export async function showList(place, mayMove = () => true) {
  if (list.place !== place) list.isStale = true;
  list.place = place;
  redraw();
  const page = await readPage(place);
  // Somebody may have gone on meanwhile.
  if (list.place !== place || !mayMove()) return place;
  const isFirstPage = page.place.olderThan === undefined && page.place.newerThan === undefined;
  const ids = new Set(page.rows.map(({ id }) => id));
  const selected = new Set([...list.selected].filter((id) => ids.has(id)));
  Object.assign(list, page, { isStale: false, isFirstPage, selected, gone: new Set(), newCount: 0 });
  redraw();
  return page.place;
}

/** Shows another delivery's details beside the same page. @param {Place} place */
export function keepList(place) {
  list.place = place;
  redraw();
}

/** Shows what has changed. What somebody reads stays where it is. */
export async function refreshList() {
  const { place, rows, isStale, isFirstPage } = list;
  if (place === undefined) return;
  if (isStale) return void (await showList(place));
  // A search takes long. Its page stays until somebody asks again.
  if (isFirstPage && place.text === undefined && isFollowing()) await showList(place, isFollowing);
  // Somebody may have begun to read, or have gone on, meanwhile.
  if (list.rows === rows && !list.isStale) await Promise.all([refreshRows(), countNew()]);
}

/** Whether the page was held back, and nobody looks at it any more. */
export const isReleased = () =>
  (list.newCount > 0 || list.gone.size > 0) && list.place?.text === undefined && isFollowing();

/** Whether the newest delivery is on the page already. @param {number | null} newestId */
export const isUpToDate = (newestId) => list.isFirstPage && list.rows[0]?.id === (newestId ?? undefined);

/** @param {readonly number[]} ids @param {boolean} isSelected */
export function select(ids, isSelected) {
  const selected = new Set(list.selected);
  for (const id of ids) {
    if (isSelected) selected.add(id);
    else selected.delete(id);
  }
  list.selected = selected;
  redraw();
}

/** @param {Place} place @returns {Promise<Page>} */
async function readPage(place) {
  const { text, newerThan, olderThan } = place;
  if (text !== undefined) {
    const page = { after: olderThan, limit: ROWS };
    const { deliveries: rows, next } = await receiver.search(text, filterOf(place), page);
    return { place, rows, hasOlder: false, next, hasStopped: next !== null && rows.length < ROWS };
  }
  const isUp = newerThan !== undefined;
  const found = await receiver.list(filterOf(place), {
    order: isUp ? 'oldest' : 'newest',
    after: newerThan ?? olderThan,
    limit: ROWS + 1,
  });
  const hasMore = found.length > ROWS;
  if (isUp && !hasMore) return readPage({ ...place, newerThan: undefined });
  const rows = found.slice(0, ROWS);
  if (isUp) rows.reverse();
  return { place, rows, hasOlder: isUp || hasMore, next: null, hasStopped: false };
}

/** Whether nobody looks at a part of the table that new deliveries would move. */
function isFollowing() {
  const body = document.querySelector('#rows');
  if (list.rows.length === 0 || body === null) return true;
  return (
    list.place?.delivery === undefined &&
    list.selected.size === 0 &&
    !body.matches(':hover') &&
    !body.contains(document.activeElement) &&
    body.getBoundingClientRect().top >= 0 &&
    document.getSelection()?.isCollapsed !== false
  );
}

/** Takes over the present state of the deliveries in the rows. */
async function refreshRows() {
  const { place, rows } = list;
  if (place === undefined || rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const found = await receiver.list({ ...filterOf(place), ids }, { order: 'newest', limit: ids.length });
  // The page may be another one now.
  if (list.rows !== rows) return;
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  list.gone = new Set(ids.filter((id) => !byId.has(id)));
  list.rows = rows.map((row) => byId.get(row.id) ?? row);
  redraw();
}

async function countNew() {
  const { place, rows, isFirstPage } = list;
  if (place === undefined || !isFirstPage || place.text !== undefined || list.newCount === MOST_NEW) return;
  const highest = rows[0]?.id ?? 0;
  const filter = { ...filterOf(place), firstId: highest + 1 };
  const found = await receiver.list(filter, { order: 'newest', limit: MOST_NEW });
  // The page may have changed meanwhile.
  if (list.place !== place || (list.rows[0]?.id ?? 0) !== highest) return;
  list.newCount = found.length;
  redraw();
}

/** The new ones in words. */
export const newText = () => `Show ${list.newCount < MOST_NEW ? list.newCount : `${MOST_NEW - 1}+`} new`;
