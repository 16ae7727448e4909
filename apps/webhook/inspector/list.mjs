/**
 * The deliveries that the table shows: a page of at most fifty, however many there are. What somebody looks at stays
 * where it is.
 *
 * @import { DeliveryState, ListedDelivery } from '../src/inbox/inbox-operations.js'
 */
import { page } from './page.mjs';
import { addressOf, filterOf, isNewest, listAddressOf } from './place.mjs';
import * as receiver from './receiver.mjs';
import { redraw } from './ui.mjs';

export const ROWS = 50;
/** New deliveries are counted up to here. */
export const MOST_NEW = 100;

/**
 * - `address`: of the list that the rows are from
 * - `gone`: the rows that it has no more
 * - `older`: there are more below this id
 * - `newCount`: how many would be above the first row
 * - `counts`: of each state, within the limits of the place; undefined without any, for the page knows those of all
 */
export const list = {
  address: '',
  rows: /** @type {readonly ListedDelivery[]} */ ([]),
  gone: /** @type {ReadonlySet<number>} */ (new Set()),
  selected: /** @type {ReadonlySet<number>} */ (new Set()),
  older: /** @type {number | null} */ (null),
  newCount: 0,
  counts: /** @type {Record<DeliveryState, number> | undefined} */ (undefined),
};

/** Whether the rows are those of another place, because the receiver hasn't responded. */
export const isStale = () => list.address !== listAddressOf(page.place);

/** How often a page was read. Only the last one is shown. */
let reads = 0;

/**
 * Shows the page of the place. Above the newest page there is none, so that one is shown instead.
 *
 * @param {() => boolean} mayMove asked again when the receiver has responded
 * @returns {Promise<boolean>} whether it is shown
 */
export async function showList(mayMove = () => true) {
  const read = (reads += 1);
  const [{ rows, older, isAbove }, counts] = await Promise.all([readPage(), countStates()]);
  if (read !== reads || !mayMove()) return false;
  if (isAbove) {
    page.place = { ...page.place, newerThan: undefined };
    history.replaceState(null, '', addressOf(page.place));
    return showList(mayMove);
  }
  const selected = new Set(rows.map(({ id }) => id).filter((id) => list.selected.has(id)));
  const address = listAddressOf(page.place);
  Object.assign(list, { address, rows, older, selected, counts, gone: new Set(), newCount: 0 });
  redraw();
  return true;
}

async function countStates() {
  const limits = filterOf({ ...page.place, state: undefined });
  return Object.keys(limits).length > 0 ? receiver.counts(limits) : undefined;
}

/** @returns {Promise<Pick<typeof list, 'rows' | 'older'> & { isAbove?: boolean }>} */
async function readPage() {
  const { text, newerThan, olderThan } = page.place;
  const filter = filterOf(page.place);
  if (text !== undefined) {
    const found = await receiver.search(text, filter, { after: olderThan, limit: ROWS });
    return { rows: found.deliveries, older: found.next };
  }
  const isUp = newerThan !== undefined;
  const order = isUp ? 'oldest' : 'newest';
  const found = await receiver.list(filter, { order, after: newerThan ?? olderThan, limit: ROWS + 1 });
  const hasMore = found.length > ROWS;
  const rows = found.slice(0, ROWS);
  if (isUp) rows.reverse();
  return { rows, older: isUp || hasMore ? (rows.at(-1)?.id ?? null) : null, isAbove: isUp && !hasMore };
}

/** Shows what has changed. What somebody reads stays where it is. */
export async function refreshList() {
  if (isStale()) return void (await showList());
  // A search takes long. Its page stays until somebody asks again.
  if (isFollowed() && (await showList(isFollowed))) return;
  if (!isStale()) await refreshRows();
}

/** Takes over the present state of the deliveries in the rows, and counts those that would be above. */
async function refreshRows() {
  const { rows } = list;
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  const filter = filterOf(page.place);
  const above = { ...filter, firstId: Number(ids[0]) + 1 };
  const [found, newer, counts] = await Promise.all([
    receiver.list({ ...filter, ids }, { order: 'newest', limit: ids.length }),
    hasNewest() ? receiver.list(above, { order: 'newest', limit: MOST_NEW }) : [],
    countStates(),
  ]);
  // The page may be another one now.
  if (list.rows !== rows || isStale()) return;
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  list.gone = new Set(ids.filter((id) => !byId.has(id)));
  list.rows = rows.map((row) => byId.get(row.id) ?? row);
  Object.assign(list, { newCount: newer.length, counts });
  redraw();
}

/** Whether new deliveries belong to the rows. */
const hasNewest = () => isNewest(page.place) && page.place.text === undefined && !isStale();

/** Whether somebody looks at one of the rows: then none may move. */
export function isLookedAt() {
  const body = document.querySelector('#rows');
  if (body === null) return false;
  return (
    page.place.delivery !== undefined ||
    list.selected.size > 0 ||
    body.matches(':hover') ||
    body.contains(document.activeElement) ||
    body.getBoundingClientRect().top < 0 ||
    document.getSelection()?.isCollapsed === false
  );
}

/** Whether new deliveries may move the rows. */
const isFollowed = () => hasNewest() && !isLookedAt();

/** Whether the page was held back, and nobody looks at it any more. */
export const isReleased = () => (list.newCount > 0 || list.gone.size > 0) && isFollowed();

/** Where a range begins. */
let lastSelected = 0;

/** @param {readonly number[]} ids @param {boolean} isSelected @param {boolean} [isRange] from the last one on */
export function select(ids, isSelected, isRange = false) {
  const selected = new Set(list.selected);
  const shown = list.rows.map(({ id }) => id);
  const ends = [lastSelected, ids[0] ?? 0].map((id) => shown.indexOf(id)).sort((one, other) => one - other);
  lastSelected = ids[0] ?? 0;
  for (const id of isRange && ends[0] !== -1 ? shown.slice(ends[0], Number(ends[1]) + 1) : ids) {
    if (isSelected) selected.add(id);
    else selected.delete(id);
  }
  list.selected = selected;
  redraw();
}
