import { DatabaseSync, type StatementOptions, type StatementSyncInstance } from '@photostructure/sqlite';

import { SUSPECT } from '../../src/inbox/conditions.js';
import { migrate } from '../../src/inbox/sqlite/migrate.js';
import type { VirtualTime } from './virtual-time.js';

/** How long a receiver that doesn't extend its lease counts as alive, in milliseconds. */
export const LEASE_TIME = 15_000;

/** The wall clock at the start. */
const START = Date.UTC(2027, 0, 1);

/** How many of the transactions of a bad time go wrong. */
const FAULTY = 0.7;

/** The row of a delivery, without what was sent. Its media type is its key. A row that was deleted is `deleted`. */
export interface Row {
  readonly id: number;
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly interruptions: number;
  readonly dueAt: number | null;
  readonly receiver: string | null;
  readonly startedAt: number | null;
}

/** What goes wrong with a transaction: nothing is written, or nobody hears what was. */
export type Fault = 'refused' | 'reply lost';

/** As the database has it. Times are virtual. */
interface Lease {
  readonly epoch: number;
  readonly since: number;
  expiresAt: number;
}

const FULL = new Error('database or disk is full');

/** One for all simulations, one after the other: to make the tables and to prepare statements takes longer than a simulation. */
export const tables = new DatabaseSync(':memory:');
const exec = tables.exec.bind(tables);
const prepare = tables.prepare.bind(tables);
const prepared = new Map<string, StatementSyncInstance>();
/** Of the simulation that runs. */
let current: Database;

function openTables(): void {
  migrate(tables, '');
  tables.function('wall', () => BigInt(current.wall()));
  tables.function('suspect_runs', () => Number(current.suspectRuns));
  tables.function('is_abandoned', (receiver: string, own: string) =>
    Number(current.isAbandoned(receiver, own)),
  );
  tables.function('note', { varargs: true }, (...values: unknown[]) => {
    const [id, key, state, attempts, interruptions, dueAt, receiver, startedAt] = values;
    current.changes.push({ id, key, state, attempts, interruptions, dueAt, receiver, startedAt } as Row);
    return null;
  });
  const note = (
    state: string,
    row: string,
  ): string => `SELECT note(${row}.id, ${row}.media_type, ${state}, ${row}.attempts,
    ${row}.interruptions, ${row}.due_at, ${row}.receiver, ${row}.claimed_at)`;
  exec(`
    CREATE TEMP TRIGGER inserted AFTER INSERT ON delivery BEGIN ${note('new.state', 'new')}; END;
    CREATE TEMP TRIGGER updated AFTER UPDATE ON delivery BEGIN ${note('new.state', 'new')}; END;
    CREATE TEMP TRIGGER deleted AFTER DELETE ON delivery BEGIN ${note("'deleted'", 'old')}; END`);
  const prepareOnce = (text: string, options?: StatementOptions): StatementSyncInstance => {
    const statement = prepared.get(text) ?? prepare(text, options);
    if (prepared.size > 300) prepared.clear();
    prepared.set(text, statement);
    return statement;
  };
  const execUnlessFull = (text: string): void => {
    if (current.isFull && text === 'COMMIT') throw FULL;
    exec(text);
  };
  Object.defineProperties(tables, { prepare: { value: prepareOnce }, exec: { value: execUnlessFull } });
}
openTables();

/** Deletes what the simulation before has left. */
function empty(database: Database): void {
  current = database;
  exec(`
    DELETE FROM delivery; DELETE FROM attempt; DELETE FROM event; DELETE FROM act; DELETE FROM sqlite_sequence;
    UPDATE inbox_state SET is_paused = 0, probed_at = NULL`);
  database.changes = [];
}

/**
 * A model of the database: the real statements on SQLite in memory, the leases of receivers that share it, and what goes wrong
 * with it. Whatever changes a delivery, it notes each change itself.
 */
