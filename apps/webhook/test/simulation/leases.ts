import { raw, type Sql } from '../../src/inbox/sql.js';
import type { HeldLease } from '../../src/inbox/store.js';
import type { Memory } from './database.js';
import type { ProcessClock, VirtualTime } from './virtual-time.js';

/** How long a receiver that doesn't extend its lease counts as alive, in milliseconds. */
export const LEASE_TIME = 15_000;

/** The leases of the receivers that share an inbox, in the table `lease`. Their times are virtual. */
export class Leases {
  #epoch = 0;

  constructor(
    private readonly memory: Memory,
    private readonly time: VirtualTime,
  ) {}

  take(name: string, clock: ProcessClock): SimulatedLease {
    this.#epoch += 1;
    const lease = new SimulatedLease(this, name, this.#epoch, clock);
    this.run('INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?)', name, this.#epoch, this.now, this.end);
    return lease;
  }

  get now(): number {
    return this.time.now;
  }

  get end(): number {
    return this.time.now + LEASE_TIME;
  }

  run(text: string, ...values: (string | number)[]): boolean {
    return this.memory.database.prepare(text).run(...values).changes > 0;
  }

  /** Whether a receiver has any lease. */
  has(name: string): boolean {
    return this.run('UPDATE lease SET name = name WHERE name = ? AND expires_at > ?', name, this.now);
  }

  /** As in lease.ts: one that has lapsed only counts once this receiver has been back for as long. */
  isAbandoned(own: string): Sql {
    return raw(`receiver NOT IN (
      SELECT name FROM lease WHERE expires_at > (SELECT now FROM seen) OR NOT EXISTS (
        SELECT 1 FROM lease AS own WHERE own.name = '${own}' AND own.since < (SELECT now FROM seen) - ${LEASE_TIME}))`);
  }
}

/** What a receiver holds: as long as the database says so, and as long as the receiver itself may believe it. */
export class SimulatedLease implements HeldLease {
  /** When the last extension was sent, by the clock of the receiver. */
  sentAt: number;

  constructor(
    private readonly leases: Leases,
    private readonly name: string,
    private readonly epoch: number,
    private readonly clock: ProcessClock,
  ) {
    this.sentAt = clock.now();
  }

  isHeld(): boolean {
    return this.clock.now() - this.sentAt < LEASE_TIME;
  }

  isValid(): boolean {
    const { now } = this.leases;
    return this.leases.run(
      'UPDATE lease SET name = name WHERE name = ? AND epoch = ? AND expires_at > ?',
      ...[this.name, this.epoch, now],
    );
  }

  extend(): boolean {
    const { now, end } = this.leases;
    return this.leases.run(
      'UPDATE lease SET expires_at = ? WHERE name = ? AND epoch = ? AND expires_at > ?',
      ...[end, this.name, this.epoch, now],
    );
  }

  giveBack(): void {
    this.leases.run('DELETE FROM lease WHERE name = ?', this.name);
  }
}
