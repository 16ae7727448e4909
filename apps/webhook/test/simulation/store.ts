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
import { type Database, LEASE_TIME, tables } from './database.js';
import { MAX_REFUSED, type Process, type Promises } from './promises.js';

/** As in postgres-store.ts and lease.ts. */
const MAX_CYCLES = 2;
const LONG_LATENCY = 4;
const EXTEND_INTERVAL = 3_000;

/** What is asked of the database. */
interface Request {
  /** Of a cycle. A thread takes those that follow each other into one transaction. */
  readonly call?: CycleCall;
  /** Whether it is a cycle that may let a suspect run. */
  readonly maySuspect?: boolean;
  /** Returns a result for each request. */
  readonly write: (calls: readonly CycleCall[], lease: HeldLease) => readonly unknown[];
}

interface Pending extends Request {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a receiver knows of its lease. Times are by its own clock. */
export class HeldLease implements port.HeldLease {
  constructor(
    readonly epoch: number,
    private readonly now: () => number,
    public sentAt = now(),
  ) {}

  isHeld(): boolean {
    return this.now() - this.sentAt < LEASE_TIME;
  }
}

/** Nobody else has an embedded inbox. */
const ALONE = new HeldLease(0, () => 0);

/**
 * A store on the model of the database, whose transactions take virtual time.
 *
 * - Embedded: a thread of the process takes all cycles that were called into one transaction. It ends with the process.
 * - Shared: each request goes by a connection of its own, and is carried out whatever becomes of the process. A cycle doesn't
 *   see what suspect another one lets run that is under way. Each transaction reads the lease, which is extended by itself.
 */
export class SimulatedStore implements port.Store {
  readonly location = 'the simulation';
  readonly receiver: string;
  readonly dialect: port.Dialect;
  readonly room: port.Room;
  readonly pollInterval: number | undefined;
  /** What a cycle takes from: the room itself in a thread, else as much as it was sent. */
  readonly #places: port.Room;
  readonly #runCycle: RunCycle;
  readonly #waiting: Pending[] = [];
  #lease: HeldLease | undefined;
  /** Cycles that are under way, and those of them that may let a suspect run. */
  protected cycles = 0;
  #suspecting = 0;
  #latency = 0;
  #isBusy = false;
  #repliedAt = 0;
  #isClosed = false;

  constructor(
    protected readonly database: Database,
    private readonly promises: Promises,
    private readonly process: Process,
    private readonly isShared: boolean,
  ) {
    const { name } = process;
    this.receiver = name;
    this.room = process.room;
    const isAbandoned = isShared ? raw(`is_abandoned(receiver, '${name}')`) : DIALECT.isAbandoned;
    this.dialect = { ...DIALECT, isAbandoned, now: () => raw('wall()') };
    this.pollInterval = isShared ? 1_000 : undefined;
    this.#places = isShared ? new port.Room() : this.room;
    this.#runCycle = prepareCycle(tables, name, this.#places, isShared ? 'suspect_runs()' : undefined).run;
    if (isShared) this.#extendLater();
  }

  async open(): Promise<void> {
    // The tables are there.
  }

  get maxCycles(): number {
    if (!this.isShared) return Infinity;
    return this.#latency < LONG_LATENCY ? 1 : MAX_CYCLES;
  }

