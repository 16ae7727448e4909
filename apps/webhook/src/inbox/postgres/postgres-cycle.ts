import { performance } from 'node:perf_hooks';

import type pg from 'pg';
import type { Delivery } from '@plant-store/handler';

import { CLAIMED, SENT_COLUMNS, withSent } from '../columns.js';
import type { KeyedDelivery } from '../delivery.js';
import { type CycleInput, type CycleOutcome, type Result, sentValues } from '../store.js';
import { queryAlone } from './connect.js';
import { withoutWarning } from './durable.js';
import type { Lease } from './lease.js';

/** How many values `cycle_11` takes of its receiver, of results, and of arrivals, and how many it returns. */
const VALUES = 4 + 4 + 7 + SENT_COLUMNS.length + 3;
const OUTCOME = 8;

const CYCLE = `CALL plant_store.cycle_11(${[
  ...Array.from({ length: VALUES }, (_, index) => `$${index + 1}`),
  ...Array.from({ length: OUTCOME }, () => 'NULL'),
].join(', ')})`;

const FETCH = `SELECT ${CLAIMED} FROM unnest($1::bigint[]) WITH ORDINALITY AS claimed (claimed_id, place)
  JOIN plant_store.delivery ON id = claimed_id ORDER BY place`;

/** What `cycle_11` returns. All are null if the lease is lost. */
interface CycleRow {
  readonly at: number | null;
  readonly locked: readonly number[];
  readonly stored: readonly number[];
  readonly started: readonly number[];
  readonly claimed: readonly number[];
  readonly due_in: number | null;
  readonly is_starved: boolean;
  readonly work: number;
}

/** What became of a cycle, with the ids of what was claimed. */
type Committed = Omit<CycleOutcome, 'claimed'> & {
  readonly claimed: readonly number[];
  /** How long neither the server nor this process worked: it was on its way, or waited for the disk. In milliseconds. */
  readonly latency: number;
};

/** What a cycle may let run. */
export interface Allowed {
  readonly places: number;
  readonly suspect: boolean;
}

/**
 * Runs a cycle by one statement, which is a transaction.
 *
 * @param query runs a statement; in a transaction that has begun, another one
 * @returns undefined if the lease is lost; then nothing is written
 */
export async function runCycle(
  client: pg.ClientBase,
  lease: Lease,
  { places, suspect }: Allowed,
  { arrivals, results }: CycleInput,
  query: typeof queryAlone = queryAlone,
): Promise<Committed | undefined> {
  const before = performance.eventLoopUtilization();
  const values = [lease.receiver, lease.epoch, places, suspect];
  const { rows } = await withoutWarning(client, () =>
    query<CycleRow>(client, CYCLE, [...values, ...resultValues(results), ...arrivalValues(arrivals)]),
  );
  const { at, locked, stored, started, claimed, due_in, is_starved, work } = rows[0]!;
  if (at === null) return undefined;
  // Of two deliveries of an event, the first runs.
  const starting = new Set(started);
  const isLocked = new Set(locked);
  return {
    at,
    locked: results.filter(([, id]) => isLocked.has(id)),
    stored: stored.map((id) => ({ id, runs: starting.delete(id) })),
    claimed,
    nextDueIn: due_in ?? undefined,
    isStarved: is_starved,
    latency: performance.eventLoopUtilization(before).idle - work,
    lease,
  };
}

/** What was claimed, in the order of the ids. */
export async function fetchClaimed(client: pg.ClientBase, ids: readonly number[]): Promise<Delivery[]> {
  if (ids.length === 0) return [];
  const { rows } = await client.query<Record<string, unknown>>(FETCH, [ids]);
  return rows.map((row) => withSent<Delivery>(row));
}

function resultValues(results: readonly Result[]): unknown[] {
  const of = (...names: Result[0][]): Result[] => results.filter(([name]) => names.includes(name));
  return [
    ...columns(of('complete'), 1, 2),
    ...columns(of('release'), 1, 2),
    ...columns(of('retry', 'park'), 1, 7),
  ];
}

/** Contents go one behind the other: an array of them would be text, which is twice as long. */
function arrivalValues(arrivals: readonly KeyedDelivery[]): unknown[] {
  const sizes = arrivals.map(({ content }) => content.length);
  let end = 1;
  const offsets = sizes.map((size) => (end += size) - size);
  const contents = Buffer.concat(arrivals.map(({ content }) => content));
  return [...columns(arrivals.map(sentValues), 0, SENT_COLUMNS.length - 1), offsets, sizes, contents];
}

/** Each column of rows, from the first to the last. */
function columns(rows: readonly (readonly unknown[])[], first: number, last: number): unknown[][] {
  return Array.from({ length: last - first + 1 }, (_, index) => rows.map((row) => row[first + index]));
}
