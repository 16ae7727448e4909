/** Numbers, sizes and times, as people read them. Times are in the time zone of the browser. */
import { dueText } from '../src/inbox/in-words.js';

const numbers = new Intl.NumberFormat('en');

/** @param {number} value */
export const count = (value) => numbers.format(value);

/** @param {number} number */
export const deliveries = (number) => (number === 1 ? '1 delivery' : `${count(number)} deliveries`);

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1] ?? ''}`;
}

/** A duration, such as `12 ms`, `1.4 s` or `3.5 h`. @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds < 10 && !Number.isInteger(milliseconds)) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 300) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${count(Math.round(seconds / 360) / 10)} h`;
}

/** How long ago a time is. @param {number} milliseconds since 1970 */
export function ago(milliseconds, now = Date.now()) {
  const seconds = Math.max(0, Math.floor((now - milliseconds) / 1_000));
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds - (seconds % 10)} s ago`;
  if (seconds < 5_400) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 129_600
    ? `${Math.round(seconds / 3_600)} h ago`
    : `${Math.round(seconds / 86_400)} days ago`;
}

/** A time to the second, such as `2026-11-22 09:05:00`. @param {number} milliseconds since 1970 */
export function time(milliseconds) {
  const date = new Date(milliseconds);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** The time of the day, and the day in front of it if it isn't today. @param {number} milliseconds since 1970 */
export function shortTime(milliseconds, now = Date.now()) {
  const [day, timeOfDay = ''] = time(milliseconds).split(' ');
  return day === time(now).split(' ')[0] ? timeOfDay : `${day} ${timeOfDay}`;
}

/** {@link shortTime} with milliseconds. @param {number} milliseconds since 1970 */
export const preciseTime = (milliseconds) =>
  `${shortTime(milliseconds)}.${String(milliseconds % 1000).padStart(3, '0')}`;

export const timeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** When an attempt begins. @param {number} dueAt @param {boolean | undefined} isPaused */
export const due = (dueAt, isPaused = false) => dueText({ dueAt, now: Date.now(), isPaused }, shortTime);
