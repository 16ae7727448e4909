import { SUSPECT } from '../../src/inbox/conditions.js';
import type { CycleCall } from '../../src/inbox/sqlite/sqlite-cycle.js';
import { type Memory, openMemory } from './database.js';
import { Leases } from './leases.js';
import { Journal, Ledger } from './ledger.js';
import type { Plan } from './plan.js';
import { type Process, Promises } from './promises.js';
import { Random, VirtualTime } from './virtual-time.js';

/** What goes wrong with a transaction: nothing is written, or nobody hears what was. */
export type StoreFault = 'refused' | 'reply lost';

/** The wall clock at the start. */
const START = Date.UTC(2027, 0, 1);

/** How many of the transactions of a bad time go wrong. */
const FAULTY = 0.7;

const memory = openMemory();

/** What is around the receivers: time, their database, what goes wrong with it, and what is promised. */
export abstract class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly memory: Memory = memory;
  readonly journal = new Journal(() => this.time.now);
  readonly ledger = new Ledger(memory.database, this.journal);
  readonly promises: Promises;
  readonly leases = new Leases(memory, this.time);
  protected jump = 0;
  protected refusesUntil = 0;
  protected refusesNext = false;
  /** The database stands still. */
  protected standsUntil = 0;
  protected losesUntil = 0;
  protected endsNext: { readonly down: number } | undefined;

  constructor(readonly plan: Plan) {
    memory.clear();
    this.random = new Random(~plan.seed);
    this.promises = new Promises(plan, this.ledger, this.leases, this.journal, this.wall);
  }

  /** A process ends, and starts again after a while. */
  abstract end(process: Process, down: number): void;

  /** The clock of the database, in milliseconds since 1970. */
  readonly wall = (): number => START + this.time.now + this.jump;

  /** How long a message takes to the database, or back. */
  delay(): number {
    return Math.max(0, this.standsUntil - this.time.now) + this.random.between(0, this.plan.latency);
  }

  /** What the transaction that comes next knows. */
  setSeen(suspectRuns: boolean): void {
    memory.database
      .prepare('UPDATE seen SET now = ?, suspect_runs = ?')
      .run(this.time.now, Number(suspectRuns));
  }

  runsSuspect(receiver: string): boolean {
    return [...this.ledger.open.values()].some(
      ({ row }) => row.state === 'running' && row.receiver === receiver && row.interruptions >= SUSPECT,
    );
  }

  isRunBy(id: number, receiver: string): boolean {
    const row = this.ledger.open.get(id)?.row;
    return row?.state === 'running' && row.receiver === receiver;
  }

  /** What goes wrong with the transaction that begins now. */
  fault(process: Process): StoreFault | undefined {
    const { now } = this.time;
    const isRefused = this.refusesNext || (now < this.refusesUntil && this.random.chance(FAULTY));
    const isLost = now < this.losesUntil && this.random.chance(FAULTY);
    this.refusesNext = false;
    if (!isRefused && !isLost) return undefined;
    this.journal.note(`${process.name} ${isRefused ? "can't write" : "doesn't hear what it wrote"}`);
    process.troubledAt = Math.max(process.troubledAt, now);
    return isRefused ? 'refused' : 'reply lost';
  }

  /** A transaction is committed. Nobody has its reply yet. */
  committed(process: Process, calls: readonly CycleCall[]): void {
    const hasWork = this.promises.committed() || calls.some(({ results }) => results.length > 0);
    if (!hasWork) process.idleCycles += calls.length;
    const { endsNext } = this;
    this.endsNext = undefined;
    if (endsNext !== undefined) this.in(0, () => this.end(process, endsNext.down));
  }

  protected in(milliseconds: number, run: () => void): void {
    this.time.at(this.time.now + milliseconds, run);
  }
}
