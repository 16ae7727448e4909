import stringWidth from 'string-width';

import { printableLine } from './printable.js';

/** A column of a table. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Numbers end in the same column. */
  readonly isNumber?: boolean;
  /** Whether it is left out if all its cells are empty. */
  readonly isOptional?: boolean;
}

const GAP = '  ';

/**
 * Lays out rows in columns. No line is wider than the terminal: what doesn't fit is cut off with `…`.
 *
 * @param width columns of the terminal; undefined if lines may have any length
 * @returns lines, each with its end
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width?: number): string {
  const shown = columns
    .map((column) => ({ ...column, cells: rows.map((row) => printableLine(column.cell(row))) }))
    .filter(({ isOptional, cells }) => isOptional !== true || cells.some((cell) => cell !== ''));
  const widths = shown.map(({ heading, cells }) =>
    cells.reduce((most, cell) => Math.max(most, stringWidth(cell)), heading.length),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, index) => pad(cell, widths[index]!, shown[index]!.isNumber === true));
    return `${cut(padded.join(GAP).trimEnd(), width)}\n`;
  };
  const lines = rows.map((_, row) => line(shown.map(({ cells }) => cells[row]!)));
  return [line(shown.map(({ heading }) => heading)), ...lines].join('');
}

function pad(cell: string, width: number, isNumber: boolean): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(cell)));
  return isNumber ? space + cell : cell + space;
}

/** Names and values, one a line. */
export function nameTable(rows: readonly (readonly [name: string, value: string])[], width?: number): string {
  const longest = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
  return rows
    .map(([name, value]) => `${cut(`${name.padEnd(longest)}${GAP}${printableLine(value)}`, width)}\n`)
    .join('');
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function cut(line: string, width: number | undefined): string {
  if (width === undefined || stringWidth(line) <= width) return line;
  let shown = '';
  let used = 1;
  for (const { segment } of graphemes.segment(line)) {
    used += stringWidth(segment);
    if (used > width) break;
    shown += segment;
  }
  return `${shown}…`;
}
