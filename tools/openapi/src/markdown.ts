/**
 * Text on one line of a terminal or of a table. Control characters, line breaks, marks that turn the direction of text,
 * and halves of characters, which no file can have, are written as JSON writes them: `\n`, `\u001b`.
 */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => {
      const json = JSON.stringify(character).slice(1, -1);
      return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json;
    },
  );
}

/** Text on one line in which Markdown finds no marks (CommonMark §2.4), and GitHub nobody to notify. */
export function escape(text: string): string {
  return visible(text.replace(/\s+/g, ' '))
    .replace(/[\\`*[\]<>#&~$|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('@', '@<!-- -->');
}

/** Text in which only what stands between back quotes is marked, as code. */
export function marked(text: string): string {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return escape(text);
  return parts.map((part, index) => (index % 2 === 0 ? escape(part) : code(part))).join('');
}

/** Inline code on one line, whatever is in it (CommonMark §6.1). */
export function code(text: string): string {
  if (text === '') return '';
  const fence = fenceAround(text, 1);
  const padding = /^`|`$/.test(text) || fence.length > 1 ? ' ' : '';
  return `${fence}${padding}${visible(text)}${padding}${fence}`;
}

/** A block of code, whatever is in it. */
export function codeBlock(text: string, language = ''): string {
  const fence = fenceAround(text, 3);
  return [fence + language, ...text.split('\n').map(visible), fence].join('\n');
}

/** A table of cells that are Markdown. A pipe ends a cell, also within code, unless an odd number of backslashes is before it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)(?:\\\\)*\|/g, (end) => end.replace('|', '\\|'))).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The fragment that GitHub gives to a heading. No two headings of these pages are the same. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** A longer fence than any that the text has. */
function fenceAround(text: string, least: number): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return '`'.repeat(longest < least ? least : longest + 1);
}