export class Database {
  /** What a transaction has changed. */
  changes: Row[] = [];
  /** How far the wall clock was set, in milliseconds. */
  jump = 0;
  /** Transactions are refused, their replies are lost, everything stands still: until a time. */
  refusesUntil = 0;
  losesUntil = 0;
  standsUntil = 0;
  refusesNext = false;
  /** Whether a cycle sees that a suspect runs. */
  suspectRuns = false;
  /** Whether no commit succeeds. */
  isFull = false;
  readonly #leases = new Map<string, Lease>();
  #epoch = 0;

  /**
   * @param between draws a whole number
   * @param latency the longest way there, or back
   */
  constructor(
    readonly time: VirtualTime,
    private readonly random: {
      between(low: number, high: number): number;
      chance(probability: number): boolean;
    },
    private readonly latency: number,
  ) {
    empty(this);
  }

  /** The wall clock, in milliseconds since 1970. */
  wall(): number {
    return START + this.time.now + this.jump;
  }

  /** When a message arrives, here or back there, that is sent at a time. One that the database holds up comes afterwards. */
  arrival(sentAt = this.time.now): number {
    return Math.max(sentAt, this.standsUntil) + this.random.between(0, this.latency);
  }

  get isPaused(): boolean {
    const { isPaused } = tables.prepare('SELECT is_paused AS isPaused FROM inbox_state').get() as {
      isPaused: number;
    };
    return isPaused === 1;
  }

  /** What goes wrong with the transaction that begins now. */
  drawFault(): Fault | undefined {
    const { now } = this.time;
    const isRefused = this.refusesNext || (now < this.refusesUntil && this.random.chance(FAULTY));
    const isLost = now < this.losesUntil && this.random.chance(FAULTY);
    this.refusesNext = false;
    if (isRefused) return 'refused';
    return isLost ? 'reply lost' : undefined;
  }

  /** Carries a transaction out. Returns undefined if it was refused. Any other error of SQLite is a fault of the receiver. */
  transact<Result>(isRefused: boolean, write: () => Result): Result | undefined {
    this.isFull = isRefused;
    try {
      return write();
    } catch (error) {
      if (error !== FULL) throw error;
      this.changes = [];
      return undefined;
    } finally {
      this.isFull = false;
    }
  }

  nothingGoesWrong(): void {
    this.refusesUntil = this.losesUntil = this.standsUntil = 0;
    this.refusesNext = false;
  }

  /** Who runs a delivery, and since when by the wall clock; undefined if nobody does. */
  findRunning(id: number): { readonly receiver: string; readonly startedAt: number } | undefined {
    const text = `SELECT receiver, claimed_at AS startedAt FROM delivery WHERE id = ? AND state = 'running'`;
    return tables.prepare(text).get(id) as ReturnType<Database['findRunning']>;
  }

  runsSuspect(receiver: string): boolean {
    const text = `SELECT 1 FROM delivery WHERE interruptions >= ${SUSPECT} AND state = 'running' AND receiver = ?`;
    return tables.prepare(text).get(receiver) !== undefined;
  }

  /** Gives a receiver a new lease. Returns its epoch: those before are lost. */
  takeLease(receiver: string): number {
    const { now } = this.time;
    this.#epoch += 1;
    this.#leases.set(receiver, { epoch: this.#epoch, since: now, expiresAt: now + LEASE_TIME });
    return this.#epoch;
  }

  /** @param epoch undefined for any */
  hasLease(receiver: string, epoch?: number): boolean {
    const lease = this.#leases.get(receiver);
    return lease !== undefined && lease.expiresAt > this.time.now && (epoch ?? lease.epoch) === lease.epoch;
  }

  extendLease(receiver: string): void {
    this.#leases.get(receiver)!.expiresAt = this.time.now + LEASE_TIME;
  }

  giveLeaseBack(receiver: string): void {
    this.#leases.delete(receiver);
  }

  /** As in lease.ts: a lease that has lapsed only counts once the one who asks has been back for as long. */
  isAbandoned(receiver: string, own: string): boolean {
    if (this.hasLease(receiver)) return false;
    const since = this.#leases.get(own)?.since ?? Infinity;
    return !this.#leases.has(receiver) || since < this.time.now - LEASE_TIME;
  }
}
