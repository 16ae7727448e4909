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

type TextFormat = keyof typeof FORMATS;

/** Longer text has no format, and isn't looked at, in UTF-16 code units. */
const MAX_LENGTH = 2_048;

/** Most levels of objects and lists. What is beyond isn't looked at. */
const MAX_DEPTH = 8;

/** Most names of members at one place and in all, and the longest. Beyond, they are taken for values, as in an object by id. */
const MAX_NAMES = 100;
const MAX_PLACES = 10_000;
const MAX_NAME_LENGTH = 64;

/** Steps to the items of a list, and to members whose names aren't shown. */
const ITEMS = '[]';
const UNNAMED = '{}';

/** What the values at one place of JSON contents have in common. */
export interface FieldEvidence {
  /**
   * The place, as a JSON Pointer (RFC 6901); empty for the whole content. `[]` stands for the items of a list, and `{}` for
   * members of an object whose names are not shown.
   */
  readonly path: string;
  /** In how many objects or lists they could be; for the whole content, in how many contents. */
  readonly of: number;
  /** How many values have each type. A number without fraction is an integer, as in JSON Schema. */
  readonly types: Readonly<Record<string, number>>;
  /** The formats that all texts have. */
  readonly formats: readonly TextFormat[];
}

/** What is known of the values at one place. No value is kept, and no name that looks like one. */
export class Place {
  readonly #types: Record<string, number> = {};
  /** Undefined before the first text. */
  #formats: readonly TextFormat[] | undefined;
  readonly #inside = new Map<string, Place>();
  #hidesNames = false;

  /** @param made how many places there are */
  constructor(private readonly made = { count: 1 }) {}

  add(value: unknown, depth = 0): void {
    const type = typeOf(value);
    this.#types[type] = (this.#types[type] ?? 0) + 1;
    if (type === 'string') this.#formats = formatsOf(value as string, this.#formats);
    if (depth === MAX_DEPTH) return;
    if (type === 'array') for (const item of value as unknown[]) this.#at(ITEMS).add(item, depth + 1);
    if (type === 'object')
      for (const [name, member] of Object.entries(value as object))
        this.#at(this.#stepTo(stepOf(name))).add(member, depth + 1);
  }

  /** A row for this place and each inside. */
  rows(path = '', of = this.#types): FieldEvidence[] {
    const all = Object.values(of).reduce((sum, count) => sum + count, 0);
    const inside = [...this.#inside].flatMap(([step, place]) => {
      const type = step === ITEMS ? 'array' : 'object';
      return place.rows(`${path}/${step}`, { [type]: this.#types[type] ?? 0 });
    });
    return [{ path, of: all, types: this.#types, formats: this.#formats ?? [] }, ...inside];
  }

  #at(step: string): Place {
    const known = this.#inside.get(step);
    if (known !== undefined) return known;
    const place = new Place(this.made);
    this.made.count += 1;
    this.#inside.set(step, place);
    return place;
  }

  #stepTo(step: string): string {
    if (step === ITEMS || step === UNNAMED || this.#inside.has(step)) return step;
    const isFull = this.#inside.size >= MAX_NAMES || this.made.count >= MAX_PLACES;
    if (isFull && !this.#hidesNames) this.#hideNames();
    return this.#hidesNames || isValue(step) ? UNNAMED : step;
  }

  #hideNames(): void {
    this.#hidesNames = true;
    for (const [step, place] of [...this.#inside]) {
      if (step === ITEMS || step === UNNAMED) continue;
      this.#inside.delete(step);
      this.#at(UNNAMED).absorb(place);
    }
  }

  /** Adds what is known of another place. */
  absorb(other: Place): void {
    this.made.count -= 1;
    for (const [type, count] of Object.entries(other.#types))
      this.#types[type] = (this.#types[type] ?? 0) + count;
    if (other.#formats !== undefined)
      this.#formats = (this.#formats ?? other.#formats).filter((format) => other.#formats!.includes(format));
    if (other.#hidesNames) this.#hideNames();
    for (const [step, place] of other.#inside) this.#at(this.#stepTo(step)).absorb(place);
  }
}

/** As a JSON Pointer has a name. */
const stepOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Whether a name looks like a value. */
const isValue = (step: string): boolean =>
  step.length > MAX_NAME_LENGTH || formatsOf(step.replaceAll('~1', '/').replaceAll('~0', '~')).length > 0;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** @param candidates the only formats that are looked for */
function formatsOf(
  text: string,
  candidates = Object.keys(FORMATS) as readonly TextFormat[],
): readonly TextFormat[] {
  if (text.length > MAX_LENGTH) return [];
  return candidates.filter((name) => FORMATS[name].safeParse(text).success);
}
