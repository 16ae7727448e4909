/**
 * The rows of a table in Markdown, without its head. A cell must not contain `|`.
 *
 * @param heading the first heading of the table
 * @throws Error if there is no such table
 */
export function tableOf(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  if (start === -1) throw new Error(`There is no table that starts with "${heading}".`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end === -1 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
