import { inboxClosed, ReceiverError } from '../../src/errors.js';
import { raw, type Sql } from '../../src/inbox/sql.js';
import { inTransaction, runAll } from '../../src/inbox/sqlite/open-database.js';
import {
  type CycleCall,
  cycleCall,
  outcomesOf,
  prepareCycle,
  type RunCycle,
} from '../../src/inbox/sqlite/sqlite-cycle.js';
import { DIALECT } from '../../src/inbox/sqlite/sqlite-store.js';
import * as port from '../../src/inbox/store.js';
import { FULL } from './database.js';
import type { SimulatedLease } from './leases.js';
import { MAX_REFUSED, type Process } from './promises.js';
import type { World } from './world.js';

/** Cycles that are under way on as many connections, once one takes longer than this, in milliseconds. */
const MAX_CYCLES = 3;
const SLOW_CYCLE = 5;

const EXTEND_INTERVAL = 3_000;

/** What is asked for. */
interface Pending {
  readonly call?: CycleCall;
  readonly statements?: readonly Sql[];
  readonly places: number;
  readonly suspect: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Request = Pick<Pending, 'call' | 'statements'> & Partial<Pick<Pending, 'places' | 'suspect'>>;

/**
 * A store on the real statements of SQLite, whose transactions take virtual time.
 *
 * - The embedded inbox: a thread of the process takes all cycles that were called into one transaction.
 * - A model of the shared one: each request goes to the database by a connection of its own, and is carried out there whatever
 *   becomes of the process. A cycle doesn't see what suspect another one lets run that is under way. The lease is extended by
 *   itself, and read by each transaction.
 */
export class SimulatedStore implements port.Store {
  readonly location = 'the simulation';
  readonly receiver: string;
  readonly dialect: port.Dialect;
  readonly room: port.Room;
  readonly pollInterval: number | undefined;
  /** What a cycle takes from: the room itself in a thread, else as much as it was sent. */
  readonly #places: port.Room;
  readonly #cycle: RunCycle;
  readonly #pending: Pending[] = [];
  #lease: SimulatedLease | undefined;
  #maySuspect = false;
  #isBusy = false;
  #repliedAt = 0;
  #isClosed = false;

  constructor(
    private readonly world: World,
    private readonly process: Process,
  ) {
    const { leases, memory } = world;
    this.receiver = process.name;
    this.room = process.room;
    const isAbandoned = this.#isShared ? leases.isAbandoned(process.name) : DIALECT.isAbandoned;
    this.dialect = { ...DIALECT, isAbandoned, now: () => raw(String(world.wall())) };
    this.pollInterval = this.#isShared ? 1_000 : undefined;
    this.#places = this.#isShared ? new port.Room() : this.room;
    const suspectRuns = this.#isShared ? '(SELECT suspect_runs FROM seen)' : undefined;
    this.#cycle = prepareCycle(memory.database, process.name, this.#places, suspectRuns).run;
    if (this.#isShared) this.#extendLater();
  }

  get #isShared(): boolean {
    return this.world.plan.receivers > 1;
  }

  async open(): Promise<void> {
    // The world has the database open.
  }

  maxCycles(duration: number): number {
    if (!this.#isShared) return Infinity;
    return duration < SLOW_CYCLE ? 1 : MAX_CYCLES;
  }

  async cycle(input: port.CycleInput): Promise<port.CycleOutcome> {
    const call = cycleCall(input);
    if (!this.#isShared) return this.#request({ call }) as Promise<port.CycleOutcome>;
    const places = this.room.take(input.polls ? Infinity : input.arrivals.length);
    this.process.reserved += places;
    const suspect = !this.#maySuspect;
    if (suspect) this.#maySuspect = true;
    let taken = 0;
    try {
      const outcome = (await this.#request({ call, places, suspect })) as port.CycleOutcome;
      taken = outcome.claimed.length + outcome.stored.filter(({ runs }) => runs).length;
      return outcome;
    } finally {
      this.room.add(places - taken);
      this.process.reserved -= places;
      if (suspect) this.#maySuspect = false;
    }
  }

  run(...statements: readonly Sql[]): Promise<readonly port.Row[]> {
    return this.#request({ statements }) as Promise<readonly port.Row[]>;
  }

  /** Nobody asks: there are no operators. */
  check(): Promise<never> {
    return Promise.reject(new Error('The simulation has no operators.'));
  }

  probeWrite(): Promise<never> {
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
    this.#lease?.giveBack();
  }

  #request(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        if ((this.process.refused += 1) < MAX_REFUSED) reject(inboxClosed(this.location));
        return;
      }
      const pending = { places: 0, suspect: false, ...request, resolve, reject };
      if (this.#isShared) return this.#send(pending);
      this.#pending.push(pending);
      this.#begin();
    });
  }

