/** The most that is kept of an error, in UTF-16 code units. The whole of it stands in the log. */
const MAX_LENGTH = 1_000;

/**
 * An error as an inbox keeps it: well-formed Unicode without U+0000, for libsql ends the process that reads anything
 * else back, and PostgreSQL keeps neither.
 */
export function errorText(error: string): string {
  return error.slice(0, MAX_LENGTH).replaceAll(/[\0\p{Surrogate}]/gu, '\u{fffd}');
}
