import pg from 'pg';

/** Number of PostgreSQL's type (pg_type.oid). */
const INT8 = 20;

interface Parsers {
  getTypeParser(type: number, format?: string): (value: string) => unknown;
}
const others: Parsers = pg.types;

/** How values of PostgreSQL are read: 64-bit numbers as numbers, since ids, counts and times fit. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) =>
    type === INT8 ? Number : others.getTypeParser(type, format),
};
