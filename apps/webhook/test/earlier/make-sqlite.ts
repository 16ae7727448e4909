import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { copyInbox } from '../copy-inbox.js';

export const SQL = readFileSync(new URL('sqlite-6.sql', import.meta.url), 'utf8');
export const STEP = readFileSync(new URL('../../migrations/sqlite-7.sql', import.meta.url), 'utf8');

/** Does something with the database in a file. */
export function use<Result>(file: string, work: (database: DatabaseSyncInstance) => Result): Result {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export const folderOf = (url: string): string => url.replace(/^file:/, '');
export const fileOf = (url: string): string => join(folderOf(url), 'inbox.sqlite');

/** Makes an embedded inbox of version 6, and takes a step. Returns its URL. */
export async function make(step = ''): Promise<string> {
  const folder = makeFolder();
  // Copied while it is open: a receiver that was killed leaves its write-ahead log behind.
  return use(fileOf(folder), (database) => {
    database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; BEGIN; ${SQL} ${step} COMMIT`);
    return `file:${copyInbox(folder)}`;
  });
}
