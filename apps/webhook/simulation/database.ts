import Database from 'libsql';

import { migrate } from '../src/inbox/sqlite/migrate.js';

const COLUMNS = 'id, media_type, state, attempts, interruptions, due_at, receiver';
const of = (row: 'new' | 'old'): string => COLUMNS.replaceAll(/\w+/g, (column) => `${row}.${column}`);

const MAX_PREPARED = 300;

/** An error of SQLite on a full disk. */
export const FULL = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

/** The tables of an embedded inbox in memory. */
export interface Memory {
  readonly database: Database.Database;
  readonly clear: () => void;
  /** Whether each commit fails. */
  isFull: boolean;
}

/**
 * Opens the tables of an embedded inbox in memory, for one simulation after the other. Beside them, `change` has each
 * change of a delivery and of the pause, and `alive` the receivers that count as alive.
 */
export function openMemory(): Memory {
  const database = new Database(':memory:');
  migrate(database, '');
  database.exec(`
    CREATE TEMP TABLE alive (name TEXT NOT NULL);
    CREATE TEMP TABLE change (${COLUMNS});
    CREATE TEMP TRIGGER inserted AFTER INSERT ON delivery BEGIN INSERT INTO change VALUES (${of('new')}); END;
    CREATE TEMP TRIGGER updated AFTER UPDATE ON delivery BEGIN INSERT INTO change VALUES (${of('new')}); END;
    CREATE TEMP TRIGGER paused AFTER UPDATE OF is_paused ON inbox_state BEGIN
      INSERT INTO change SELECT 0, '', iif(new.is_paused, 'paused', 'resumed'), 0, 0, NULL, NULL;
    END;
    CREATE TEMP TRIGGER deleted AFTER DELETE ON delivery BEGIN
      INSERT INTO change SELECT old.id, old.media_type, 'deleted', 0, 0, NULL, NULL;
    END;`);
  // To prepare the statements takes a quarter of the time of a simulation.
  const prepare = database.prepare.bind(database);
  const prepared = new Map<string, Database.Statement>();
  database.prepare = ((text: string) => {
    const statement = prepared.get(text) ?? prepare(text);
    // Times and ids are parts of some.
    if (prepared.size > MAX_PREPARED) prepared.clear();
    prepared.set(text, statement);
    return statement;
  }) as typeof database.prepare;
  const clear = (): void => {
    database.exec(`
      DELETE FROM delivery; DELETE FROM attempt; DELETE FROM event; DELETE FROM sqlite_sequence;
      DELETE FROM alive; UPDATE inbox_state SET is_paused = 0, probed_at = NULL; DELETE FROM change`);
  };
  const memory = { database, clear, isFull: false };
  const exec = database.exec.bind(database);
  database.exec = (text: string) => {
    if (memory.isFull && text === 'COMMIT') throw FULL;
    return exec(text);
  };
  return memory;
}
