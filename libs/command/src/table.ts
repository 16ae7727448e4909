import stringWidth from 'string-width';
import { escapeHidden } from './printable.js';

/** The cells of a row. Numbers end in the same column. */
export type Row = readonly (string | number)[];

/**
 * Lays out rows in columns, and leaves out columns that are empty. What doesn't fit into a line is cut off with `…`.
 *
 * @param width Of a line. By default nothing is cut off.
 * @returns Lines without their ends. The first one has the headings, if there are any.
 */
export function table(rows: readonly Row[], headings?: readonly string[], width = Infinity): string[] {
  const shown = (rows[0] ?? []).map((_, at) => at).filter((at) => rows.some((row) => row[at] !== ''));
  const cells = [...(headings ? [headings] : []), ...rows].map((row) =>
    shown.map((at) => escapeHidden(String(row[at]))),
  );
  const widths = shown.map((_, index) => Math.max(...cells.map((row) => stringWidth(row[index]!))));
  return cells.map((row) => {
    const padded = row.map((cell, index) => {
      const space = ' '.repeat(widths[index]! - stringWidth(cell));
      return typeof rows[0]![shown[index]!] === 'number' ? space + cell : cell + space;
    });
    return cut(padded.join('  ').trimEnd(), width);
  });
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cuts off what is wider than so many columns. */
export function cut(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let shown = '';
  for (const { segment } of graphemes.segment(line)) {
    if (stringWidth(shown + segment) >= width) break;
    shown += segment;
  }
  return `${shown}…`;
}
