/** Numbers, sizes and times, as people read them. Times are in the time zone of the browser. */

const numbers = new Intl.NumberFormat('en');

/** @param {number} value */
export const count = (value) => numbers.format(value);

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1] ?? ''}`;
}

/**
 * A time to the second, such as `2026-11-22 09:05:00`.
 *
 * @param {number} milliseconds since 1970
 */
export const time = (milliseconds) => localTime(milliseconds).replace('T', ' ');

/**
 * A time with everything that is known of it, such as `2026-11-22 09:05:00.123 (Europe/Berlin)`.
 *
 * @param {number} milliseconds since 1970
 */
export const preciseTime = (milliseconds) =>
  `${time(milliseconds)}.${String(milliseconds % 1000).padStart(3, '0')} (${timeZone()})`;

/**
 * A time as a field of the type `datetime-local` has it.
 *
 * @param {number} milliseconds since 1970
 */
export function localTime(milliseconds) {
  const date = new Date(milliseconds);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

export const timeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
