import { formatsOf, type TextFormat } from './text-formats.js';

/** The type of a JSON value; a number without fraction is an integer, as in JSON Schema. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** What the values at one place of JSON contents have in common. */
export interface FieldEvidence {
  /**
   * The place, as a JSON Pointer (RFC 6901); empty for the whole content. `[]` stands for the items of a list, and `{}`
   * for further members of an object, whose names are not shown.
   */
  readonly path: string;
  /** How many values there are. */
  readonly values: number;
  /** In how many objects or lists they could be; for the whole content, in how many contents. */
  readonly of: number;
  /** How many values have each type. */
  readonly types: { readonly [Type in JsonType]?: number };
  /** The formats that all texts have. */
  readonly formats: readonly TextFormat[];
}

/** What JSON contents have in common. */
export interface JsonEvidence {
  /** How many contents are JSON in UTF-8. */
  readonly json: number;
  /** How many are not. */
  readonly other: number;
  /** How many are encoded or too large, and were not parsed. */
  readonly unread: number;
  /** How many JSON contents have more values than are looked at. */
  readonly inPart: number;
  readonly fields: readonly FieldEvidence[];
  /** How many values are too deep, or at places beyond the largest number of fields. */
  readonly further: number;
}

/** Largest content that is parsed, in bytes. */
const MAX_PARSED = 1_048_576;
/** Most values of one content that are looked at. */
const MAX_VALUES = 10_000;
/** Most levels of objects and lists. */
const MAX_DEPTH = 8;
/** Most fields of all contents. If there are more, the names of the members are hidden where there are most. */
const MAX_FIELDS = 500;
/** Most names of members at one place. If there are more, they are taken for values, as in an object by id. */
const MAX_NAMES = 100;
/** So few names are never hidden. */
const FEW_NAMES = 20;
const MAX_NAME_LENGTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is known of the values at one place. */
class Place {
  readonly types = new Map<JsonType, number>();
  /** Undefined before the first text. */
  formats: readonly TextFormat[] | undefined;
  readonly members = new Map<string, Place>();
  items: Place | undefined;
  /** Members whose names are not shown. */
  unnamed: Place | undefined;
  #hidesNames = false;

  /** @param made how many places were made */
  constructor(private readonly made: { count: number }) {
    made.count += 1;
  }

  /** The place of a member, which is made if there is none. */
  memberOf(name: string): Place {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    if (this.members.size === MAX_NAMES) this.hideNames();
    if (this.#hidesNames || name.length > MAX_NAME_LENGTH || formatsOf(name).length > 0)
      return (this.unnamed ??= new Place(this.made));
    const created = new Place(this.made);
    this.members.set(name, created);
    return created;
  }

  itemOf(): Place {
    return (this.items ??= new Place(this.made));
  }

  /** From now on, no name of a member is shown. */
  hideNames(): void {
    const members = [...this.members.values()];
    this.#hidesNames = true;
    this.members.clear();
    for (const member of members) (this.unnamed ??= new Place(this.made)).#absorb(member);
  }

  /** The places inside, with the type of the values that have them. */
  inside(): [step: string, place: Place, parent: JsonType][] {
    return [
      ...[...this.members].map(([name, place]): [string, Place, JsonType] => [stepOf(name), place, 'object']),
      ...(this.unnamed === undefined ? [] : [['{}', this.unnamed, 'object'] as [string, Place, JsonType]]),
      ...(this.items === undefined ? [] : [['[]', this.items, 'array'] as [string, Place, JsonType]]),
    ];
  }

  /** This place and all inside. */
  all(): Place[] {
    return [this, ...this.inside().flatMap(([, place]) => place.all())];
  }

  /** Adds what is known of another place. */
  #absorb(other: Place): void {
    for (const [type, count] of other.types) this.types.set(type, (this.types.get(type) ?? 0) + count);
    if (other.formats !== undefined)
      this.formats = (this.formats ?? other.formats).filter((format) => other.formats!.includes(format));
    if (other.#hidesNames) this.hideNames();
    for (const [name, member] of other.members) this.memberOf(name).#absorb(member);
    if (other.unnamed !== undefined) (this.unnamed ??= new Place(this.made)).#absorb(other.unnamed);
    if (other.items !== undefined) this.itemOf().#absorb(other.items);
  }
}

const stepOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Collects the fields of JSON contents in bounded memory. No value is kept, and no name that looks like one. */
export class JsonFields {
  readonly #made = { count: 0 };
  readonly #root = new Place(this.#made);
  #isFull = false;
  #json = 0;
  #other = 0;
  #unread = 0;
  #inPart = 0;
  #further = 0;
  /** How many values of the present content are still looked at. */
  #valuesLeft = 0;

  /** @param isEncoded whether the content would have to be decoded before it is parsed */
  add(content: Uint8Array, isEncoded: boolean): void {
    if (isEncoded || content.length > MAX_PARSED) {
      this.#unread += 1;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(utf8.decode(content));
    } catch {
      this.#other += 1;
      return;
    }
    this.#json += 1;
    this.#valuesLeft = MAX_VALUES;
    const before = this.#made.count;
    this.#look(value, this.#root, 0);
    if (this.#valuesLeft < 0) this.#inPart += 1;
    if (this.#made.count > before) this.#limitFields();
  }

  result(): JsonEvidence {
    const counts = { json: this.#json, other: this.#other, unread: this.#unread, inPart: this.#inPart };
    const all = this.#json === 0 ? [] : fieldsAt('', this.#root, this.#json);
    const further = all.slice(MAX_FIELDS).reduce((sum, { values }) => sum + values, this.#further);
    return { ...counts, fields: all.slice(0, MAX_FIELDS), further };
  }

  #look(value: unknown, place: Place | undefined, depth: number): void {
    this.#valuesLeft -= 1;
    if (place === undefined) {
      this.#further += 1;
      return;
    }
    const type = typeOf(value);
    place.types.set(type, (place.types.get(type) ?? 0) + 1);
    if (type === 'string') place.formats = formatsOf(value as string, place.formats);
    const isClosed = this.#isFull || depth === MAX_DEPTH;
    if (type === 'array')
      for (const item of value as unknown[]) {
        if (this.#valuesLeft < 0) return;
        this.#look(item, isClosed ? place.items : place.itemOf(), depth + 1);
      }
    if (type === 'object')
      for (const [name, member] of Object.entries(value as object)) {
        if (this.#valuesLeft < 0) return;
        const known = place.members.get(name) ?? place.unnamed;
        this.#look(member, isClosed ? known : place.memberOf(name), depth + 1);
      }
  }

  /** Only between two contents: a place must not go while its values are looked at. */
  #limitFields(): void {
    for (let all = this.#root.all(); all.length > MAX_FIELDS && !this.#isFull; all = this.#root.all()) {
      const widest = all.reduce((one, other) => (other.members.size > one.members.size ? other : one));
      if (widest.members.size > FEW_NAMES) widest.hideNames();
      else this.#isFull = true;
    }
  }
}

function fieldsAt(path: string, place: Place, of: number): FieldEvidence[] {
  const { types, formats = [] } = place;
  const values = [...types.values()].reduce((sum, count) => sum + count, 0);
  const inside = place
    .inside()
    .flatMap(([step, inner, parent]) => fieldsAt(`${path}/${step}`, inner, types.get(parent) ?? 0));
  return [{ path, values, of, types: Object.fromEntries(types), formats }, ...inside];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}