  /** To the thread of an embedded inbox. */
  #begin(): void {
    if (this.#isBusy || this.#pending.length === 0) return;
    this.#isBusy = true;
    const { time } = this.world;
    const { clock } = this.process;
    time.at(clock.now() + this.world.delay(), () => {
      if (!clock.isAlive) return;
      const cycles = this.#pending.findIndex(({ call }) => call === undefined);
      const group = cycles === 0 ? 1 : cycles === -1 ? this.#pending.length : cycles;
      const reply = this.#transact(this.#pending.splice(0, group));
      this.#isBusy = false;
      this.#begin();
      this.#repliedAt = Math.max(this.#repliedAt, time.now + this.world.delay());
      clock.at(this.#repliedAt, reply);
    });
  }

  /** By a connection. It sees what was there when it came, and is committed later. */
  #send(pending: Pending): void {
    const { time, leases } = this.world;
    const { clock, name } = this.process;
    const lease = (this.#lease ??= leases.take(name, clock));
    time.at(clock.now() + this.world.delay(), () => {
      const suspectRuns = !pending.suspect || this.world.runsSuspect(name);
      time.at(time.now + this.world.delay(), () => {
        if (!lease.isValid()) {
          clock.at(time.now + this.world.delay(), () => {
            if (this.#lease === lease) this.#lease = undefined;
            this.#send(pending);
          });
          return;
        }
        this.world.setSeen(suspectRuns);
        const reply = this.#transact([pending], lease);
        clock.at(time.now + this.world.delay(), reply);
      });
    });
  }

  #extendLater(): void {
    const { time } = this.world;
    const { clock } = this.process;
    clock.setTimeout(() => {
      const lease = this.#lease;
      const sentAt = clock.now();
      if (lease !== undefined)
        time.at(sentAt + this.world.delay(), () => {
          const isExtended = lease.extend();
          clock.at(time.now + this.world.delay(), () => {
            if (isExtended) lease.sentAt = sentAt;
            else if (this.#lease === lease) this.#lease = undefined;
          });
        });
      if (!this.#isClosed) this.#extendLater();
    }, EXTEND_INTERVAL);
  }

  /** Returns what passes the reply on. */
  #transact(pending: readonly Pending[], lease?: SimulatedLease): () => void {
    const { memory } = this.world;
    const fault = this.world.fault(this.process);
    const calls = pending.flatMap(({ call }) => call ?? []);
    memory.isFull = fault === 'refused';
    const results = this.#perform(pending[0]!, calls, lease);
    memory.isFull = false;
    if (fault !== 'refused') this.world.committed(this.process, calls);
    return () => {
      if (fault !== undefined) {
        this.#lease = undefined;
        for (const { reject } of pending) reject(writeFailed(fault));
      } else for (const [index, { resolve }] of pending.entries()) resolve(results[index]);
    };
  }

  /** Returns the result of each request: a group of cycles, or statements. */
  #perform(
    { statements, places }: Pending,
    calls: readonly CycleCall[],
    lease: SimulatedLease | undefined,
  ): readonly unknown[] {
    const { memory, wall } = this.world;
    try {
      if (statements !== undefined)
        return [inTransaction(memory.database, () => runAll(memory.database, statements))];
      if (lease === undefined) return outcomesOf(this.#cycle(calls, wall()));
      this.#places.add(places - this.#places.free);
      const own = calls.map((call) => this.#withOwnResults(call));
      return outcomesOf(this.#cycle(own, wall())).map((outcome) => ({ ...outcome, lease }));
    } catch (error) {
      // Any other error of SQLite is a fault of the receiver.
      if (error !== FULL) throw error;
      return [];
    }
  }

  /** A receiver changes only what it runs itself: another one may have adopted the rest. */
  #withOwnResults(call: CycleCall): CycleCall {
    return { ...call, results: call.results.filter(([, id]) => this.world.isRunBy(id, this.receiver)) };
  }
}

const writeFailed = (reason: string): ReceiverError =>
  new ReceiverError('INBOX_WRITE_FAILED', `The inbox could not write: ${reason}.`);
