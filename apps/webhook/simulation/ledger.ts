import type Database from 'libsql';

import type { Journal } from './journal.js';

/** The row of a delivery, without what was sent. A row that was deleted is `deleted`. */
export interface Row {
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly interruptions: number;
  readonly dueAt: number | null;
  readonly receiver: string | null;
}

/** A delivery that is stored, and what is known of it. Times are virtual. */
export interface Known {
  row: Row;
  /** When its row changed last. */
  since: number;
  acknowledgedAt: number | undefined;
  /** How often the handler got it, as which attempt last, when that ended, and what became of it. */
  runs: number;
  attempt: number;
  endedAt: number;
  result: 'handled' | 'failed' | 'cut off' | undefined;
}

const OPEN = /waiting|running|retrying/;

/** The deliveries as the database has them: it writes each change down itself, whatever the inbox says of it. */
export class Ledger {
  readonly known = new Map<number, Known>();
  /** Those that are neither handled, parked nor discarded. */
  readonly open = new Map<number, Known>();
  /** Whether the handler is paused, and since when it is so. */
  isPaused = false;
  pauseChangedAt = 0;
  readonly #changes: Database.Statement;
  readonly #forget: Database.Statement;

  constructor(
    database: Database.Database,
    private readonly journal: Journal,
  ) {
    this.#changes = database.prepare('SELECT * FROM change').raw();
    this.#forget = database.prepare('DELETE FROM change');
  }

  /**
   * Reads what a transaction has changed.
   *
   * @param check is told of each change before it is noted, in their order
   * @returns how many there were, those of the pause included
   */
  read(check: (id: number, known: Known | undefined, to: Row) => void): number {
    const changes = this.#changes.all([]) as [number, ...unknown[]][];
    if (changes.length > 0) this.#forget.run([]);
    for (const [id, key, state, attempts, interruptions, dueAt, receiver] of changes) {
      if (id === 0) {
        this.isPaused = state === 'paused';
        this.pauseChangedAt = this.journal.now();
        continue;
      }
      const row = { key, state, attempts, interruptions, dueAt, receiver } as Row;
      this.journal.note(
        `${id} is ${row.state} (${row.attempts} attempts, ${row.interruptions} interruptions)`,
      );
      check(id, this.known.get(id), row);
      const known = this.known.get(id) ?? this.#add(id, row);
      known.row = row;
      known.since = this.journal.now();
      if (OPEN.test(row.state)) this.open.set(id, known);
      else this.open.delete(id);
    }
    return changes.length;
  }

  #add(id: number, row: Row): Known {
    const times = { since: 0, acknowledgedAt: undefined, endedAt: 0 };
    const known: Known = { row, ...times, runs: 0, attempt: 0, result: undefined };
    this.known.set(id, known);
    return known;
  }
}
