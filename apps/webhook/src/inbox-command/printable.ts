/** How a result is printed. */
export type Output = 'text' | 'json';

/** Characters that change what a terminal does or the order in which it shows text, and those that nothing shows. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** A text of several lines without control characters: each is written as JSON would, such as `\u001b`. */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (found) => (found === '\n' || found === '\t' ? found : escape(found)));
}

/** The same for a text that must stay on one line. */
export function printableLine(text: string): string {
  return text.replace(HIDDEN, escape);
}

/** A time to the second, in UTC. */
export const shortTime = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** A time, which is a number in a member such as `receivedAt` or `now`, in ISO 8601. Any other value stays as it is. */
export const timeText = (name: string, value: unknown): unknown =>
  typeof value === 'number' && /At$|^at$|^now$/.test(name) ? new Date(value).toISOString() : value;

/**
 * JSON without what a terminal acts on, with times in ISO 8601.
 *
 * @param indent spaces of each level; 0 for one line
 */
export const jsonText = (value: unknown, indent: 0 | 2): string =>
  `${printable(JSON.stringify(value, timeText, indent))}\n`;

/** A line of JSON for each value of a list. Where such lines are kept, nothing of a content must be. */
export const jsonLines = (values: readonly object[]): string =>
  values.map((value) => jsonText({ ...value, preview: undefined }, 0)).join('');

/** The text that was printed, with what {@link printable} has escaped. */
export const unescaped = (shown: string): string =>
  shown.replaceAll(/\\u([\da-f]{4})/g, (text, code: string) => {
    const found = String.fromCharCode(parseInt(code, 16));
    return printableLine(found) === text ? found : text;
  });

const escape = (found: string): string =>
  found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The text that the bytes are in UTF-8; undefined if they aren't, or if it has U+0000. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
