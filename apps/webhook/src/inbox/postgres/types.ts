import pg from 'pg';

/** Numbers of PostgreSQL's types (pg_type.oid). */
const INT8 = 20;
const INT8_ARRAY = 1016;

interface Parsers {
  getTypeParser(type: number, format?: string): (value: string) => unknown;
}
const others: Parsers = pg.types;

/** How values of PostgreSQL are read: 64-bit numbers as numbers, since ids, counts and sizes fit. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (type === INT8) return Number;
    if (type === INT8_ARRAY) return toNumbers;
    return others.getTypeParser(type, format);
  },
};

const toNumbers = (text: string): (number | null)[] =>
  text
    .slice(1, -1)
    .split(',')
    .map((item) => (item === 'NULL' ? null : Number(item)));
