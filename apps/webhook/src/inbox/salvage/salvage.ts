import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { HeaderField } from '../header-field.js';
import type { DeliveryState } from '../inbox-operations.js';
import { readLastAccepted } from '../last-accepted.js';
import { INBOX_FILES } from '../open-database.js';
import { type PageVersion, SqlitePages } from './sqlite-pages.js';
import { type Row, rowsOf, type Value } from './sqlite-rows.js';
import { isWhole } from './sqlite-tables.js';

/** `unknown` if what says it is damaged: the delivery was handled, or still waits, or is parked. */
export type SalvagedState = DeliveryState | 'unknown';

/** A delivery that can be read from the files of an inbox. */
export interface SalvagedDelivery {
  readonly id: number;
  /** ISO 8601, in UTC. */
  readonly receivedAt: string;
  readonly state: SalvagedState;
  readonly failures: number;
  /** Of the last attempt that failed. */
  readonly error: string | null;
  /** Why an operator discarded it. */
  readonly reason: string | null;
  readonly eventId: string | null;
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  /** None if they are damaged, or if it was stored before fields were. */
  readonly fields: readonly HeaderField[];
  /** In base64. */
  readonly content: string;
}

/** Ids, from the first to the last. */
export type IdRange = readonly [first: number, last: number];

/** What of an inbox can be read. */
export interface Salvage {
  /** The deliveries, in the order of their ids. To be read once. */
  readonly deliveries: Iterable<SalvagedDelivery>;
  /** Call it after the last delivery. */
  missing(): Missing;
  close(): void;
}

/** Deliveries that the inbox has had and that weren't found. */
export interface Missing {
  /** How many that had been handled: they were deleted, or can't be read. */
  readonly handled: number;
  /** All others, which can't be read. If what says which were handled is damaged, those that were are among them. */
  readonly unhandled: readonly IdRange[];
}

type Outcome = Pick<SalvagedDelivery, 'state' | 'failures' | 'error' | 'reason'>;

/** The columns of each table after its first versions; a row has those that its table had when it was written. */
const DELIVERY = /^nit[nt][nt]b[nt]{0,2}$/;
const PROGRESS = /^i(ii)?$/;
/** Also a row of the backlog of version 1 or 2 that has an error. */
const PARKED = /^niit$/;
const BACKLOG = /^nii(n|[nt]i)$/;
const DISCARDED = /^niiitt$/;

/** The tables of the outcomes. */
const OUTCOME_TABLES = ['backlog', 'parked', 'discarded'];

/**
 * Finds the deliveries in the files of an inbox, page by page: rows are found also if what leads to them is damaged.
 * The files are only read.
 *
 * @param folder of an inbox that no receiver uses
 * @returns undefined if the folder has no inbox
 */
export function salvage(folder: string): Salvage | undefined {
  const file = join(folder, INBOX_FILES.database);
  if (!existsSync(file) && !existsSync(`${file}-wal`)) return undefined;
  const pages = new SqlitePages(file);
  const found = findRows(pages);
  const ids = [...found.pageOf.keys()].sort((one, other) => one - other);
  const last = Math.max(readLastAccepted(join(folder, INBOX_FILES.lastAccepted)), found.lastId);
  const read: number[] = [];
  return {
    deliveries: (function* () {
      for (const id of ids) {
        const delivery = readDelivery(pages, found, id);
        if (delivery === undefined) continue;
        read.push(id);
        yield delivery;
      }
    })(),
    missing: () => missingOf(read, last, found),
    close: () => pages.close(),
  };
}

interface Found {
  /** The page that has a delivery. */
  readonly pageOf: ReadonlyMap<number, PageVersion>;
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** Everything up to this id that is in none of the outcomes was handled. Undefined if that isn't known. */
  readonly handledThrough: number | undefined;
  /** The largest id that a row mentions. */
  readonly lastId: number;
}

