/**
 * The blocks of a section of a page in one language.
 *
 * @param page its text, in Markdown
 * @param heading that of the section, of the second level
 */
export function blocksOf(page: string, heading: string, language: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!);
}

/** Matches what a page shows: `…` stands for anything on a line, and times differ. */
export function shown(text: string): RegExp {
  const pattern = text
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\d{4}-\d\d-\d\dT\S*Z|\d\d:\d\d:\d\d/g, String.raw`\S+`)
    .replaceAll(/(?<!\d)\d+\\\.\d s/g, String.raw`\S+ s`)
    .replaceAll('…', '.*');
  return new RegExp(pattern);
}
