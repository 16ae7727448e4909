import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Delivery } from '@plant-store/handler';

import { type KeyedDelivery, SENT } from './delivery.js';
import type { Sql } from './sql.js';

/** A name for a receiver: host, process id, and what no other start has. */
export function nameReceiver(): string {
  return `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;
}

/** A row, by the names of its columns. Whole numbers are numbers, contents are bytes. */
export type Row = Readonly<Record<string, unknown>>;

/** The values of an arrival in the order of `SENT`: header fields are stored as JSON. */
export type SentValues = readonly (string | null)[];

const SENT_NAMES = Object.keys(SENT) as (keyof typeof SENT)[];

/** Where the identifier of the event is in {@link SentValues}. */
export const EVENT_ID = SENT_NAMES.indexOf('eventId');

export function sentValues(delivery: KeyedDelivery): SentValues {
  return SENT_NAMES.map((name) => (name === 'fields' ? JSON.stringify(delivery.fields) : delivery[name]));
}

/** Of an attempt that failed, what its transition stores. */
export type Failure = readonly [error: string, errorGroup: string, stack: string | null, duration: number];

/** The transition of an attempt that has ended, and its values. It applies to this attempt, and to no later one. */
export type Result =
  | readonly [transition: 'complete' | 'release', id: number, startedAt: number]
  | readonly [transition: 'retry', id: number, startedAt: number, ...Failure, wait: number]
  | readonly [transition: 'park', id: number, startedAt: number, ...Failure];

/** What goes into one cycle. */
export interface CycleInput {
  readonly arrivals: readonly KeyedDelivery[];
  readonly results: readonly Result[];
  /** Whether more may be due: all the room is for that. Otherwise only as much as the arrivals need. */
  readonly polls: boolean;
}

/** What became of a cycle that is committed. */
export interface CycleOutcome {
  /** When it was committed, by the clock of the store, in milliseconds since 1970. */
  readonly at: number;
  /** Results that were not applied, because somebody has their rows locked. They stay for the next cycle. */
  readonly locked: readonly Result[];
  /** For each arrival, in its order. */
  readonly stored: readonly Stored[];
  /** What was due and runs now, in the order in which it was due. */
  readonly claimed: readonly Delivery[];
  /** Milliseconds until more is due, 0 if it is already; undefined if only an arrival or a result changes that. */
  readonly nextDueIn: number | undefined;
  /** More was due than there was room for. */
  readonly isStarved: boolean;
  /** By which it has claimed. */
  readonly lease: HeldLease;
}

/** What a receiver has as long as nobody else adopts what it runs. */
export interface HeldLease {
  /** Whether that is certain. What was claimed by a lease that isn't held must not begin. */
  isHeld(): boolean;
}

/** A delivery that is stored: with its event's first delivery, if there is one already. */
export interface Stored {
  readonly id: number;
  /** Whether it was inserted as `running`. */
  readonly runs: boolean;
}

/**
 * How many more deliveries may run: the dispatcher adds, and the cycle that lets one run subtracts. It is shared with the
 * store's thread, so that cycles overlap and none lets too many run.
 */
export class Room {
  constructor(readonly shared = new Int32Array(new SharedArrayBuffer(4))) {}

  get free(): number {
    return Math.max(0, Atomics.load(this.shared, 0));
  }

  /** @param places may be negative */
  add(places: number): void {
    Atomics.add(this.shared, 0, places);
  }

  /** Takes some of what is free, at most so many. */
  take(most: number): number {
    const places = Math.min(this.free, most);
    this.add(-places);
    return places;
  }

  /** No more, whatever is added. */
  close(): void {
    Atomics.store(this.shared, 0, -0x4000_0000);
  }
}

/** What the two databases call by different names. */
export interface Dialect {
  /** In front of the name of a table. */
  readonly schema: Sql;
  /** The time, in milliseconds since 1970, by the clock of the store. */
  readonly now: () => Sql;
  /** Behind a selection: locks its rows, and waits for those that are locked, or leaves them out. */
  readonly lock: Sql;
  readonly lockFree: Sql;
  /** A condition: the receiver that runs a delivery, or carries an act out, isn't alive. */
  readonly isAbandoned: Sql;
  /** A condition behind a column: it is among the values of a selection, which is run first. */
  readonly isAmong: (selection: Sql) => Sql;
  /**
   * A statement that takes the turn of changing many deliveries until the transaction ends, unless another receiver has it,
   * and a condition in the statements behind it: it was taken.
   */
  readonly takeTurn: Sql;
  readonly hasTurn: Sql;
  /**
   * Statements that change the rows of a selection of deliveries, which has the columns `id`, `act` and `state`. They find
   * it as `part`, as it was before the first of them.
   */
  readonly withPart: (selection: Sql, ...changes: readonly [...Sql[], Sql]) => readonly Sql[];
  /** Where a column has a value, from 1; 0 if it hasn't. Both are texts, or both are bytes. */
  readonly position: (column: Sql, value: unknown) => Sql;
}

/**
 * A database with the tables of an inbox. The inbox knows when to write and what, a store how: how to open a database, run
 * a cycle in one transaction, and who else is alive.
 *
 * Writes reject with the ReceiverError `INBOX_WRITE_FAILED`, reads with `INBOX_UNUSABLE`, and everything with
 * `INBOX_CLOSED` after the store was closed.
 */
export interface Store {
  /** Where it is, for people. It has no credentials. */
  readonly location: string;
  /** Names this process, see {@link nameReceiver}. */
  readonly receiver: string;
  readonly dialect: Dialect;
  readonly room: Room;
  /** How often to poll for what other receivers have changed, in milliseconds; undefined if there are none. */
  readonly pollInterval: number | undefined;
  /** How many cycles may be under way now. A store may take what was called meanwhile into one transaction. */
  readonly maxCycles: number;
  /**
   * Opens the database, and brings its tables to the version of this receiver. Until it resolves, everything else but `close`
   * rejects with the ReceiverError `INBOX_OPENING`.
   *
   * @throws ReceiverError `INBOX_IN_USE`, `INBOX_UNUSABLE`, `INBOX_DAMAGED`, or `INBOX_CLOSED` if it is closed meanwhile;
   * nothing is then left open
   */
  open(): Promise<void>;
  /**
   * Applies results, claims what is due while there is room, and inserts arrivals: those for which room is left run at
   * once. While the handler is paused, nothing begins to run. One transaction, durable when it resolves.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`; nobody knows what was written
   */
  cycle(input: CycleInput): Promise<CycleOutcome>;
  /**
   * Makes sure that all is there that this version needs.
   *
   * @throws ReceiverError with what is missing
   */
  check(): Promise<void>;
  /** Does with an arrival all that {@link cycle} does, undoes it, and makes something else durable. Ids may be skipped. */
  probeWrite(arrival: KeyedDelivery): Promise<void>;
  /**
   * Runs statements in one transaction, when those that were called before have ended: what a receiver has inserted last is
   * its own. Returns the rows of the last one.
   */
  run(...statements: readonly Sql[]): Promise<readonly Row[]>;
  /** Runs a statement that only reads, beside the writes. */
  read(statement: Sql): Promise<readonly Row[]>;
  /** What the inbox takes on its disk, and how much of that is in use, and free for new rows, in bytes. */
  size(): Promise<{ readonly onDisk: number; readonly inUse: number; readonly free: number }>;
  /**
   * Empties the write-ahead log, which still has what was deleted.
   *
   * @returns false if it still has: somebody reads. Call it again.
   */
  emptyLog(): Promise<boolean>;
  close(): Promise<void>;
}
