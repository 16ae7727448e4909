/** A label and what stands beside it, on one line or several. A row without text is left out. */
export type Row = readonly [label: string, text: string | undefined];

/** A title and rows of two columns, for a terminal. */
export function textBlock(title: string, rows: readonly Row[]): string {
  const lines = rows.flatMap(([label, text]) =>
    (text?.split('\n') ?? []).map((line, index) => `  ${(index === 0 ? label : '').padEnd(15)}${line}`),
  );
  return [title.trimEnd(), ...lines, ''].join('\n');
}

/** Where an annotation is shown, and its heading. */
export interface AnnotationProperties {
  readonly file?: string;
  readonly line?: number;
  readonly title: string;
}

/** An annotation of GitHub Actions, as a workflow command on one line. */
export function annotation(
  level: 'error' | 'warning' | 'notice',
  { file, line, title }: AnnotationProperties,
  text: string,
): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${message(text)}`;
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
