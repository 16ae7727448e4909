import { z } from 'zod';

/** A time of day without an offset would mean another time on another machine. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/** `Date.parse` takes 30 February, as 2 March. */
const DAY = z.iso.date();

/** Milliseconds since 1970 of a day, or of a time with its offset, in ISO 8601. NaN if it is none, or doesn't exist. */
export function parseIsoTime(text: string): number {
  return ISO_TIME.test(text) && DAY.safeParse(text.slice(0, 10)).success ? Date.parse(text) : NaN;
}
