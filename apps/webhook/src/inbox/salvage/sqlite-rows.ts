import type { Page, SqlitePages } from './sqlite-pages.js';

/** First byte of a page that has rows of a table. */
const LEAF = 13;

/** Bytes of the header of such a page; on the first page, the header of the file comes before it. */
const LEAF_HEADER = 8;
const FILE_HEADER = 100;

/** A value: text is its bytes, which may be damaged. */
export type Value = null | number | Buffer;

/** A row of a table. */
export interface Row {
  readonly id: number;
  /**
   * A letter for each column: `n` for null, `i` for an integer, `r` for a real number, `t` for text, `b` for bytes. It
   * tells rows of different tables apart.
   */
  readonly shape: string;
  /** Undefined if the pages that the row continues on are damaged. */
  values(): Value[] | undefined;
}

interface Column {
  readonly letter: string;
  readonly size: number;
  /** Of a number that takes no space. */
  readonly constant?: number;
}

/** The rows of a page. What isn't a row is left out. */
export function rowsOf(pages: SqlitePages, page: Page): Row[] {
  const { number, bytes } = page;
  const start = number === 1 ? FILE_HEADER : 0;
  if (bytes[start] !== LEAF) return [];
  const count = bytes.readUInt16BE(start + 3);
  const rows: Row[] = [];
  for (let cell = 0; cell < count; cell += 1) {
    const pointer = start + LEAF_HEADER + 2 * cell;
    if (pointer + 2 > pages.usableSize) break;
    const row = rowAt(pages, page, bytes.readUInt16BE(pointer));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function rowAt(pages: SqlitePages, page: Page, offset: number): Row | undefined {
  const reader = new Reader(page.bytes, offset);
  const size = reader.varint();
  const id = reader.varint();
  const local = localSize(pages.usableSize, size);
  const start = reader.offset;
  if (!Number.isSafeInteger(id) || id < 1) return undefined;
  if (!Number.isSafeInteger(size) || start + local > pages.usableSize) return undefined;
  const columns = columnsOf(page.bytes.subarray(start, start + local));
  if (columns === undefined) return undefined;
  return {
    id,
    shape: columns.map(({ letter }) => letter).join(''),
    values: () => {
      const payload = payloadOf(pages, page, start, local, size);
      return payload && valuesOf(payload, columns);
    },
  };
}

/** How much of a row is on its page. */
function localSize(usable: number, size: number): number {
  const most = usable - 35;
  if (size <= most) return size;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((size - least) % (usable - 4));
  return local <= most ? local : least;
}

/** The columns that the row's own header lists. */
function columnsOf(local: Buffer): Column[] | undefined {
  const reader = new Reader(local, 0);
  const end = reader.varint();
  if (!(end <= local.length)) return undefined;
  const columns: Column[] = [];
  while (reader.offset < end) {
    const column = columnOf(reader.varint());
    if (column === undefined) return undefined;
    columns.push(column);
  }
  return reader.offset === end ? columns : undefined;
}

const NUMBER_SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function columnOf(type: number): Column | undefined {
  if (type >= 12) return { letter: type % 2 === 0 ? 'b' : 't', size: Math.floor((type - 12) / 2) };
  const size = NUMBER_SIZES[type];
  if (size === undefined) return undefined;
  if (type === 0) return { letter: 'n', size };
  if (type === 7) return { letter: 'r', size };
  return type < 8 ? { letter: 'i', size } : { letter: 'i', size, constant: type - 8 };
}

/** The bytes of a row: those on its page, then those on a chain of pages. */
function payloadOf(
  pages: SqlitePages,
  { bytes: first, isCommitted }: Page,
  start: number,
  local: number,
  size: number,
): Buffer | undefined {
  const parts = [first.subarray(start, start + local)];
  if (local === size) return parts[0];
  if (start + local + 4 > first.length || size > pages.count * pages.pageSize) return undefined;
  let next = first.readUInt32BE(start + local);
  for (let left = size - local; left > 0; left -= pages.usableSize - 4) {
    const bytes = pages.readNext({ number: next, isCommitted });
    if (bytes === undefined) return undefined;
    parts.push(bytes.subarray(4, Math.min(4 + left, pages.usableSize)));
    next = bytes.readUInt32BE(0);
  }
  return next === 0 ? Buffer.concat(parts) : undefined;
}

function valuesOf(payload: Buffer, columns: readonly Column[]): Value[] | undefined {
  let offset = new Reader(payload, 0).varint();
  const values: Value[] = [];
  for (const { letter, size, constant } of columns) {
    if (offset + size > payload.length) return undefined;
    values.push(valueAt(payload, offset, letter, size, constant));
    offset += size;
  }
  return offset === payload.length ? values : undefined;
}

function valueAt(payload: Buffer, offset: number, letter: string, size: number, constant?: number): Value {
  if (letter === 'n') return null;
  if (constant !== undefined) return constant;
  if (letter === 'r') return payload.readDoubleBE(offset);
  if (letter !== 'i') return payload.subarray(offset, offset + size);
  return size === 8 ? Number(payload.readBigInt64BE(offset)) : payload.readIntBE(offset, size);
}

/** Reads numbers of variable length: seven bits a byte, at most nine bytes. NaN beyond the end. */
class Reader {
  constructor(
    private readonly bytes: Buffer,
    public offset: number,
  ) {}

  varint(): number {
    let value = 0;
    for (let count = 0; count < 9; count += 1) {
      const byte = this.bytes[this.offset] ?? NaN;
      this.offset += 1;
      if (count === 8) return value * 256 + byte;
      value = value * 128 + (byte % 128);
      if (!(byte >= 128)) return value;
    }
    return value;
  }
}
