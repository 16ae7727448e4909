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

/**
 * JSON without what a terminal acts on. Times, which are numbers in members such as `receivedAt`, become ISO 8601.
 *
 * @param indent spaces of each level; 0 for one line
 */
export function jsonText(value: unknown, indent: 0 | 2): string {
  const withTimes = (name: string, member: unknown): unknown =>
    typeof member === 'number' && name.endsWith('At') ? new Date(member).toISOString() : member;
  return `${printable(JSON.stringify(value, withTimes, indent))}\n`;
}

function escape(found: string): string {
  return Array.from({ length: found.length }, (_, index) => unit(found.charCodeAt(index))).join('');
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** The text that the bytes are in UTF-8; undefined if they aren't, or if it has U+0000. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const BYTES_OF_A_LINE = 16;

/** Bytes in hexadecimal, 16 on a line, with their offset and as ASCII, as `hexdump -C` and `xxd` show them. */
export function* hexLines(bytes: Uint8Array): Generator<string> {
  for (let start = 0; start < bytes.length; start += BYTES_OF_A_LINE) {
    const part = Buffer.from(bytes.subarray(start, start + BYTES_OF_A_LINE));
    const hex = part.toString('hex').replace(/../g, '$& ');
    const ascii = part.toString('latin1').replace(/[^ -~]/g, '.');
    yield `${start.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * BYTES_OF_A_LINE)} ${ascii}\n`;
  }
}
