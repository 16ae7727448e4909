import type { SqlitePages } from './sqlite-pages.js';
import { rowsOf } from './sqlite-rows.js';

/** First bytes of the pages of a table: those that lead to others, and those that have rows. */
const INTERIOR = 5;
const LEAF = 13;

/** Bytes of the header of a page that leads to others; its last four are the number of the last of these. */
const INTERIOR_HEADER = 12;

/** Deeper than the largest file: a damaged page may lead back to one above it. */
const MAX_DEPTH = 20;

/**
 * Whether every page of these tables can be read. A table that doesn't exist is whole. If the first page can't be read,
 * nothing says where the tables are: they count as whole if no page of the file is missing.
 */
export function isWhole(pages: SqlitePages, tables: readonly string[]): boolean {
  const roots = rootsOf(pages, tables);
  if (roots !== undefined) return roots.every((root) => isTreeWhole(pages, root, MAX_DEPTH));
  for (let number = 2; number <= pages.count; number += 1)
    if (pages.read({ number, isCommitted: true }) === undefined) return false;
  return pages.count > 1;
}

/** Undefined if the first page, which lists the tables, can't be read. */
function rootsOf(pages: SqlitePages, tables: readonly string[]): number[] | undefined {
  const version = { number: 1, isCommitted: true };
  const bytes = pages.read(version);
  if (bytes === undefined) return undefined;
  const rows = rowsOf(pages, { ...version, bytes }).map((row) => row.values()?.map(String) ?? []);
  // The columns are type, name, table, number of the root page, and SQL.
  const roots = rows.filter(([type, name]) => type === 'table' && tables.includes(name ?? ''));
  return rows.length === 0 ? undefined : roots.map(([, , , root]) => Number(root));
}

function isTreeWhole(pages: SqlitePages, number: number, depth: number): boolean {
  // The version before a damaged one may lack rows.
  const bytes = pages.readNext({ number, isCommitted: true });
  if (bytes === undefined || depth === 0) return false;
  const count = bytes.readUInt16BE(3);
  if (bytes[0] === LEAF) return rowsOf(pages, { number, isCommitted: true, bytes }).length === count;
  if (bytes[0] !== INTERIOR || INTERIOR_HEADER + 2 * count > pages.usableSize) return false;
  const children = Array.from({ length: count }, (_, cell) => bytes.readUInt16BE(INTERIOR_HEADER + 2 * cell));
  if (children.some((offset) => offset + 4 > pages.usableSize)) return false;
  const below = [...children.map((offset) => bytes.readUInt32BE(offset)), bytes.readUInt32BE(8)];
  return below.every((child) => isTreeWhole(pages, child, depth - 1));
}
