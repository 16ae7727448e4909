/**
 * IMF-fixdate, and the two obsolete formats that a recipient must accept (RFC 9110 §5.6.7): the day of the week, the
 * date, the time, and GMT or the year. All mean GMT.
 */
const datePattern = /^[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

/**
 * How long a response asks to wait before the next request (RFC 9110 §10.2.3).
 *
 * @param field The value of `Retry-After`: seconds, or a date.
 * @returns Milliseconds from now; 0 if the field is missing, invalid, or in the past.
 */
export function readRetryAfter(field: string | readonly string[] | undefined): number {
  if (typeof field !== 'string') return 0;
  // undici keeps white space at the end, which is no part of the value (RFC 9112 §5.1).
  const value = field.trim();
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  if (!datePattern.test(value)) return 0;
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}
