/**
 * What differs between the errors of one fault: an identifier (a UUID, or 16 letters and digits or more, such as a ULID),
 * text in quotation marks, and numbers in digits or hexadecimal digits.
 */
const VARIABLE =
  /\b(?=(?:[a-z_]*\d){3})\w{16,}\b|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|"[^"]*"|(?<![\w…])'[^']*'|`[^`]*`|\b0x[\da-f]+\b|\b(?=[a-f]*\d)[\da-f]{8,}\b|\d+(?:[.:]\d+)*/gi;

/** What the errors of one fault have in common: the message, in which `…` stands for what differs. */
export function errorGroupOf(error: string): string {
  return error.replaceAll(VARIABLE, '…');
}
