import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';

/** Bytes of a page of a new inbox. */
const PAGE = 8_192;

/** First byte of a page of a table that has no rows, only the numbers of other pages. */
const INTERIOR = 5;

/** Overwrites a page of an inbox with noise. The inbox must be closed. @param page from 0 */
export function damagePage(folder: string, page: number): void {
  const descriptor = openSync(join(folder, 'inbox.sqlite'), 'r+');
  writeSync(descriptor, randomBytes(PAGE), 0, PAGE, page * PAGE);
  closeSync(descriptor);
}

/** The page that has this text. */
export function pageOf(folder: string, text: string): number {
  const offset = readFileSync(join(folder, 'inbox.sqlite')).indexOf(text);
  if (offset === -1) throw new Error(`No page has "${text}".`);
  return Math.floor(offset / PAGE);
}

/** The page from which all rows of a table are found. */
export function rootPageOf(folder: string, table = 'delivery'): number {
  const database = new Database(join(folder, 'inbox.sqlite'));
  const [row] = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').all([table]);
  database.close();
  return (row as { rootpage: number }).rootpage - 1;
}

/** Makes the page of a small table say that it has a row less. */
export function hideLastRow(folder: string, table: string): void {
  const file = join(folder, 'inbox.sqlite');
  const count = rootPageOf(folder, table) * PAGE + 3;
  const bytes = readFileSync(file);
  bytes.writeUInt16BE(bytes.readUInt16BE(count) - 1, count);
  writeFileSync(file, bytes);
}

/** The pages between that root and the pages of the deliveries. There are none in a small inbox. */
export function interiorPagesOf(folder: string): number[] {
  const bytes = readFileSync(join(folder, 'inbox.sqlite'));
  const pages = Array.from({ length: bytes.length / PAGE }, (_, page) => page);
  const root = rootPageOf(folder);
  return pages.filter((page) => page > 0 && page !== root && bytes[page * PAGE] === INTERIOR);
}

/** Removes a table of an inbox that is open, so that whoever reads it next fails. @param file of the database */
export function dropTable(file: string, table: string): void {
  const database = new Database(file);
  database.exec(`DROP TABLE ${table}`);
  database.close();
}
