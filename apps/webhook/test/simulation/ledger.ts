import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

/** Writes down what happens in a simulation, and what was broken first. */
export class Journal {
  readonly lines: string[] = [];
  /** It is kept, because the dispatcher catches what a handler throws. */
  broken: Error | undefined;

  /** @param now the virtual time, in milliseconds */
  constructor(readonly now: () => number) {}

  note(text: string): void {
    this.lines.push(`${this.now()} ms: ${text}`);
  }

  /** A promise was broken. */
  break(text: string): never {
    this.broken ??= new Error(`At ${this.now()} ms: ${text}.`);
    throw this.broken;
  }
}

/** The row of a delivery, without what was sent. A row that was deleted is `deleted`. */
export interface Row {
  readonly id: number;
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly interruptions: number;
  readonly dueAt: number | null;
  readonly receiver: string | null;
  readonly startedAt: number | null;
}

/** A delivery that is stored, and what is known of it. Times are virtual. */
export interface Known {
  row: Row;
  /** When its row changed last. */
  since: number;
  acknowledgedAt: number | undefined;
  /** The key by which the handler got it; undefined before. */
  key: string | undefined;
  /** How often the handler got it, as which attempt last, when that ended, and what became of it. */
  runs: number;
  attempt: number;
  endedAt: number;
  result: 'handled' | 'failed' | 'cut off' | undefined;
}

const UNKNOWN = {
  acknowledgedAt: undefined,
  key: undefined,
  runs: 0,
  attempt: 0,
  endedAt: 0,
  result: undefined,
};

/** The deliveries as the database has them: it writes each change down itself, whatever the inbox says of it. */
export class Ledger {
  readonly known = new Map<number, Known>();
  /** Those that are neither handled, parked nor discarded. */
  readonly open = new Map<number, Known>();
  /** Whether the handler is paused, and since when it is so. */
  isPaused = false;
  pauseChangedAt = 0;
  readonly #changes: StatementSyncInstance;
  readonly #forget: StatementSyncInstance;

  constructor(
    database: DatabaseSyncInstance,
    private readonly journal: Journal,
  ) {
    this.#changes = database.prepare('SELECT * FROM change');
    this.#forget = database.prepare('DELETE FROM change');
  }

  /**
   * Reads what a transaction has changed.
   *
   * @param check is told of each change before it is noted, in their order
   * @returns whether there was any, those of the pause included
   */
  read(check: (known: Known | undefined, to: Row) => void): boolean {
    const changes = this.#changes.all() as Row[];
    if (changes.length > 0) this.#forget.run();
    for (const row of changes) {
      const { id, state, attempts, interruptions } = row;
      const since = this.journal.now();
      if (id === 0) {
        this.isPaused = state === 'paused';
        this.pauseChangedAt = since;
        continue;
      }
      this.journal.note(`${id} is ${state} (${attempts} attempts, ${interruptions} interruptions)`);
      const before = this.known.get(id);
      check(before, row);
      const known = Object.assign(before ?? { ...UNKNOWN }, { row, since });
      this.known.set(id, known);
      if (/waiting|running|retrying/.test(state)) this.open.set(id, known);
      else this.open.delete(id);
    }
    return changes.length > 0;
  }
}
