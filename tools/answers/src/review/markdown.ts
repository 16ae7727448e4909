/** A cell of a table is shortened if it is longer than this. */
const MAX_CELL = 1_200;

/** A line of such a cell is left out if it is longer than this. */
const MAX_CELL_LINE = 400;

/** Text on one line in which Markdown finds no marks, and GitHub nobody to notify. */
export function escape(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#&~$|]/g, '\\$&')
    .replaceAll('@', '@<!-- -->');
}

/** Text in which only what stands between back quotes is marked, as code. */
export function marked(text: string): string {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return escape(text);
  return parts.map((part, index) => (index % 2 === 0 ? escape(part) : `\`${part}\``)).join('');
}

/** Text in at most `room` characters, which says how long it was if that isn't all. */
export function shorten(text: string, room: number): string {
  if (text.length <= room) return text;
  // A character may be two units; half of one is no text.
  const start = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}… (${text.length} characters)`;
}

/** As many of the texts as fit into `room` characters, and the rest in words. */
export function joinSome(texts: readonly string[], room: number, rest: (count: number) => string): string {
  const between = '\n\n';
  const whole = texts.join(between);
  if (whole.length <= room) return whole;
  let left = room - rest(texts.length).length;
  const count = texts.findIndex((text) => (left -= text.length + between.length) < 0);
  return [...texts.slice(0, count), rest(texts.length - count)].join(between);
}

/**
 * Markdown in at most `room` characters. It ends after a whole line, closes what is open there, and says with `rest`
 * how many rows of tables are left out. Long cells are shortened first, so that one row doesn't keep out the others.
 */
export function cut(markdown: string, room: number, rest: (rows: number) => string): string {
  if (markdown.length <= room) return markdown;
  const lines = markdown.split('\n').map(shortenRow);
  if (lines.join('\n').length <= room) return lines.join('\n');
  // What stands below the last line: the end of a block of code and of `<details>`, and the rest.
  const reserve = rest(lines.length).length + '\n\n````````\n\n</details>\n\n'.length;
  let left = room - reserve;
  const count = lines.findIndex((line) => (left -= line.length + 1) < 0);
  const kept = lines.slice(0, count);
  const rows = lines.filter((line, index) => index >= count && isRow(line, lines[index + 1]));
  return [kept.join('\n').trimEnd(), ...closing(kept), rest(rows.length)].join('\n\n');
}

/** What ends the block of code and the `<details>` that are open below these lines. */
function closing(lines: readonly string[]): string[] {
  let fence: string | undefined;
  let details: string | undefined;
  for (const line of lines) {
    if (fence !== undefined) fence = line === fence ? undefined : fence;
    else if (line === '<details>') details = '</details>';
    else if (line === '</details>') details = undefined;
    else fence = /^`{3,}/.exec(line)?.[0];
  }
  return [fence, details].filter((end) => end !== undefined);
}

function isRow(line: string, next = ''): boolean {
  return line.startsWith('| ') && !isRule(line) && !isRule(next);
}

/** The line between the head and the rows of a table. */
function isRule(line: string): boolean {
  return /^\|(?: -+ \|)+$/.test(line);
}

function shortenRow(line: string): string {
  if (line.length <= MAX_CELL || !line.startsWith('| ')) return line;
  return line
    .split(/(?<!\\)\|/)
    .map((cell) => (cell.length <= MAX_CELL ? cell : ` ${shortenCell(cell.trim())} `))
    .join('|');
}

/** The first lines of a cell, without those that are too long alone, and how many there are beside them. */
function shortenCell(cell: string): string {
  const lines = cell
    .split('<br>')
    .map((line) => (line.length <= MAX_CELL_LINE ? line : `(${line.length} characters)`));
  let left = MAX_CELL;
  const count = lines.findIndex((line) => (left -= line.length + '<br>'.length) < 0);
  if (count === -1) return lines.join('<br>');
  return [...lines.slice(0, count), `and ${lines.length - count} more lines`].join('<br>');
}
