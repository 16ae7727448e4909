/** Columns of a line, as the formatter is configured. */
const WIDTH = 110;

/** JSON text laid out as Prettier does: an object on several lines, a list on one where it fits. */
export function jsonText(value: unknown): string {
  return layOut(value, '', 0);
}

function layOut(value: unknown, indent: string, used: number): string {
  if (Array.isArray(value)) return layOutList(value, indent, used);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(([key, item]) => {
    const name = `${inner}${JSON.stringify(key)}: `;
    return `${name}${layOut(item, inner, name.length)}`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

function layOutList(list: readonly unknown[], indent: string, used: number): string {
  const line = `[${list.map((item) => layOut(item, indent, 0)).join(', ')}]`;
  const isTable = list.length > 1 && list.every((item) => Array.isArray(item) && item.length > 1);
  // One column is for the comma that may follow.
  if (!line.includes('\n') && !isTable && used + line.length < WIDTH) return line;
  const inner = `${indent}  `;
  const items = list.map((item) => layOut(item, inner, inner.length));
  const isNumbers = list.every((item) => typeof item === 'number');
  return `[\n${isNumbers ? fill(items, inner) : items.map((item) => inner + item).join(',\n')}\n${indent}]`;
}

/** As many numbers on a line as there is room for. */
function fill(numbers: readonly string[], indent: string): string {
  const lines: string[] = [];
  let line = indent;
  numbers.forEach((number, index) => {
    const written = index < numbers.length - 1 ? `${number},` : number;
    const gap = line === indent ? '' : ' ';
    if (line !== indent && line.length + gap.length + written.length > WIDTH) {
      lines.push(line);
      line = indent + written;
    } else line += gap + written;
  });
  return [...lines, line].join('\n');
}
