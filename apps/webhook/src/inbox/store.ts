import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import type { IncomingDelivery } from './inbox.js';
import type { DeliveryState, FailedAttempt } from './inbox-operations.js';

/** A name for a receiver: host, process id, and what no other start has. */
export function nameReceiver(): string {
  return `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;
}

/** A statement, with `$1`, `$2` and so on for its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A row, by the names of its columns. Whole numbers are numbers, contents are bytes. */
export type Row = Readonly<Record<string, unknown>>;

/** A delivery that arrived. */
export interface Arrival extends Omit<IncomingDelivery, 'fields'> {
  /** The header fields as they are stored: in JSON. */
  readonly fields: string;
  readonly receivedAt: number;
  /** Whether the handler gets it at once: it is inserted as `running`, with its first attempt. */
  readonly runs: boolean;
}

/** What became of an attempt, as columns of its delivery. It applies to the attempt that is named, and to no later one. */
export interface ResultRow {
  readonly id: number;
  readonly attempts: number;
  readonly claimedAt: number;
  readonly next: {
    readonly state: DeliveryState;
    readonly attempts: number;
    /** Null for what it was. */
    readonly dueAt: number | null;
    readonly startedAt: number | null;
    readonly endedAt: number | null;
    readonly error: string | null;
    readonly errorGroup: string | null;
  };
  /** A row for the history. */
  readonly failed: FailedAttempt | undefined;
}

/** What goes into one transaction. */
export interface WriteBatch {
  readonly arrivals: readonly Arrival[];
  readonly results: readonly ResultRow[];
}

/** A delivery that is stored: with its event's first delivery, if there is one already. */
export interface Stored {
  readonly id: number;
  /** Whether it was inserted as `running`. */
  readonly runs: boolean;
}

/** What became of each part of a {@link WriteBatch}, in its order. */
export interface WriteOutcome {
  readonly arrivals: readonly (Stored | Error)[];
  /** Undefined if it was stored, or if the attempt isn't the last one any more. */
  readonly results: readonly (Error | undefined)[];
}

/** What the two databases call by different names. */
export interface Dialect {
  /** In front of the name of a table. */
  readonly schema: string;
  /** Behind a selection: locks its rows, and waits for those that are locked, or leaves them out. */
  readonly lock: string;
  readonly lockFree: string;
  /** A condition: the receiver of a running delivery isn't alive. */
  readonly isAbandoned: string;
  /** A content without bytes. */
  readonly noBytes: string;
  /** Where a column has a value, from 1; 0 if it hasn't. Both are texts, or both are bytes. */
  readonly position: (column: string, value: string) => string;
}

/**
 * A database with the tables of an inbox. The core in sql-inbox.ts knows states and statements, a store how to open a
 * database, how to write a batch at once, and who else is alive.
 *
 * Writes reject with the ReceiverError `INBOX_WRITE_FAILED`, reads with `INBOX_UNUSABLE`.
 */
export interface Store {
  /** Where it is, for people. It has no credentials. */
  readonly location: string;
  /** Names this process, see {@link nameReceiver}. */
  readonly receiver: string;
  readonly dialect: Dialect;
  /** How often to look for what other receivers have changed, in milliseconds; undefined if there are none. */
  readonly lookInterval: number | undefined;
  /**
   * Writes in one transaction, durable when it resolves. If it can't, it tries each part alone: one that can't be written
   * doesn't refuse the others. If it rejects, nobody knows what was written.
   */
  write(batch: WriteBatch): Promise<WriteOutcome>;
  /** Runs a statement in a transaction of its own, after the writes that were called before. */
  run(statement: Statement): Promise<readonly Row[]>;
  /** Runs a statement that only reads, beside the writes. */
  read(statement: Statement): Promise<readonly Row[]>;
  /** What the inbox takes on its disk, and how much of that is in use, in bytes. */
  size(): Promise<{ readonly onDisk: number; readonly inUse: number }>;
  close(): Promise<void>;
}
