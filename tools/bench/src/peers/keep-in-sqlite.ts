import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

import type { Keep, Received } from './peer.js';

interface Waiting extends Received {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Statements don't keep their database from being collected, and the process would crash. */
const open: unknown[] = [];

/**
 * Keeps deliveries in a new database of SQLite in a folder: one transaction and one flush for everything that arrived during the last.
 * It is the least that a durable acknowledgement costs on this stack.
 */
export function keepInSqlite(folder: string): Keep {
  const database = new DatabaseSync(join(folder, 'deliveries.sqlite'));
  open.push(database);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE delivery (
      id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, media_type TEXT, content BLOB NOT NULL
    ) STRICT`);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const insert = database.prepare(`
    INSERT INTO delivery (received_at, media_type, content)
    SELECT value ->> 0, value ->> 1, substr(?, value ->> 2, value ->> 3) FROM json_each(?)`);
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    try {
      const now = Date.now();
      let start = 1;
      const rows = batch.map(({ mediaType = null, content }) => {
        const row = [now, mediaType, start, content.length];
        start += content.length;
        return row;
      });
      const contents = batch.map(({ content }) => content);
      begin.run();
      insert.run(Buffer.concat(contents, start - 1), JSON.stringify(rows));
      commit.run();
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return ({ mediaType, content }) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ mediaType, content, resolve, reject }) === 1) setImmediate(flush);
    });
}