  async cycle(input: port.CycleInput): Promise<port.CycleOutcome> {
    const call = cycleCall(input);
    if (!this.isShared) return this.#request({ call, write: (calls) => this.#run(calls) });
    const places = this.room.take(input.polls ? Infinity : input.arrivals.length);
    const maySuspect = this.maySuspect(this.#suspecting === 0);
    this.process.reserved += places;
    this.#suspecting += Number(maySuspect);
    this.cycles += 1;
    const write = (_calls: unknown, lease: HeldLease): readonly port.CycleOutcome[] => {
      this.#places.add(places - this.#places.free);
      const results = this.resultsOf(call.results);
      return this.#run([{ ...call, results }]).map((outcome) => ({ ...outcome, lease }));
    };
    const { clock } = this.process;
    const begunAt = clock.now();
    let left = 0;
    try {
      const outcome = await this.#request<port.CycleOutcome>({ call, maySuspect, write });
      this.#latency = clock.now() - begunAt;
      left = places - outcome.claimed.length - outcome.stored.filter(({ runs }) => runs).length;
      return outcome;
    } catch (error) {
      left = this.leftByFailed(places);
      throw error;
    } finally {
      this.room.add(left);
      this.process.reserved -= places;
      this.#suspecting -= Number(maySuspect);
      this.cycles -= 1;
    }
  }

  run(...statements: readonly Sql[]): Promise<readonly port.Row[]> {
    return this.#request({ write: () => [inTransaction(tables, () => runAll(tables, statements))] });
  }

  check(): Promise<never> {
    return Promise.reject(new Error('Nobody asks for the health of a simulation.'));
  }

  probeWrite(): Promise<never> {
    return this.check();
  }

  async read(statement: Sql): Promise<readonly port.Row[]> {
    const { clock } = this.process;
    await new Promise<void>((resolve) => clock.at(this.database.arrival(clock.now()), resolve));
    return runAll(tables, [statement]);
  }

  async size(): Promise<{ onDisk: number; inUse: number; free: number }> {
    return { onDisk: 0, inUse: 0, free: 0 };
  }

  async emptyLog(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.database.giveLeaseBack(this.receiver);
  }

  // What a shared inbox relies on. Tests plant faults here.

  /** One cycle at a time may let a suspect run. */
  protected maySuspect(isFirst: boolean): boolean {
    return isFirst;
  }

  /** A result applies to the attempt of which it is, and not after another receiver has adopted that. */
  protected resultsOf(results: readonly port.Result[]): readonly port.Result[] {
    return results.filter(([, id]) => this.database.findRunning(id)?.receiver === this.receiver);
  }

  /** Whatever a cycle that failed has let run is released. */
  protected leftByFailed(places: number): number {
    return places;
  }

  /** A receiver that has lost its lease writes nothing. */
  protected mayWrite({ epoch }: HeldLease): boolean {
    return this.database.hasLease(this.receiver, epoch);
  }

  #run(calls: readonly CycleCall[]): port.CycleOutcome[] {
    return outcomesOf(this.#runCycle(calls, this.database.wall()));
  }

  #request<Result>(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        if ((this.process.refused += 1) < MAX_REFUSED) reject(inboxClosed(this.location));
        return;
      }
      const pending = { ...request, resolve: resolve as Pending['resolve'], reject };
      if (this.isShared) return this.#sendByConnection(pending);
      this.#waiting.push(pending);
      this.#sendToThread();
    });
  }

  #sendToThread(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    const { database, process } = this;
    database.time.at(database.arrival(process.clock.now()), () => {
      if (!process.clock.isAlive) return;
      const end = this.#waiting.findIndex(({ call }) => call === undefined);
      const group = this.#waiting.splice(0, end === -1 ? Infinity : Math.max(1, end));
      const reply = this.#transact(group, ALONE);
      this.#isBusy = false;
      this.#sendToThread();
      this.#repliedAt = Math.max(this.#repliedAt, database.arrival());
      process.clock.at(this.#repliedAt, reply);
    });
  }

  /** It sees what is there when it comes, and is committed later. */
  #sendByConnection(pending: Pending): void {
    const { database, receiver } = this;
    const { time } = database;
    const { clock } = this.process;
    const lease = (this.#lease ??= new HeldLease(database.takeLease(receiver), clock.now));
    time.at(database.arrival(clock.now()), () => {
      const suspectRuns = pending.maySuspect !== true || database.runsSuspect(receiver);
      time.at(database.arrival(), () => {
        database.suspectRuns = suspectRuns;
        const reply = this.mayWrite(lease)
          ? this.#transact([pending], lease)
          : () => this.#lost(lease, pending);
        clock.at(database.arrival(), reply);
      });
    });
  }

  #lost(lease: HeldLease, pending: Pending): void {
    if (this.#lease === lease) this.#lease = undefined;
    this.#sendByConnection(pending);
  }

  #extendLater(): void {
    const { clock } = this.process;
    clock.setTimeout(() => {
      if (this.#isClosed) return;
      const sentAt = clock.now();
      const write = (_calls: unknown, lease: HeldLease): readonly HeldLease[] => {
        this.database.extendLease(this.receiver);
        return [lease];
      };
      this.#request<HeldLease>({ write }).then(
        (lease) => void (lease.sentAt = Math.max(lease.sentAt, sentAt)),
        () => undefined,
      );
      this.#extendLater();
    }, EXTEND_INTERVAL);
  }

  /** Returns what passes the reply on. */
  #transact(group: readonly Pending[], lease: HeldLease): () => void {
    const { database, promises, process } = this;
    const fault = database.drawFault();
    const calls = group.flatMap(({ call }) => call ?? []);
    const results = database.transact(fault === 'refused', () => group[0]!.write(calls, lease));
    if (fault !== undefined) promises.troubled(process, fault);
    if (fault !== 'refused') promises.committed(process, calls);
    return () => {
      if (fault === undefined) return group.forEach(({ resolve }, index) => resolve(results![index]));
      this.#lease = undefined;
      const message = `The inbox could not write: ${fault}.`;
      for (const { reject } of group) reject(new ReceiverError('INBOX_WRITE_FAILED', message));
    };
  }
}
