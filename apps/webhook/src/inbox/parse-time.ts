import { z } from 'zod';

const DATE_TIME = { offset: true, local: true } as const;
const ISO_TIME = z.union([
  z.iso.date(),
  z.iso.datetime(DATE_TIME),
  z.iso.datetime({ ...DATE_TIME, precision: -1 }),
]);

/**
 * The time that a text in ISO 8601 means: a day, or a day and a time, in UTC unless there is an offset.
 *
 * @returns milliseconds since 1970, and 0 for what was before; undefined if it is no time
 */
export function parseTime(text: string): number | undefined {
  if (!ISO_TIME.safeParse(text).success) return undefined;
  const isUtc = !text.includes('T') || /(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = Date.parse(isUtc ? text : `${text}Z`);
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}
