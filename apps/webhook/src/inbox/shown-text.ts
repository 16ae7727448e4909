import { isUtf8 } from 'node:buffer';

/**
 * The value of a header field for people. It is stored as it came, with a character for each byte (RFC 9110 §5.5); whoever
 * sends others than ASCII mostly means UTF-8.
 */
export function shownText<Value extends string | null>(stored: Value): Value | string {
  // Most are ASCII, and one that was imported may have any character.
  if (stored === null || !/[\x80-\xff]/.test(stored) || /[^\0-\xff]/.test(stored)) return stored;
  const bytes = Buffer.from(stored, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : stored;
}

/** How a text is stored that was sent in UTF-8. */
export const storedUtf8 = (text: string): string => Buffer.from(text).toString('latin1');

const CONTROL = /[^\P{Cc}\t\n\v\f\r]/u;

/**
 * The beginning of a content as a line; null if it isn't text in UTF-8.
 *
 * @param bytes may end within a character. SQLite has null for none.
 */
export function previewOf(bytes: ArrayBuffer | Uint8Array | null): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined, { stream: true });
    return CONTROL.test(text) ? null : text.replaceAll(/\s+/g, ' ').trim();
  } catch {
    return null;
  }
}
