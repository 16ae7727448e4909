import type Database from 'libsql';

import { inboxClosed, ReceiverError } from '../src/errors.js';
import { raw, type Sql, sql } from '../src/inbox/sql.js';
import { inTransaction, runAll } from '../src/inbox/sqlite/open-database.js';
import {
  type CycleCall,
  cycleCall,
  outcomesOf,
  type Performed,
  performTogether,
  prepareCycle,
  type RunCycle,
} from '../src/inbox/sqlite/sqlite-cycle.js';
import { isOfOneRow } from '../src/inbox/sqlite/sqlite-errors.js';
import { DIALECT } from '../src/inbox/sqlite/sqlite-store.js';
import * as port from '../src/inbox/store.js';
import { FULL, type Memory } from './database.js';
import type { ProcessClock, Random, VirtualTime } from './virtual-time.js';

/** What goes wrong with a transaction: nothing is written, or nobody hears what was. */
export type StoreFault = 'refused' | 'reply lost';

/** What a store has of its process, and of the world around that. */
export interface Host {
  readonly receiver: string;
  readonly time: VirtualTime;
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly memory: Memory;
  /** Other receivers have the inbox, too. */
  readonly isShared: boolean;
  /** The clock of the database, in milliseconds since 1970. */
  readonly wall: () => number;
  /** The longest way to the database, and back, in milliseconds. */
  readonly latency: number;
  /** What goes wrong with the transaction that begins now. */
  readonly fault: () => StoreFault | undefined;
  /** A transaction is committed. Nobody has its reply yet. */
  readonly committed: (calls: readonly CycleCall[]) => void;
}

/** What is asked for: a cycle, or statements. */
type Request = CycleCall | readonly Sql[];

const isCycle = (request: Request): request is CycleCall => 'arrivals' in request;

interface Pending {
  readonly request: Request;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Whoever asks a closed store so often asks for ever. */
export const MAX_REFUSED = 1_000;

const POLL_INTERVAL = 1_000;

/**
 * A store on the real statements of SQLite, whose transactions take virtual time.
 *
 * - The embedded inbox: a thread of the process takes all cycles that were called into one transaction.
 * - A model of the shared one: a connection to somewhere else has one transaction under way, and goes on after the end of
 *   the process with what it was sent. Others have theirs between. Who isn't in the table `alive` counts as dead.
 */
export class SimulatedStore implements port.Store {
  readonly location = 'the simulation';
  readonly receiver: string;
  readonly dialect: port.Dialect;
  readonly room = new port.Room();
  readonly pollInterval: number | undefined;
  readonly maxCycles: number;
  /** What a cycle takes from: the room itself in a thread, else as much as it was sent. */
  readonly #places: port.Room;
  readonly #cycle: RunCycle;
  readonly #isOurs: Database.Statement;
  readonly #pending: Pending[] = [];
  #isBusy = false;
  #repliedAt = 0;
  #isClosed = false;
  /** How often it was asked since it was closed. */
  refused = 0;

  constructor(private readonly host: Host) {
    const { isShared, receiver, wall } = host;
    const { database } = host.memory;
    const isAbandoned = isShared ? sql`receiver NOT IN (SELECT name FROM alive)` : DIALECT.isAbandoned;
    this.receiver = receiver;
    this.dialect = { ...DIALECT, isAbandoned, now: () => raw(String(wall())) };
    this.pollInterval = isShared ? POLL_INTERVAL : undefined;
    this.maxCycles = isShared ? 1 : Infinity;
    this.#places = isShared ? new port.Room() : this.room;
    this.#cycle = prepareCycle(database, receiver, this.#places);
    this.#isOurs = database.prepare('SELECT 1 FROM delivery WHERE id = ? AND receiver = ?');
  }

  cycle(input: port.CycleInput): Promise<port.CycleOutcome> {
    return this.#request(cycleCall(input)) as Promise<port.CycleOutcome>;
  }

  run(...statements: readonly Sql[]): Promise<readonly port.Row[]> {
    return this.#request(statements) as Promise<readonly port.Row[]>;
  }

