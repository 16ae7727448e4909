/**
 * What differs between the errors of one fault: an identifier (a UUID, or 16 letters and digits or more, such as a ULID),
 * text in quotation marks, and numbers in digits or hexadecimal digits.
 */
const VARIABLE =
  /\b(?=(?:[a-z_]*\d){3})\w{16,}\b|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|"[^"]*"|(?<![\w…])'[^']*'|`[^`]*`|\b0x[\da-f]+\b|\b(?=[a-f]*\d)[\da-f]{8,}\b|\d+(?:[.:]\d+)*/gi;

/**
 * What the errors of one fault have in common: the message on one line, in which `…` stands for what differs. A form of a
 * browser, a terminal and whoever copies it may each change how a line ends, and how many spaces there are.
 */
export function errorGroupOf(error: string): string {
  return error.replaceAll(VARIABLE, '…').replaceAll(/\s+/g, ' ').trim();
}
