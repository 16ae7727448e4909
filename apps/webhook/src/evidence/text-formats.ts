import { z } from 'zod';

/** Formats of text, by the names that JSON Schema has for them; digits are a number that is sent as text. */
const FORMATS = {
  'date-time': z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  uuid: z.guid(),
  email: z.email(),
  uri: z.url({ hostname: /./ }),
  digits: z.string().regex(/^-?\d+$/),
} as const;

/** The name of a format. */
export type TextFormat = keyof typeof FORMATS;

const ALL = Object.keys(FORMATS) as TextFormat[];

/** Longer text has no format, and isn't looked at, in UTF-16 code units. */
const MAX_LENGTH = 2_048;

/**
 * The formats that a text has.
 *
 * @param candidates the only ones that are looked for
 */
export function formatsOf(text: string, candidates: readonly TextFormat[] = ALL): readonly TextFormat[] {
  if (candidates.length === 0 || text.length > MAX_LENGTH) return [];
  return candidates.filter((name) => FORMATS[name].safeParse(text).success);
}
