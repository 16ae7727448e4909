import type { ListedDelivery } from '../../inbox/inbox-operations.js';
import { shownText } from '../../inbox/shown-text.js';
import { MAX_SEARCH_DURATION } from '../deliveries.js';
import { type Found, foundIn } from './content.js';
import type { Look } from './look.js';
import { filterOf, isNewest } from './place.js';

/** Deliveries on a page. */
export const ROWS = 50;

/** New deliveries are counted up to here. */
export const MOST_NEW = 100;

/** A page of the list. */
export interface Rows {
  /** Those with nothing but an id were deleted while somebody looked at them. */
  readonly deliveries: readonly (ListedDelivery | Pick<ListedDelivery, 'id'>)[];
  /** There are more below this id, or may be. */
  readonly older?: number | undefined;
  /** Whether there are newer ones than these. */
  readonly hasNewer: boolean;
  /** How many would be above the first row, if the page began with the newest. */
  readonly newCount: number;
  /** What a search has found in them, by their ids. */
  readonly found: ReadonlyMap<number, Found>;
}

/** Reads the page of the list that a place shows. Above the newest page there is none, so that one is shown instead. */
export async function readRows(look: Look): Promise<Rows> {
  const { place } = look;
  const rows = await (place.rows !== undefined
    ? keptRows(look, place.rows)
    : place.text !== undefined
      ? search(look, place.text)
      : page(look));
  const found = place.text === undefined ? new Map<number, Found>() : await foundRows(look, rows, place.text);
  return { newCount: 0, ...rows, found };
}

type Read = Omit<Rows, 'found' | 'newCount'> & Partial<Pick<Rows, 'newCount'>>;

/** The rows that a browser shows, which stay where they are, and how many there are above them. */
async function keptRows({ inbox, place }: Look, ids: readonly number[]): Promise<Read> {
  const isCounted = isNewest(place) && place.text === undefined;
  const [kept, newer] = await Promise.all([
    ids.length === 0 ? [] : inbox.list({ ids }, { order: 'newest first', limit: ids.length }),
    isCounted
      ? inbox.list(
          { ...filterOf(place), firstId: Math.max((ids[0] ?? 0) + 1, place.firstId ?? 1) },
          { order: 'newest first', limit: MOST_NEW },
        )
      : [],
  ]);
  const byId = new Map(kept.map((delivery) => [delivery.id, delivery]));
  const deliveries = ids.map((id) => byId.get(id) ?? { id });
  return { deliveries, hasNewer: !isNewest(place), newCount: newer.length };
}

async function search({ inbox, place }: Look, text: string): Promise<Read> {
  const { deliveries, next } = await inbox.search({
    text,
    filter: filterOf(place),
    limit: ROWS,
    maxDuration: MAX_SEARCH_DURATION,
    ...(place.olderThan !== undefined && { after: place.olderThan }),
  });
  return { deliveries, older: next, hasNewer: place.olderThan !== undefined };
}

async function page({ inbox, place }: Look): Promise<Read> {
  const filter = filterOf(place);
  const { newerThan, olderThan } = place;
  if (newerThan !== undefined) {
    const found = await inbox.list(filter, { order: 'oldest first', after: newerThan, limit: ROWS + 1 });
    const deliveries = found.slice(0, ROWS).reverse();
    if (found.length > ROWS) return { deliveries, older: deliveries.at(-1)?.id, hasNewer: true };
  }
  const after = olderThan === undefined ? {} : { after: olderThan };
  const found = await inbox.list(filter, { order: 'newest first', ...after, limit: ROWS + 1 });
  const deliveries = found.slice(0, ROWS);
  return {
    deliveries,
    older: found.length > ROWS ? deliveries.at(-1)?.id : undefined,
    hasNewer: olderThan !== undefined,
  };
}

/** Where a text is in each row. */
async function foundRows({ inbox }: Look, rows: Read, text: string): Promise<ReadonlyMap<number, Found>> {
  const ids = rows.deliveries.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { deliveries } = await inbox.read({ filter: { ids }, after: 0, limit: ids.length });
  const entries = deliveries.map(({ id, content, fields, eventId, key, error }) => {
    const places = [
      ['content', Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString()],
      ...fields.map(([name, value]) => ['header', `${name}: ${shownText(value)}`] as const),
      ...([
        ['event', eventId],
        ['key', key],
        ['error', error],
      ] as const),
    ] as const;
    return [id, foundIn(places, text)] as const;
  });
  return new Map(entries.filter((entry): entry is [number, Found] => entry[1] !== undefined));
}
