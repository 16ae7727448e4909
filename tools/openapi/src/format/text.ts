/** A label and what stands beside it, on one line or several. A row without text is left out. */
export type Row = readonly [label: string, text: string | undefined];

/** A title and rows of two columns, for a terminal. */
export function textBlock(title: string, rows: readonly Row[]): string {
  const lines = rows.flatMap(([label, text]) =>
    (text?.split('\n') ?? []).map((line, index) => `  ${(index === 0 ? label : '').padEnd(15)}${line}`),
  );
  return [title.trimEnd(), ...lines, ''].join('\n');
}
