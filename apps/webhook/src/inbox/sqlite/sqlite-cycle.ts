import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Delivery } from '@plant-store/handler';

import { CLAIMED, claimedRow, SENT_COLUMNS, withSent } from '../columns.js';
import { DUE, MAX_BYTES, SUSPECTED } from '../conditions.js';
import {
  type CycleInput,
  type CycleOutcome,
  EVENT_ID,
  type HeldLease,
  type Result,
  type Room,
  type Row,
  type SentValues,
  sentValues,
  type Stored,
} from '../store.js';
import { ACCEPTED, transition } from '../transitions.js';
import { inTransaction } from './open-database.js';

/** Rows as arrays: the names in each would cost a quarter as much again. */
const AS_ARRAYS = { returnArrays: true } as const;

/** Suspects that wait. */
const DUE_SUSPECTED = `${SUSPECTED.text} AND due_at IS NOT NULL`;

const SUSPECT_RUNS = `EXISTS (SELECT 1 FROM delivery WHERE ${SUSPECTED.text} AND due_at IS NULL AND state = 'running')`;

/** One call of a cycle as it passes between threads: arrays, and all contents in one buffer, cost least. */
export interface CycleCall {
  readonly arrivals: readonly SentValues[];
  /** How long the content of each arrival is, in bytes. */
  readonly sizes: readonly number[];
  readonly contents: Uint8Array<ArrayBuffer>;
  readonly results: readonly Result[];
}

export function cycleCall({ arrivals, results }: CycleInput): CycleCall {
  const sizes = arrivals.map(({ content }) => content.length);
  const contents = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let end = 0;
  for (const { content } of arrivals) {
    contents.set(content, end);
    end += content.length;
  }
  return { arrivals: arrivals.map(sentValues), sizes, contents, results };
}

/** What became of a group of calls in one transaction. */
export interface GroupOutcome extends Pick<CycleOutcome, 'at' | 'nextDueIn' | 'isStarved'> {
  /** For each call: its arrivals. */
  readonly stored: readonly (readonly Stored[])[];
  readonly claimed: readonly Row[];
}

/** Nobody else can have the inbox open. */
const ALONE: HeldLease = { isHeld: () => true };

/** The outcome of each call. What was claimed is in that of the last one, which comes last. */
export function outcomesOf({ stored, claimed, ...outcome }: GroupOutcome): CycleOutcome[] {
  const deliveries = claimed.map((row) => withSent<Delivery>(row));
  return stored.map((of, index) => ({
    locked: [],
    lease: ALONE,
    stored: of,
    claimed: index === stored.length - 1 ? deliveries : [],
    ...outcome,
  }));
}

/** Runs the cycles of several calls in one transaction. `now` is in milliseconds since 1970. */
export type RunCycle = (calls: readonly CycleCall[], now: number) => GroupOutcome;

/** What a transaction has written, and of how much of the room it makes use. */
interface Written {
  readonly outcome: GroupOutcome;
  readonly taken: number;
}

/** Does with a call what a cycle does, undoes it, and makes something else durable. */
export type Probe = (call: CycleCall, now: number) => void;

/**
 * Prepares the statements of a cycle. A statement for each row is faster in SQLite than one for all.
 *
 * @param receiver names this process
 * @param room how many may run; what runs is subtracted once it is committed
 * @param suspectRuns a condition: no other suspect may run
 */
export function prepareCycle(
  database: DatabaseSyncInstance,
  receiver: string,
  room: Room,
  suspectRuns = SUSPECT_RUNS,
): { readonly run: RunCycle; readonly probe: Probe } {
  const applyResult = prepareResults(database);
  const accept = prepareAccept(database, receiver);
  const claim = prepareClaim(database, receiver);
  const ask = prepareWaiting(database, suspectRuns);
  const findSuspects = prepareFind(database, DUE_SUSPECTED);
  const findOthers = prepareFind(database, DUE.text);

  const claimDue = ({ others, suspects }: Waiting, now: number, limit: number): Row[] => {
    const isDue = (time: number | null): boolean => time !== null && time <= now;
    const ids = isDue(suspects) ? findSuspects(now, 1) : [];
    if (isDue(others)) ids.push(...findOthers(now, limit - ids.length));
    return ids.map((id) => claim(id, now));
  };

  const write = (calls: readonly CycleCall[], now: number, places: number): Written => {
    for (const { results } of calls) for (const result of results) applyResult(result, now);
    const before = ask();
    const most = before.isPaused ? 0 : places;
    let left = most;
    // What is due comes first: an arrival runs only if nothing waits before it.
    const claimed = left > 0 ? claimDue(before, now, left) : [];
    left -= claimed.length;
    const stored = calls.map(({ arrivals, sizes, contents }) => {
      let end = 0;
      return arrivals.map((values, index) => {
        const one = accept(values, contents.subarray(end, (end += sizes[index]!)), now, left > 0);
        if (one.runs) left -= 1;
        return one;
      });
    });
    const nextDueIn = dueIn(ask(), now);
    const isStarved = left <= 0 && nextDueIn === 0;
    return { outcome: { at: now, stored, claimed, nextDueIn, isStarved }, taken: most - left };
  };

  const noteProbe = database.prepare('UPDATE inbox_state SET probed_at = ?');

  return {
    run: (calls, now) => {
      const { outcome, taken } = inTransaction(database, () => write(calls, now, room.free));
      room.add(-taken);
      return outcome;
    },
    probe: (call, now) =>
      inTransaction(database, () => {
        database.exec('SAVEPOINT probe');
        write([call], now, 0);
        database.exec('ROLLBACK TO probe; RELEASE probe');
        noteProbe.run(now);
      }),
  };
}

