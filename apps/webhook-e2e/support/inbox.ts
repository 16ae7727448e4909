import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';

/** A delivery in the inbox, as a person who opens the file sees it. */
export interface StoredDelivery {
  readonly id: number;
  readonly state: string;
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  readonly content: Buffer;
}

const QUERY = `
  SELECT id, state, delivery.method, delivery.media_type AS mediaType,
    delivery.content_encoding AS contentEncoding, delivery.content
  FROM delivery JOIN overview USING (id)
  WHERE id > ? ORDER BY id`;

/** Reads the deliveries with an id above `after` from the inbox in a folder. The receiver may be running. */
export function readInbox(folder: string, after = 0): StoredDelivery[] {
  const database = new Database(join(folder, 'inbox.sqlite'));
  try {
    database.exec('PRAGMA query_only = ON');
    const rows = database.prepare(QUERY).all(after) as (StoredDelivery & { content: Uint8Array })[];
    return rows.map((row) => ({ ...row, content: Buffer.from(row.content) }));
  } finally {
    database.close();
  }
}

/** What a person sees of each delivery: id, state, failures, error and content. The receiver may be running. */
export function overviewOf(folder: string): unknown[][] {
  const database = new Database(join(folder, 'inbox.sqlite'));
  try {
    const query = 'SELECT id, state, failures, error, content FROM overview ORDER BY id';
    return database.prepare(query).raw().all([]) as unknown[][];
  } finally {
    database.close();
  }
}

/** The state of each delivery, whatever its content is. The receiver may be running. */
export function statesOf(folder: string): string[] {
  const database = new Database(join(folder, 'inbox.sqlite'));
  try {
    const rows = database.prepare('SELECT state FROM overview ORDER BY id').raw().all([]) as [string][];
    return rows.map(([state]) => state);
  } finally {
    database.close();
  }
}

/** How many transactions the write-ahead log has, by the format of its frames (sqlite.org/fileformat2.html#walformat). */
export function transactionsOf(folder: string): number {
  const log = readFileSync(join(folder, 'inbox.sqlite-wal'));
  const [header, frameHeader] = [32, 24];
  const frame = frameHeader + log.readUInt32BE(8);
  let count = 0;
  for (let start = header; start + frame <= log.length; start += frame) {
    const isOfThisLog = log.compare(log, 16, 24, start + 8, start + 16) === 0;
    const pagesAfterCommit = log.readUInt32BE(start + 4);
    if (isOfThisLog && pagesAfterCommit > 0) count += 1;
  }
  return count;
}

/** Keeps the receiver from writing, until the function that it returns is called. */
export function lockInbox(folder: string): () => void {
  const database = new Database(join(folder, 'inbox.sqlite'));
  // The receiver may write just now.
  database.exec('PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}
