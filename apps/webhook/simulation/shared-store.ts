import type Database from 'libsql';

import { DIALECT } from '../src/inbox/sqlite/sqlite-store.js';
import { type Dialect, Room } from '../src/inbox/store.js';
import { type Host, isCycle, type Request, SimulatedStore } from './simulated-store.js';

/** As the shared inbox has them, in milliseconds. */
const LEASE_TIME = 15_000;
const POLL_INTERVAL = 1_000;

/** Who is alive, by the clock of the database. */
export class Leases {
  /** Receivers whose lease another one has seen expired. */
  readonly expired = new Set<string>();
  readonly #leases = new Map<string, { readonly since: number; readonly until: number }>();

  constructor(private readonly database: Database.Database) {
    database.exec('CREATE TEMP TABLE alive (name TEXT NOT NULL)');
  }

  renew(receiver: string, now: number, isNew: boolean): void {
    const since = isNew ? now : (this.#leases.get(receiver)?.since ?? now);
    this.#leases.set(receiver, { since, until: now + LEASE_TIME });
  }

  end(receiver: string): void {
    this.#leases.delete(receiver);
  }

  /**
   * Makes the table of those who are alive, as one of them sees it. After an outage every lease has expired, so one only
   * counts once this receiver has been back for as long. One that ends too late was taken while the clock was wrong.
   */
  show(receiver: string, now: number): void {
    const isBack = this.#leases.get(receiver)!.since < now - LEASE_TIME;
    this.database.exec('DELETE FROM alive');
    for (const [name, { until }] of this.#leases) {
      if (isBack && (until <= now || until > now + LEASE_TIME)) this.expired.add(name);
      else this.database.prepare('INSERT INTO alive VALUES (?)').run([name]);
    }
  }
}

/** The shared inbox: one connection, one transaction after the other, and other receivers with theirs. */
export class SharedStore extends SimulatedStore {
  readonly dialect: Dialect = {
    ...DIALECT,
    now: () => String(this.host.wall()),
    isAbandoned: 'receiver NOT IN (SELECT name FROM alive)',
  };
  readonly pollInterval = POLL_INTERVAL;
  readonly maxCycles = 1;
  /** How many the server may let run. */
  readonly #asked = new Room();
  readonly #perform = this.prepare(this.#asked);
  readonly #ours: Database.Statement;
  #hasLease = false;

  constructor(
    host: Host,
    private readonly leases: Leases,
  ) {
    super(host, false);
    this.#ours = host.database.prepare('SELECT 1 FROM delivery WHERE id = ? AND receiver = ?');
    this.#renewLater();
  }

  override async close(): Promise<void> {
    await super.close();
    this.leases.end(this.receiver);
  }

  /** A receiver changes only what it runs itself. */
  protected perform([request]: readonly Request[], places: number): () => readonly unknown[] {
    this.leases.renew(this.receiver, this.host.wall(), !this.#hasLease);
    this.#hasLease = true;
    if (!isCycle(request!)) {
      this.leases.show(this.receiver, this.host.wall());
      const results = this.#perform([request!]);
      return () => results;
    }
    this.#asked.add(places - this.#asked.free);
    const ours = request.results.filter(([, id]) => this.#ours.all([id, this.receiver]).length > 0);
    const results = this.#perform([{ ...request, results: ours }]);
    const taken = places - this.#asked.free;
    return () => {
      this.room.add(-taken);
      return results;
    };
  }

  protected override failed(): void {
    this.#hasLease = false;
  }

  #renewLater(): void {
    this.host.clock.setTimeout(() => {
      this.run({ text: 'SELECT 1', values: [] }).catch(() => undefined);
      this.#renewLater();
    }, LEASE_TIME / 3);
  }
}