/** Applies the results of attempts. */
function prepareResults(database: DatabaseSyncInstance): (result: Result, now: number) => void {
  const prepare = (name: Parameters<typeof transition>[0]): StatementSyncInstance => {
    const values = { now: '?1', error: '?4', group: '?5', wait: '?6' };
    return database.prepare(
      `UPDATE delivery SET ${transition(name, values)} WHERE id = ?2 AND claimed_at = ?3 AND state = 'running'`,
    );
  };
  const complete = prepare('complete');
  const release = prepare('release');
  const retry = prepare('retry');
  const park = prepare('park');
  // Of the attempts of a delivery, the first and the last nine are kept, the one that follows included.
  const prune = database.prepare(`
    DELETE FROM attempt WHERE delivery = ?1
      AND id > (SELECT min(id) FROM attempt WHERE delivery = ?1)
      AND id <= (SELECT id FROM attempt WHERE delivery = ?1 ORDER BY id DESC LIMIT 1 OFFSET 8)`);
  const addAttempt = database.prepare(`
    INSERT INTO attempt (delivery, number, started_at, duration, receiver, error, stack)
    SELECT id, attempts, claimed_at, ?2, receiver, error, ?3 FROM delivery WHERE id = ?1`);

  return (result, now) => {
    if (result[0] === 'complete') return void complete.run(now, result[1], result[2]);
    if (result[0] === 'release') return void release.run(now, result[1], result[2]);
    const [name, id, startedAt, error, group, stack, duration, wait] = result;
    const { changes } =
      name === 'retry'
        ? retry.run(now, id, startedAt, error, group, wait)
        : park.run(now, id, startedAt, error, group);
    if (changes === 0) return;
    prune.run(id);
    addAttempt.run(id, duration, stack);
  };
}

/** Inserts an arrival, unless its event has a delivery already. */
function prepareAccept(
  database: DatabaseSyncInstance,
  receiver: string,
): (values: SentValues, content: Uint8Array, now: number, runs: boolean) => Stored {
  const findEvent = database.prepare('SELECT delivery FROM event WHERE key = ?', AS_ARRAYS);
  const insertEvent = database.prepare('INSERT INTO event (key, delivery, received_at) VALUES (?, ?, ?)');
  const values = Array.from({ length: 7 + SENT_COLUMNS.length }, () => '?').join(', ');
  const insert = database.prepare(`INSERT INTO delivery (${ACCEPTED}) VALUES (${values})`);
  return (sent, content, now, runs) => {
    const eventId = sent[EVENT_ID] ?? null;
    const [first] = eventId === null ? [] : (findEvent.all(eventId) as [number][]);
    if (first !== undefined) return { id: first[0], runs: false };
    const state = runs ? ['running', 1, now, null, now, receiver] : ['waiting', 0, now, now, null, null];
    const id = Number(insert.run(...state, ...sent, content).lastInsertRowid);
    if (eventId !== null) insertEvent.run(eventId, id, now);
    return { id, runs };
  };
}

/** Not with `RETURNING`, for which SQLite makes a table each time. */
function prepareClaim(database: DatabaseSyncInstance, receiver: string): (id: number, now: number) => Row {
  const claim = database.prepare(
    `UPDATE delivery SET ${transition('claim', { now: '?1', receiver: '?2' })} WHERE id = ?3`,
  );
  const select = database.prepare(`SELECT ${CLAIMED} FROM delivery WHERE id = ?`, AS_ARRAYS);
  return (id, now) => {
    claim.run(now, receiver, id);
    return claimedRow(select.get(id) as unknown[]);
  };
}

/** What a cycle asks the database before it claims, and when it has written. */
interface Waiting {
  readonly isPaused: boolean;
  /** When the first one is due; null if nothing waits. */
  readonly others: number | null;
  /** The same of suspects; null while one runs. */
  readonly suspects: number | null;
}

/** In one statement, and with `get`: each statement, and each list of rows, costs microseconds. */
function prepareWaiting(database: DatabaseSyncInstance, suspectRuns: string): () => Waiting {
  const firstDue = (index: string): string => `(SELECT min(due_at) FROM delivery WHERE ${index})`;
  const select = database.prepare(
    `SELECT is_paused, ${firstDue(DUE.text)}, ${firstDue(DUE_SUSPECTED)}, ${suspectRuns} FROM inbox_state`,
    AS_ARRAYS,
  );
  return () => {
    const row = select.get() as [number, number | null, number | null, number] | undefined;
    if (row === undefined) throw new Error('inbox_state has no row');
    const [isPaused, others, suspects, isOneRunning] = row;
    return { isPaused: isPaused === 1, others, suspects: isOneRunning === 1 ? null : suspects };
  };
}

/** Milliseconds until more is due; undefined if nothing waits, or the handler is paused. */
function dueIn({ isPaused, others, suspects }: Waiting, now: number): number | undefined {
  const first = Math.min(others ?? Infinity, suspects ?? Infinity);
  return isPaused || first === Infinity ? undefined : Math.max(0, first - now);
}

/** Finds some that are due: fewer than the limit if their contents are large. */
function prepareFind(
  database: DatabaseSyncInstance,
  index: string,
): (now: number, limit: number) => number[] {
  const select = database.prepare(
    `SELECT id, length(content) FROM delivery WHERE ${index} AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
    AS_ARRAYS,
  );
  return (now, limit) => {
    const found = select.all(now, limit) as [number, number][];
    let bytes = 0;
    const end = found.findIndex(([, size]) => (bytes += size) > MAX_BYTES);
    return (end === -1 ? found : found.slice(0, Math.max(1, end))).map(([id]) => id);
  };
}
