import type Database from 'libsql';

import { inboxClosed, ReceiverError } from '../src/errors.js';
import { inTransaction, runAll } from '../src/inbox/sqlite/open-database.js';
import { type CycleCall, cycleCall, outcomesOf, prepareCycle } from '../src/inbox/sqlite/sqlite-cycle.js';
import { isOfOneRow } from '../src/inbox/sqlite/sqlite-errors.js';
import { DIALECT } from '../src/inbox/sqlite/sqlite-store.js';
import {
  type CycleInput,
  type CycleOutcome,
  type Dialect,
  markOfOnePart,
  Room,
  type Row,
  type Statement,
  type Store,
} from '../src/inbox/store.js';
import type { ProcessClock, Random, VirtualTime } from './virtual-time.js';

/** What goes wrong with a transaction: nothing is written, or the reply that says what was is lost. */
export type StoreFault = 'refused' | 'reply lost';

/** What a store has of its process, and of the world around that. */
export interface Host {
  readonly receiver: string;
  readonly time: VirtualTime;
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly database: Database.Database;
  /** The clock of the database, in milliseconds since 1970. */
  readonly wall: () => number;
  /** The longest way to the database, and back, in milliseconds. */
  readonly latency: number;
  /** What goes wrong with the transaction that begins now. */
  readonly fault: () => StoreFault | undefined;
  /** A transaction is committed. Nobody has the reply yet. */
  readonly committed: (calls: readonly CycleCall[]) => void;
}

/** What is asked for: a cycle, or statements. */
export type Request = CycleCall | readonly Statement[];

export const isCycle = (request: Request): request is CycleCall => 'arrivals' in request;

interface Pending {
  readonly request: Request;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** So many requests to a closed store mean that somebody asks for ever. */
const MAX_REFUSED = 1_000;

/** A store on the real statements of SQLite, whose transactions take virtual time. */
export abstract class SimulatedStore implements Store {
  readonly location = 'the simulation';
  readonly receiver: string;
  readonly room = new Room();
  abstract readonly dialect: Dialect;
  abstract readonly pollInterval: number | undefined;
  abstract readonly maxCycles: number;
  readonly #pending: Pending[] = [];
  #isBusy = false;
  #repliedAt = 0;
  #refused: number | undefined;

  /** @param hasThread the database is a thread of the process, and groups cycles; else it is somewhere else */
  constructor(
    protected readonly host: Host,
    private readonly hasThread: boolean,
  ) {
    this.receiver = host.receiver;
  }

  cycle(input: CycleInput): Promise<CycleOutcome> {
    return this.#request(cycleCall(input)) as Promise<CycleOutcome>;
  }

  run(...statements: readonly Statement[]): Promise<readonly Row[]> {
    return this.#request(statements) as Promise<readonly Row[]>;
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    const { clock, database } = this.host;
    await new Promise<void>((resolve) => clock.at(clock.now() + this.#delay(), resolve));
    return runAll(database, [statement]);
  }

  async size(): Promise<{ onDisk: number; inUse: number }> {
    return { onDisk: 0, inUse: 0 };
  }

  async close(): Promise<void> {
    this.#refused = 0;
  }

  /**
   * Runs a group of cycles, or the statements of one request.
   *
   * @param places that were free when it was asked
   * @returns gives the results, when the reply arrives
   */
  protected abstract perform(requests: readonly Request[], places: number): () => readonly unknown[];

  /** A request has failed, and its receiver knows. */
  protected failed(): void {
    // The thread of SQLite goes on.
  }

  #delay(): number {
    return this.host.random.between(0, this.host.latency);
  }

  #request(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#refused === undefined) {
        this.#pending.push({ request, resolve, reject });
        this.#begin();
      } else if (++this.#refused < MAX_REFUSED) reject(inboxClosed(this.location));
      else throw new Error('a store that is closed is asked for ever');
    });
  }

  #begin(): void {
    if (this.#isBusy || this.#pending.length === 0) return;
    this.#isBusy = true;
    const { time, clock } = this.host;
    const places = this.room.free;
    time.at(clock.now() + this.#delay(), () => {
      if (this.hasThread && !clock.isAlive) return;
      const first = this.#pending.findIndex(({ request }) => !isCycle(request));
      const group = this.hasThread && first !== 0 ? (first === -1 ? this.#pending.length : first) : 1;
      const reply = this.#transact(this.#pending.splice(0, group), places);
      if (this.hasThread) this.#continue();
      this.#repliedAt = Math.max(this.#repliedAt, time.now + this.#delay());
      clock.at(this.#repliedAt, () => {
        reply();
        if (!this.hasThread) this.#continue();
      });
    });
  }

  #continue(): void {
    this.#isBusy = false;
    this.#begin();
  }

  /** Returns what passes on the reply. */
  #transact(pending: readonly Pending[], places: number): () => void {
    const requests = pending.map(({ request }) => request);
    const fail = (error: Error) => () => pending.forEach(({ reject }) => reject(error));
    const failed = (reason: string): ReceiverError =>
      new ReceiverError('INBOX_WRITE_FAILED', `The inbox could not write: ${reason}.`);
    const fault = this.host.fault();
    if (fault !== undefined) this.failed();
    if (fault === 'refused') return fail(failed(fault));
    let receive: () => readonly unknown[];
    try {
      receive = this.perform(requests, places);
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      return fail(markOfOnePart(failed((error as Error).message)));
    }
    this.host.committed(requests.filter(isCycle));
    if (fault !== undefined) return fail(failed(fault));
    return () => {
      const results = receive();
      pending.forEach(({ resolve }, index) => resolve(results[index]));
    };
  }

  /** Prepares how to perform requests. What begins to run is subtracted from the room. */
  protected prepare(room: Room): (requests: readonly Request[]) => readonly unknown[] {
    const { database, receiver, wall } = this.host;
    const cycle = prepareCycle(database, receiver, room);
    return (requests) => {
      const calls = requests.filter(isCycle);
      if (calls.length > 0) return outcomesOf(cycle(calls, wall()));
      return [inTransaction(database, () => runAll(database, requests[0] as readonly Statement[]))];
    };
  }
}

/** The embedded inbox: the thread of SQLite takes all cycles that were called into one transaction. */
export class EmbeddedStore extends SimulatedStore {
  readonly dialect: Dialect = { ...DIALECT, now: () => String(this.host.wall()) };
  readonly pollInterval = undefined;
  readonly maxCycles = Infinity;
  readonly #perform = this.prepare(this.room);

  constructor(host: Host) {
    super(host, true);
  }

  protected perform(requests: readonly Request[]): () => readonly unknown[] {
    const results = this.#perform(requests);
    return () => results;
  }
}
