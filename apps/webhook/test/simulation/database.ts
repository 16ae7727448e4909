import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementOptions,
  type StatementSyncInstance,
} from '@photostructure/sqlite';

import { migrate } from '../../src/inbox/sqlite/migrate.js';

/** An error of SQLite on a full disk. */
export const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** The tables of an embedded inbox in memory, for one simulation after the other. */
export interface Memory {
  readonly database: DatabaseSyncInstance;
  readonly clear: () => void;
  /** Whether each commit fails. */
  isFull: boolean;
}

/**
 * Opens the tables. Beside them, `change` has each change of a delivery and of the pause, `lease` the leases of receivers, and
 * `seen` what a transaction knows: the time, and whether another suspect runs.
 */
export function openMemory(): Memory {
  const database = new DatabaseSync(':memory:');
  migrate(database, '');
  const change = `INSERT INTO change SELECT new.id, new.media_type, new.state, new.attempts, new.interruptions, new.due_at,
    new.receiver, new.claimed_at`;
  database.exec(`
    CREATE TEMP TABLE lease (name TEXT PRIMARY KEY, epoch INTEGER, since INTEGER, expires_at INTEGER);
    CREATE TEMP TABLE seen (now INTEGER, suspect_runs INTEGER); INSERT INTO seen VALUES (0, 0);
    CREATE TEMP TABLE change (id, key, state, attempts DEFAULT 0, interruptions DEFAULT 0, dueAt, receiver, startedAt);
    CREATE TEMP TRIGGER inserted AFTER INSERT ON delivery BEGIN ${change}; END;
    CREATE TEMP TRIGGER updated AFTER UPDATE ON delivery BEGIN ${change}; END;
    CREATE TEMP TRIGGER paused AFTER UPDATE OF is_paused ON inbox_state BEGIN
      INSERT INTO change (id, state) VALUES (0, iif(new.is_paused, 'paused', 'resumed'));
    END;
    CREATE TEMP TRIGGER deleted AFTER DELETE ON delivery BEGIN
      INSERT INTO change (id, key, state) VALUES (old.id, old.media_type, 'deleted');
    END;`);
  // To prepare the statements takes a quarter of the time of a simulation. Times and ids are parts of some.
  const prepared = new Map<string, StatementSyncInstance>();
  const prepare = database.prepare.bind(database);
  const prepareOnce = (text: string, options?: StatementOptions): StatementSyncInstance => {
    const statement = prepared.get(text) ?? prepare(text, options);
    if (prepared.size > 300) prepared.clear();
    prepared.set(text, statement);
    return statement;
  };
  const exec = database.exec.bind(database);
  const clear = (): void =>
    exec(`
      DELETE FROM delivery; DELETE FROM attempt; DELETE FROM event; DELETE FROM sqlite_sequence;
      DELETE FROM lease; UPDATE inbox_state SET is_paused = 0, probed_at = NULL; DELETE FROM change`);
  const memory = { database, clear, isFull: false };
  const execUnlessFull = (text: string): void => {
    if (memory.isFull && text === 'COMMIT') throw FULL;
    exec(text);
  };
  Object.defineProperties(database, { prepare: { value: prepareOnce }, exec: { value: execUnlessFull } });
  return memory;
}
