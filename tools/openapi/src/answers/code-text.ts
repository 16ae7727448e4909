/** Columns of a line, as the formatter is configured. */
const WIDTH = 110;

/**
 * A value of JSON as TypeScript, laid out as Prettier does: on one line where it fits, with single quotes, and with
 * quotes around a key only where it needs them.
 *
 * @param indent what each line begins with
 * @param used columns that are taken on the first line, and one at the end for the comma
 */
export function codeText(value: unknown, indent: string, used: number): string {
  const line = inLine(value);
  if (used + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + codeText(item, inner, inner.length + 1))
    : Object.entries(value).map(([key, item]) => {
        const name = `${inner}${keyText(key)}: `;
        return name + codeText(item, inner, name.length + 1);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${part},\n`).join('')}${indent}${close}`;
}

/** A key as TypeScript. */
export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : textInQuotes(key);
}

function inLine(value: unknown): string {
  if (typeof value === 'string') return textInQuotes(value);
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${inLine(item)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** In single quotes, unless double ones have less to escape. */
function textInQuotes(text: string): string {
  const double = JSON.stringify(text);
  const count = (quote: string): number => text.split(quote).length - 1;
  if (count("'") > count('"')) return double;
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
