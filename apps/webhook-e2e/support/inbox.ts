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
