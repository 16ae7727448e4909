import { isUtf8 } from 'node:buffer';

/**
 * Text in which what a terminal acts on, or doesn't show, is written as in JSON, such as `\u001b`.
 *
 * @param except Characters that stay as they are.
 */
export function escapeHidden(text: string, except = ''): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, (found) => {
    if (except.includes(found)) return found;
    return found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}

/** A text of several lines, with {@link escapeHidden}. */
export function printable(text: string): string {
  return escapeHidden(text.replaceAll('\r\n', '\n'), '\n\t');
}

/** The text that the bytes are in UTF-8; `undefined` if they aren't, or if it has U+0000. */
export function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? Buffer.from(bytes).toString() : undefined;
}

/** A time to the second, in UTC. */
export const shortTime = (time: Date | number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
