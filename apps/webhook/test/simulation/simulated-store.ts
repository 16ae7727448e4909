import type { StatementSyncInstance } from '@photostructure/sqlite';

import { inboxClosed, ReceiverError } from '../../src/errors.js';
import { raw, type Sql, sql } from '../../src/inbox/sql.js';
import { inTransaction, runAll } from '../../src/inbox/sqlite/open-database.js';
import {
  type CycleCall,
  cycleCall,
  outcomesOf,
  performTogether,
  prepareCycle,
  type RunCycle,
} from '../../src/inbox/sqlite/sqlite-cycle.js';
import { isOfOneRow } from '../../src/inbox/sqlite/sqlite-errors.js';
import { DIALECT } from '../../src/inbox/sqlite/sqlite-store.js';
import * as port from '../../src/inbox/store.js';
import { FULL } from './database.js';
import { MAX_REFUSED, type Process } from './promises.js';
import type { World } from './world.js';

/** What is asked for: a cycle, or statements. */
type Request = CycleCall | readonly Sql[];

const isCycle = (request: Request): request is CycleCall => 'arrivals' in request;

interface Pending {
  readonly request: Request;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

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
  readonly room: port.Room;
  readonly pollInterval: number | undefined;
  readonly maxCycles: number;
  readonly #isShared: boolean;
  /** What a cycle takes from: the room itself in a thread, else as much as it was sent. */
  readonly #places: port.Room;
  readonly #cycle: RunCycle;
  readonly #isOurs: StatementSyncInstance;
  readonly #pending: Pending[] = [];
  #isBusy = false;
  #repliedAt = 0;
  #isClosed = false;

  constructor(
    private readonly world: World,
    private readonly process: Process,
  ) {
    const { database } = world.memory;
    this.#isShared = world.plan.receivers > 1;
    const isAbandoned = this.#isShared ? sql`receiver NOT IN (SELECT name FROM alive)` : DIALECT.isAbandoned;
    this.receiver = process.name;
    this.room = process.room;
    this.dialect = { ...DIALECT, isAbandoned, now: () => raw(String(world.wall())) };
    this.pollInterval = this.#isShared ? 1_000 : undefined;
    this.maxCycles = this.#isShared ? 1 : Infinity;
    this.#places = this.#isShared ? new port.Room() : this.room;
    this.#cycle = prepareCycle(database, process.name, this.#places).run;
    this.#isOurs = database.prepare('SELECT 1 FROM delivery WHERE id = ? AND receiver = ?');
  }

  async open(): Promise<void> {
    // The world has the database open.
  }

  cycle(input: port.CycleInput): Promise<port.CycleOutcome> {
    return this.#request(cycleCall(input)) as Promise<port.CycleOutcome>;
  }

  run(...statements: readonly Sql[]): Promise<readonly port.Row[]> {
    return this.#request(statements) as Promise<readonly port.Row[]>;
  }

  /** Nobody asks: there are no operators. */
  check(): Promise<never> {
    return Promise.reject(new Error('The simulation has no operators.'));
  }

  probe(): Promise<never> {
    return this.check();
  }

  async read(statement: Sql): Promise<readonly port.Row[]> {
    const { clock } = this.process;
    await new Promise<void>((resolve) => clock.at(clock.now() + this.world.delay(), resolve));
    return runAll(this.world.memory.database, [statement]);
  }

  async size(): Promise<{ onDisk: number; inUse: number; free: number }> {
    return { onDisk: 0, inUse: 0, free: 0 };
  }

  async emptyLog(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #request(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#isClosed) {
        this.#pending.push({ request, resolve, reject });
        this.#begin();
      } else if ((this.process.refused += 1) < MAX_REFUSED) reject(inboxClosed(this.location));
    });
  }

  #begin(): void {
    if (this.#isBusy || this.#pending.length === 0) return;
    this.#isBusy = true;
    const { time } = this.world;
    const { clock } = this.process;
    const sent = this.room.free;
    time.at(clock.now() + this.world.delay(), () => {
      if (!this.#isShared && !clock.isAlive) return;
      const cycles = this.#pending.findIndex(({ request }) => !isCycle(request));
      const group = this.#isShared || cycles === 0 ? 1 : cycles === -1 ? this.#pending.length : cycles;
      const reply = this.#transact(this.#pending.splice(0, group), sent);
      const next = (): void => {
        this.#isBusy = false;
        this.#begin();
      };
      if (!this.#isShared) next();
      this.#repliedAt = Math.max(this.#repliedAt, time.now + this.world.delay());
      clock.at(this.#repliedAt, () => {
        reply();
        if (this.#isShared) next();
      });
    });
  }

  /** Returns what passes the reply on. */
  #transact(pending: readonly Pending[], sent: number): () => void {
    const { memory } = this.world;
    const fault = this.world.fault(this.process);
    const requests = pending.map(({ request }) => request);
    memory.isFull = fault === 'refused';
    let results = this.#perform(requests, sent);
    memory.isFull = false;
    const taken = sent - this.#places.free;
    if (fault !== 'refused') this.world.committed(this.process, requests.filter(isCycle));
    if (fault === 'reply lost') results = requests.map(() => writeFailed(fault));
    return () => {
      if (this.#isShared && fault === undefined && isCycle(requests[0]!)) this.room.add(-taken);
      for (const [index, result] of results.entries())
        if (result instanceof Error) pending[index]!.reject(result);
        else pending[index]!.resolve(result);
    };
  }

  /** Returns the result or the error of each request: a group of cycles, or statements. */
  #perform(requests: readonly Request[], sent: number): readonly unknown[] {
    const { memory, wall } = this.world;
    const [request] = requests;
    if (!isCycle(request!)) {
      try {
        return [inTransaction(memory.database, () => runAll(memory.database, request!))];
      } catch (error) {
        return [failureOf(error)];
      }
    }
    if (this.#isShared) this.#places.add(sent - this.#places.free);
    const calls = requests
      .filter(isCycle)
      .map((call) => (this.#isShared ? this.#withOwnResults(call) : call));
    return performTogether(this.#cycle, calls, wall).flatMap((performed): readonly unknown[] =>
      'outcome' in performed
        ? outcomesOf(performed.outcome)
        : Array.from({ length: performed.calls }, () => failureOf(performed.error)),
    );
  }

  /** A receiver changes only what it runs itself: another one may have adopted the rest. */
  #withOwnResults(call: CycleCall): CycleCall {
    const results = call.results.filter(([, id]) => this.#isOurs.all(id, this.receiver).length > 0);
    return { ...call, results };
  }
}

const writeFailed = (reason: string): ReceiverError =>
  new ReceiverError('INBOX_WRITE_FAILED', `The inbox could not write: ${reason}.`);

/** Any other error of SQLite is a fault of the receiver. */
function failureOf(error: unknown): ReceiverError {
  if (error !== FULL && !isOfOneRow(error)) throw error;
  const failure = writeFailed((error as Error).message);
  return error === FULL ? failure : port.markOfOnePart(failure);
}
