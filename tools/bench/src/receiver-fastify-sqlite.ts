/**
 * Raw Fastify with the same bearer check, and with SQLite: one transaction and one flush for everything that arrived
 * during the last. It has no handler and no limits. It is the least that a durable acknowledgement costs on this stack.
 */
import { join } from 'node:path';
import Database from 'libsql';
import { serve } from './fastify-server.js';

interface Waiting {
  readonly mediaType: string | undefined;
  readonly content: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const [accessToken = '', folder = ''] = process.argv.slice(2);
const database = new Database(join(folder, 'floor.sqlite'));
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

await serve(accessToken, ({ mediaType, content }) => {
  return new Promise<void>((resolve, reject) => {
    if (waiting.push({ mediaType, content, resolve, reject }) === 1) setImmediate(flush);
  });
});

function flush(): void {
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
    begin.run();
    insert.run([
      Buffer.concat(
        batch.map(({ content }) => content),
        start - 1,
      ),
      JSON.stringify(rows),
    ]);
    commit.run();
    for (const { resolve } of batch) resolve();
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
