import { escapeHidden, printable } from '@plant-store/command/printable';

/** How a result is printed. */
export type Output = 'text' | 'json';

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
    return escapeHidden(found) === text ? found : text;
  });