  async read(statement: Sql): Promise<readonly port.Row[]> {
    const { clock, memory } = this.host;
    await new Promise<void>((resolve) => clock.at(clock.now() + this.#delay(), resolve));
    return runAll(memory.database, [statement]);
  }

  async size(): Promise<{ onDisk: number; inUse: number }> {
    return { onDisk: 0, inUse: 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #delay(): number {
    return this.host.random.between(0, this.host.latency);
  }

  #request(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        this.refused += 1;
        if (this.refused < MAX_REFUSED) reject(inboxClosed(this.location));
        return;
      }
      this.#pending.push({ request, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#isBusy || this.#pending.length === 0) return;
    this.#isBusy = true;
    const { time, clock, isShared } = this.host;
    const sent = this.room.free;
    time.at(clock.now() + this.#delay(), () => {
      if (!isShared && !clock.isAlive) return;
      const cycles = this.#pending.findIndex(({ request }) => !isCycle(request));
      const group = isShared || cycles === 0 ? 1 : cycles === -1 ? this.#pending.length : cycles;
      const reply = this.#transact(this.#pending.splice(0, group), sent);
      if (!isShared) this.#next();
      this.#repliedAt = Math.max(this.#repliedAt, time.now + this.#delay());
      clock.at(this.#repliedAt, () => {
        reply();
        if (isShared) this.#next();
      });
    });
  }

  #next(): void {
    this.#isBusy = false;
    this.#begin();
  }

  /** Returns what passes the reply on. */
  #transact(pending: readonly Pending[], sent: number): () => void {
    const fault = this.host.fault();
    const requests = pending.map(({ request }) => request);
    this.host.memory.isFull = fault === 'refused';
    let results = this.#perform(requests, sent);
    this.host.memory.isFull = false;
    const taken = sent - this.#places.free;
    if (fault !== 'refused') this.host.committed(requests.filter(isCycle));
    if (fault === 'reply lost') results = requests.map(() => writeFailed(fault));
    return () => {
      if (this.host.isShared && fault === undefined && isCycle(requests[0]!)) this.room.add(-taken);
      for (const [index, result] of results.entries())
        if (result instanceof Error) pending[index]!.reject(result);
        else pending[index]!.resolve(result);
    };
  }

  /** Returns the result or the error of each request: a group of cycles, or statements. */
  #perform(requests: readonly Request[], sent: number): readonly unknown[] {
    const { wall, isShared } = this.host;
    const [request] = requests;
    if (!isCycle(request!)) return [this.#run(request!)];
    if (isShared) this.#places.add(sent - this.#places.free);
    const calls = requests.filter(isCycle).map((call) => (isShared ? this.#withOwnResults(call) : call));
    return performTogether(this.#cycle, calls, wall).flatMap(resultsOf);
  }

  #run(statements: readonly port.Statement[]): unknown {
    const { database } = this.host.memory;
    try {
      return inTransaction(database, () => runAll(database, statements));
    } catch (error) {
      return failureOf(error);
    }
  }

  /** A receiver changes only what it runs itself: another one may have adopted the rest. */
  #withOwnResults(call: CycleCall): CycleCall {
    const results = call.results.filter(([, id]) => this.#isOurs.all([id, this.receiver]).length > 0);
    return { ...call, results };
  }
}

const writeFailed = (reason: string): ReceiverError =>
  new ReceiverError('INBOX_WRITE_FAILED', `The inbox could not write: ${reason}.`);

function resultsOf(performed: Performed): readonly unknown[] {
  if ('outcome' in performed) return outcomesOf(performed.outcome);
  return Array.from({ length: performed.calls }, () => failureOf(performed.error));
}

/** Any other error of SQLite is a fault of the receiver. */
function failureOf(error: unknown): ReceiverError {
  const failure = writeFailed((error as Error).message);
  if (error === FULL) return failure;
  if (!isOfOneRow(error)) throw error;
  return port.markOfOnePart(failure);
}
