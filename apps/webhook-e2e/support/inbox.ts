import { join } from 'node:path';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** A delivery in the inbox, as a person who opens the file sees it. */
export interface StoredDelivery {
  readonly id: number;
  readonly receivedAt: number;
  readonly endedAt: number | null;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  readonly content: Buffer;
}

const DELIVERIES = `
  SELECT id, received_at AS receivedAt, ended_at AS endedAt, state, attempts, error, method, media_type AS mediaType, content_encoding AS contentEncoding, content
  FROM delivery WHERE id > ? ORDER BY id`;

/** Reads the deliveries with an id above `after` from the inbox in a folder. The receiver may be running. */
export function readInbox(folder: string, after = 0): StoredDelivery[] {
  const rows = query(folder, DELIVERIES, after) as (StoredDelivery & { content: Uint8Array })[];
  return rows.map((row) => ({ ...row, content: Buffer.from(row.content) }));
}

/** How many deliveries the handler has not ended with. */
export function countOpen(folder: string): number {
  return query(folder, "SELECT 1 FROM delivery WHERE state NOT IN ('handled', 'parked', 'discarded')").length;
}

/** Runs statements on the inbox in a folder. The receiver may be running. */
export function changeInbox(folder: string, statements: string): void {
  const database = open(folder);
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}

/** Keeps others from writing to the inbox in a folder, as a program does that changes the file. Returns what ends it. */
export function lockInbox(folder: string): () => void {
  const database = open(folder);
  database.exec('BEGIN IMMEDIATE');
  return () => database.close();
}

/** Reads from the inbox in a folder, and goes on, as a program does that looks at the file. Returns what ends it. */
export function keepReading(folder: string): () => void {
  const database = open(folder);
  database.exec('BEGIN; SELECT count(*) FROM delivery');
  return () => database.close();
}

function query(folder: string, sql: string, ...values: unknown[]): unknown[] {
  const database = open(folder);
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

function open(folder: string): DatabaseSyncInstance {
  const database = new DatabaseSync(join(folder, 'inbox.sqlite'));
  database.exec('PRAGMA busy_timeout = 5000');
  return database;
}
