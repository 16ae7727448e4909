/** Inline code that survives back quotes and the pipes of a table (GFM §4.10, CommonMark §6.1). */
export function code(text: string): string {
  if (text === '') return '';
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padding = longest > 0 ? ' ' : '';
  return `${fence}${padding}${text.replaceAll('|', '\\|')}${padding}${fence}`;
}

/** Text in which Markdown sees nothing but text. */
export function escape(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll('\n', ' ');
}