function findRows(pages: SqlitePages): Found {
  const pageOf = new Map<number, PageVersion>();
  const outcomes = new Map<number, Outcome>();
  let handledThrough: number | undefined;
  let lastId = 0;
  for (const page of pages.inUse()) {
    const { number, isCommitted } = page;
    const version = { number, isCommitted };
    for (const row of rowsOf(pages, page)) {
      if (DELIVERY.test(row.shape)) {
        if (!pageOf.has(row.id)) pageOf.set(row.id, version);
      } else if (!isCommitted) continue;
      else if (PARKED.test(row.shape)) outcomes.set(row.id, outcomeOf('parked', row));
      else if (BACKLOG.test(row.shape)) outcomes.set(row.id, outcomeOf('waiting', row));
      else if (DISCARDED.test(row.shape)) outcomes.set(row.id, discardedOutcomeOf(row));
      else if (PROGRESS.test(row.shape) && row.id === 1) handledThrough = numberIn(row.values()?.[0]);
      else continue;
      if (!PROGRESS.test(row.shape)) lastId = Math.max(lastId, row.id);
    }
  }
  lastId = Math.max(lastId, handledThrough ?? 0);
  if (!isWhole(pages, OUTCOME_TABLES)) handledThrough = undefined;
  return { pageOf, outcomes, handledThrough, lastId };
}

function outcomeOf(state: SalvagedState, row: Row): Outcome {
  const [, , failures, error] = row.values() ?? [];
  return { state, failures: numberIn(failures) ?? 0, error: textIn(error), reason: null };
}

function discardedOutcomeOf(row: Row): Outcome {
  const [, , , failures, error, reason] = row.values() ?? [];
  return {
    state: 'discarded',
    failures: numberIn(failures) ?? 0,
    error: textIn(error),
    reason: textIn(reason),
  };
}

function readDelivery(pages: SqlitePages, found: Found, id: number): SalvagedDelivery | undefined {
  const version = found.pageOf.get(id)!;
  const page = { ...version, bytes: pages.read(version)! };
  const row = rowsOf(pages, page).find((one) => one.id === id && DELIVERY.test(one.shape));
  const values = row?.values();
  if (values === undefined) return undefined;
  const [, receivedAt, method, mediaType, contentEncoding, content, eventId, fields] = values;
  const date = new Date(numberIn(receivedAt) ?? NaN);
  return {
    id,
    receivedAt: (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString(),
    ...stateOf(found, id),
    eventId: textIn(eventId),
    method: textIn(method) ?? '',
    mediaType: textIn(mediaType),
    contentEncoding: textIn(contentEncoding),
    fields: fieldsIn(fields),
    content: (content as Buffer).toString('base64'),
  };
}

function stateOf({ outcomes, handledThrough }: Found, id: number): Outcome {
  const outcome = outcomes.get(id);
  if (outcome !== undefined) return outcome;
  if (handledThrough === undefined) return { state: 'unknown', failures: 0, error: null, reason: null };
  return { state: id > handledThrough ? 'waiting' : 'handled', failures: 0, error: null, reason: null };
}

/** @param read in order */
function missingOf(read: readonly number[], last: number, { outcomes, handledThrough = 0 }: Found): Missing {
  const there = new Set(read);
  const unhandled = [...outcomes]
    .filter(([id, { state }]) => state !== 'discarded' && id <= handledThrough && !there.has(id))
    .map(([id]): IdRange => [id, id])
    .sort(([one], [other]) => one - other);
  let handled = -unhandled.length;
  let next = 1;
  for (const id of [...read, last + 1]) {
    handled += Math.max(0, Math.min(id - 1, handledThrough) - next + 1);
    const firstUnhandled = Math.max(next, handledThrough + 1);
    if (firstUnhandled < id) unhandled.push([firstUnhandled, id - 1]);
    next = id + 1;
  }
  return { handled, unhandled };
}

const numberIn = (value: Value | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

const textIn = (value: Value | undefined): string | null =>
  Buffer.isBuffer(value) ? value.toString() : null;

function fieldsIn(value: Value | undefined): HeaderField[] {
  try {
    return JSON.parse(textIn(value) ?? '[]') as HeaderField[];
  } catch {
    return [];
  }
}
