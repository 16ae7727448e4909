import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import Database from 'libsql';

/** A delivery in the inbox, as a person who opens the file sees it. */
export interface StoredDelivery {
  readonly id: number;
  readonly state: string;
  readonly error: string | null;
  readonly content: Buffer;
}

const DELIVERIES = `
  SELECT id, state, error, delivery.content FROM overview JOIN delivery USING (id) WHERE id > ? ORDER BY id`;

/** Reads the deliveries with an id above `after` from the inbox in a folder. The receiver may be running. */
export function readInbox(folder: string, after = 0): StoredDelivery[] {
  return query<StoredDelivery & { content: Uint8Array }>(folder, DELIVERIES, after).map((row) => ({
    ...row,
    content: Buffer.from(row.content),
  }));
}

/** How many deliveries with an id above `after` are in a state. */
export function countInState(folder: string, state: string, after = 0): number {
  const count = 'SELECT count(*) AS found FROM overview WHERE id > ? AND state = ?';
  return query<{ found: number }>(folder, count, after, state)[0]!.found;
}

function query<Row>(folder: string, sql: string, ...parameters: readonly unknown[]): Row[] {
  // If the receiver has just ended, a connection that may write would do its checkpoint when it closes.
  const database = new Database(`${pathToFileURL(join(folder, 'inbox.sqlite')).href}?mode=ro`);
  try {
    database.exec('PRAGMA busy_timeout = 2000');
    return database.prepare(sql).all(...parameters) as Row[];
  } finally {
    database.close();
  }
}
