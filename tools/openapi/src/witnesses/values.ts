import type { Checker } from './checker.js';
import { type Facets, facetsOf, given, isNumberIn, type Type } from './facets.js';
import type { Schema, SchemaObject, SchemaStore } from './json-schema.js';
import type { Patterns } from './patterns.js';
import { Effort, type Focus, focusBelow, type Member, type Part, waysOf } from './ways.js';

/** A value that one document may allow, and where in it the place of the search is. */
export interface Candidate {
  readonly value: unknown;
  /** The steps of a JSON Pointer in the value. */
  readonly at: readonly string[];
}

/** How deep a value nests, and how many values it has in it. What needs more isn't tried. */
const MAX_DEPTH = 60;
const MAX_SIZE = 20_000;
/** How many ways and types are tried for a value that only has to fit. */
const MAX_TRIES = 30;
/** How many schemas are followed in one search. */
const MAX_EFFORT = 30_000;
/** The longest text and list that is made. */
const MAX_LENGTH = 5000;
const MAX_ITEMS = 2000;

type Properties = ReadonlyMap<string, unknown>;

/** What is known of schemas and values. */
interface Memory {
  /** A value that fits, by schema. */
  readonly plain: Map<SchemaObject, unknown>;
  readonly effort: Effort;
  /** How many values a value has in it. */
  readonly sizes: WeakMap<object, number>;
}

/**
 * Makes values that fit schemas, most of them. Around the place of the search they are the smallest; at this place they
 * are many, on both sides of whatever the two documents say there.
 */
export class ValueMaker {
  /** For the values in a value. Made when it is needed. */
  #inner: ValueMaker | undefined;

  constructor(
    readonly store: SchemaStore,
    readonly checker: Checker,
    readonly patterns: Patterns,
    private readonly memory: Memory = { plain: new Map(), sizes: new WeakMap(), effort: new Effort() },
    private readonly depth = 0,
  ) {}

  /** The same, with a new count of how much is tried. */
  forSearch(parts: readonly Part[]): Generator<Candidate> {
    this.memory.effort.start(MAX_EFFORT);
    return this.candidates(parts);
  }

  /** Lazily, the likeliest first. There may be very many. */
  *candidates(parts: readonly Part[]): Generator<Candidate> {
    if (this.depth < MAX_DEPTH)
      yield* inTurns(waysOf(parts, this.store, this.memory.effort), (way) => this.#inWay(way));
  }

  get #below(): ValueMaker {
    const { store, checker, patterns, memory, depth } = this;
    this.#inner ??= new ValueMaker(store, checker, patterns, memory, depth + 1);
    return this.#inner;
  }

  *#inWay(way: readonly Member[]): Generator<Candidate> {
    const member = way.find(({ focus }) => focus !== undefined);
    if (member?.focus !== undefined) yield* this.#towards(way, member, member.focus);
    else for (const value of this.#fitting(schemasOf(way))) yield { value, at: [] };
  }

  /** The first value that fits. Undefined if none is found. */
  #first(parts: readonly Part[]): { readonly value: unknown } | undefined {
    const [part, ...others] = parts;
    const schema = part && this.store.followed(part.schema);
    if (typeof schema !== 'object' || others.length > 0) return this.#search(parts);
    if (this.memory.plain.has(schema)) return { value: this.memory.plain.get(schema) };
    const found = this.#search(parts, schema);
    if (found !== undefined) this.memory.plain.set(schema, found.value);
    return found;
  }

  /** @param schema what the parts are, if it is one */
  #search(parts: readonly Part[], schema?: SchemaObject): { readonly value: unknown } | undefined {
    const isChecked = schema !== undefined && DIFFICULT.some((keyword) => schema[keyword] !== undefined);
    let tries = 0;
    for (const { value } of this.#below.candidates(parts)) {
      if (!isChecked || this.checker.isValid(schema, value) === true) return { value };
      tries += 1;
      if (tries > MAX_TRIES) return undefined;
    }
    return undefined;
  }

  /** One value of each type, and some more. */
  *#fitting(schemas: readonly SchemaObject[]): Generator {
    const facets = facetsOf(schemas);
    if (facets.values !== undefined) {
      yield* facets.values.filter((value) => facets.types.some((type) => isOfType(value, type)));
      return;
    }
    for (const type of facets.types) yield* this.#ofType(type, schemas, facets, []);
  }

  /** @param hints what else may be said about the value: its bounds and names are tried */
  *#ofType(
    type: Type,
    schemas: readonly SchemaObject[],
    facets: Facets,
    hints: readonly SchemaObject[],
  ): Generator {
    if (type === 'null') yield null;
    else if (type === 'boolean') yield* [true, false];
    else if (type === 'string') yield* this.#strings(facets, hints);
    else if (type === 'array') yield* this.#arrays(schemas, facets, hints);
    else if (type === 'object') yield* this.#objects(schemas, facets, hints);
    else yield* numbersIn(facets, [...schemas, ...hints]);
  }

  *#strings({ length, patterns }: Facets, hints: readonly SchemaObject[]): Generator<string> {
    const others = hints.flatMap(({ pattern }) => pattern ?? []);
    const texts = [...patterns, ...others].flatMap((pattern) => this.patterns.textsFor(pattern));
    const bounds = [length.min, length.max, ...given(hints, 'minLength'), ...given(hints, 'maxLength')];
    const lengths = [...new Set([length.min, ...bounds.flatMap((one) => [one, one - 1, one + 1]), 1, 0])];
    for (const one of lengths) if (one >= 0 && one <= MAX_LENGTH) texts.push('a'.repeat(one));
    texts.push('A', '0', ' ', 'é');
    for (const text of texts) {
      const size = Array.from(text).length;
      if (size < length.min || size > length.max) continue;
      if (patterns.every((pattern) => this.patterns.matches(pattern, text) === true)) yield text;
    }
  }

  *#arrays(schemas: readonly SchemaObject[], facets: Facets, hints: readonly SchemaObject[]) {
    const bounds = [...given(hints, 'minItems'), ...given(hints, 'maxItems'), facets.items.max];
    const lengths = new Set([facets.items.min, ...bounds.flatMap((one) => [one - 1, one, one + 1]), 1, 2, 3]);
    for (const length of lengths) {
      if (length < facets.items.min || length > Math.min(facets.items.max, MAX_ITEMS)) continue;
      const items = this.#items(schemas, length, new Map());
      if (items !== undefined) yield items;
    }
    if (hints.length === 0 || facets.items.max < 1) return;
    for (let index = 0; index < 3; index += 1) {
      for (const { value } of this.#some(itemParts(schemas, index))) {
        const items = this.#items(schemas, Math.max(index + 1, facets.items.min), new Map([[index, value]]));
        if (items !== undefined) yield items;
      }
    }
    const [twice] = this.#some(itemParts(schemas, 0));
    if (twice !== undefined) yield [twice.value, twice.value];
  }

  /** A list with these items. Undefined if no other item is found. */
  #items(schemas: readonly SchemaObject[], length: number, set: ReadonlyMap<number, unknown>) {
    const isUnique = schemas.some(({ uniqueItems }) => uniqueItems === true);
    const needed = schemas.flatMap(({ contains }) => contains ?? []);
    const items: unknown[] = [];
    const taken = new Set(Array.from(set.values(), (value) => JSON.stringify(value)));
    for (let index = 0; index < Math.max(length, Math.min(needed.length, 1)); index += 1) {
      const contained = needed.slice(index, index + 1).map((schema): Part => ({ schema }));
      const parts = [...itemParts(schemas, index), ...contained];
      const found = set.has(index)
        ? { value: set.get(index) }
        : isUnique
          ? this.#some(parts).find(({ value }) => !taken.has(JSON.stringify(value)))
          : this.#first(parts);
      if (found === undefined) return undefined;
      taken.add(JSON.stringify(found.value));
      items.push(found.value);
    }
    return this.#isTooLarge(items, items) ? undefined : items;
  }

  *#objects(schemas: readonly SchemaObject[], facets: Facets, hints: readonly SchemaObject[]) {
    const names = namesIn(schemas);
    const smallest = this.#object(schemas, new Map());
    if (smallest === undefined) return;
    yield smallest;
    const all = names.slice(0, MAX_NAMES).flatMap((name): [string, unknown][] => {
      const found = this.#first(propertyParts(schemas, name, this.patterns));
      return found === undefined ? [] : [[name, found.value]];
    });
    const largest = this.#object(schemas, new Map(all));
    if (largest !== undefined) yield largest;
    if (hints.length === 0) return;
    for (const [name, value] of all) yield* this.#withProperty(schemas, name, value);
    const bounds = [...given(hints, 'minProperties'), ...given(hints, 'maxProperties')];
    for (const size of new Set([
      facets.properties.max,
      ...bounds.flatMap((one) => [one - 1, one, one + 1]),
    ])) {
      const object = size > 0 && size < MAX_NAMES ? this.#object(schemas, new Map(), size) : undefined;
      if (object !== undefined) yield object;
    }
    const patterned = hints.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties));
    const others = [
      ...namesIn(hints),
      freshName(names),
      ...patterned.flatMap((one) => this.patterns.textsFor(one)),
      '',
      'A',
      '0',
      'a'.repeat(100),
    ];
    for (const name of new Set(others.slice(0, MAX_NAMES))) {
      for (const { value } of this.#some(propertyParts(schemas, name, this.patterns)))
        yield* this.#withProperty(schemas, name, value);
    }
  }

  *#withProperty(schemas: readonly SchemaObject[], name: string, value: unknown): Generator {
    const object = this.#object(schemas, new Map([[name, value]]));
    if (object !== undefined) yield object;
  }

  /** The smallest object with these properties. Undefined if one that it needs isn't found. */
  #object(schemas: readonly SchemaObject[], set: Properties, size = 0): object | undefined {
    const { required, properties } = facetsOf(schemas);
    const entries = new Map(set);
    const dependent = schemas.flatMap(({ dependentRequired = {} }) => Object.entries(dependentRequired));
    const neededBy = (name: string) =>
      dependent.flatMap(([trigger, names]) => (trigger === name ? names : []));
    const needed = [...required, ...Array.from(set.keys()).flatMap(neededBy)];
    for (let name = needed.shift(); name !== undefined; name = needed.shift()) {
      if (entries.has(name)) continue;
      const found = this.#first(propertyParts(schemas, name, this.patterns));
      if (found === undefined) return undefined;
      entries.set(name, found.value);
      needed.push(...neededBy(name));
    }
    for (const name of [...namesIn(schemas), ...OTHER_NAMES]) {
      if (entries.size >= Math.max(size, properties.min)) break;
      const found = entries.has(name) ? undefined : this.#first(propertyParts(schemas, name, this.patterns));
      if (found !== undefined) entries.set(name, found.value);
    }
    const object = Object.fromEntries(entries);
    return this.#isTooLarge(object, [...entries.values()]) ? undefined : object;
  }

  /** A few values. */
  #some(parts: readonly Part[]): { readonly value: unknown }[] {
    const found: { readonly value: unknown }[] = [];
    const perType = new Map<string, number>();
    let tries = 0;
    for (const { value } of this.#below.candidates(parts)) {
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      const count = perType.get(type) ?? 0;
      perType.set(type, count + 1);
      if (count < 3) found.push({ value });
      tries += 1;
      if (tries > MAX_TRIES) break;
    }
    return found;
  }

  #isTooLarge(container: object, parts: readonly unknown[]): boolean {
    const sizes = parts.map((part) =>
      typeof part === 'object' && part !== null ? (this.memory.sizes.get(part) ?? 1) : 1,
    );
    const size = sizes.reduce((sum, one) => sum + one, 1);
    this.memory.sizes.set(container, size);
    return size > MAX_SIZE;
  }

  /** Values whose part at the place of the search differs. */
  *#towards(way: readonly Member[], member: Member, focus: Focus): Generator<Candidate> {
    const schemas = schemasOf(way);
    const [keyword = '', step = ''] = focus.steps;
    const part = (member.schema as Record<string, unknown>)[keyword];
    const isMap = keyword === 'properties' || keyword === 'patternProperties' || keyword === 'prefixItems';
    const isThere = isMap
      ? typeof part === 'object' && part !== null && Object.hasOwn(part, step)
      : part !== undefined;
    const inside = focusBelow(focus, isMap ? [keyword, step] : [keyword], this.store);
    const names = namesIn(schemas);
    if (isThere && inside !== undefined) {
      const focused = (schema: Schema): Part => ({ schema, focus: inside });
      if (keyword === 'properties')
        yield* this.#inProperty(schemas, step, focused((part as Record<string, Schema>)[step] ?? true));
      else if (keyword === 'patternProperties') {
        for (const name of this.patterns.textsFor(step))
          yield* this.#inProperty(schemas, name, focused((part as Record<string, Schema>)[step] ?? true));
      } else if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
        yield* this.#inProperty(schemas, freshName(names), focused(part as Schema));
      else if (keyword === 'propertyNames') yield* this.#inName(schemas, focused(part as Schema));
      else if (keyword === 'prefixItems')
        yield* this.#inItem(schemas, Number(step), focused((part as Schema[])[Number(step)] ?? true));
      else if (keyword === 'items' || keyword === 'unevaluatedItems')
        yield* this.#inItem(schemas, prefixOf(schemas), focused(part as Schema));
    }
    yield* this.#around(schemas, focus.counterpart);
  }

  *#inProperty(schemas: readonly SchemaObject[], name: string, part: Part): Generator<Candidate> {
    for (const { value, at } of this.#below.candidates(
      withRest(part, propertyParts(schemas, name, this.patterns)),
    )) {
      const object = this.#object(schemas, new Map([[name, value]]));
      if (object !== undefined) yield { value: object, at: [name, ...at] };
    }
  }

  *#inName(schemas: readonly SchemaObject[], part: Part): Generator<Candidate> {
    for (const { value: name } of this.#below.candidates([{ schema: { type: 'string' } }, part])) {
      const found = this.#first(propertyParts(schemas, String(name), this.patterns));
      const object = found && this.#object(schemas, new Map([[String(name), found.value]]));
      if (object !== undefined) yield { value: object, at: [] };
    }
  }

  *#inItem(schemas: readonly SchemaObject[], index: number, part: Part): Generator<Candidate> {
    const length = Math.max(index + 1, facetsOf(schemas).items.min);
    for (const { value, at } of this.#below.candidates(withRest(part, itemParts(schemas, index)))) {
      const items = this.#items(schemas, length, new Map([[index, value]]));
      if (items !== undefined) yield { value: items, at: [String(index), ...at] };
    }
  }

  /** Values on both sides of what the two documents say. */
  *#around(schemas: readonly SchemaObject[], counterpart: Schema): Generator<Candidate> {
    const hints = [...schemas, ...this.#hintsIn(counterpart)];
    const facets = facetsOf(schemas);
    const values =
      facets.values === undefined
        ? inTurns(facets.types, (type) => this.#ofType(type, schemas, facets, hints))
        : this.#fitting(schemas);
    for (const value of values) yield { value, at: [] };
  }

  /** What a schema says about a value in its parts. */
  #hintsIn(schema: Schema): SchemaObject[] {
    const found = new Set<SchemaObject>();
    const waiting = [schema];
    for (let next = waiting.shift(); next !== undefined && found.size < MAX_HINTS; next = waiting.shift()) {
      const one = this.store.followed(next);
      if (typeof one !== 'object' || found.has(one)) continue;
      found.add(one);
      const { $ref, allOf = [], anyOf = [], oneOf = [], not } = one;
      const others = [$ref === undefined ? true : { $ref }, not ?? true, one.then ?? true, one.else ?? true];
      waiting.push(...allOf, ...anyOf, ...oneOf, ...others);
    }
    return [...found];
  }
}

const MAX_HINTS = 50;
const MAX_NAMES = 200;
const OTHER_NAMES = Array.from({ length: 20 }, (_, index) => `other${index}`);

/** A first value often doesn't fit these. */
const DIFFICULT = [
  'oneOf',
  'not',
  'if',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'dependentSchemas',
  'uniqueItems',
] as const;

function schemasOf(way: readonly Member[]): readonly SchemaObject[] {
  return way.map(({ schema }) => schema);
}

/** A part that leads to the place of the search, and what else applies there. */
function withRest(part: Part, all: readonly Part[]): readonly Part[] {
  return [part, ...all.filter(({ schema }) => schema !== part.schema)];
}

/** How many values of each way are taken in a turn. There are very many ways at most; only the first are tried. */
const TURNS = [2, 8, 40, Infinity];
const MAX_WAYS = 64;

/** The values of several ways: a few of each, then more of each. */
function* inTurns<Way, Value>(
  ways: Iterable<Way>,
  valuesOf: (way: Way) => Iterator<Value>,
): Generator<Value> {
  const waiting: Iterator<Value>[] = [];
  const take = function* (values: Iterator<Value>, count: number): Generator<Value, boolean> {
    for (let taken = 0; taken < count; taken += 1) {
      const next = values.next();
      if (next.done === true) return false;
      yield next.value;
    }
    return true;
  };
  const [few = 0, ...more] = TURNS;
  for (const way of ways) {
    const values = valuesOf(way);
    if (yield* take(values, few)) waiting.push(values);
    if (waiting.length >= MAX_WAYS) break;
  }
  for (const count of more) {
    for (const values of waiting.splice(0)) if (yield* take(values, count)) waiting.push(values);
  }
}

/** The names of properties that schemas mention, those that they describe first. */
function namesIn(schemas: readonly SchemaObject[]): string[] {
  const described = schemas.flatMap(({ properties = {} }) => Object.keys(properties));
  const mentioned = schemas.flatMap(({ required = [], dependentRequired = {}, dependentSchemas = {} }) => [
    ...required,
    ...Object.keys(dependentRequired),
    ...Object.keys(dependentSchemas),
  ]);
  return [...new Set([...described, ...mentioned])];
}

/** A name of no property. */
function freshName(names: readonly string[]): string {
  let name = 'other';
  while (names.includes(name)) name += '-';
  return name;
}

/** What these schemas say about a property. */
function propertyParts(schemas: readonly SchemaObject[], name: string, patterns: Patterns): Part[] {
  const isNamed = (schema: SchemaObject) => Object.hasOwn(schema.properties ?? {}, name);
  return schemas.flatMap((schema) => {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = schema;
    const own = isNamed(schema) ? properties[name] : undefined;
    const patterned = Object.entries(patternProperties).flatMap(([pattern, one]) =>
      patterns.matches(pattern, name) === true ? [one] : [],
    );
    const found = [...(own === undefined ? [] : [own]), ...patterned];
    const named = found.length === 0 && additionalProperties !== undefined ? [additionalProperties] : found;
    const isUnevaluated = named.length === 0 && !schemas.some(isNamed);
    const rest = isUnevaluated ? (schema.unevaluatedProperties ?? true) : true;
    const isRefused = propertyNames === false;
    return [...named, ...(rest === true ? [] : [rest]), ...(isRefused ? [false] : [])].map((one) => ({
      schema: one,
    }));
  });
}

/** What these schemas say about an item. */
function itemParts(schemas: readonly SchemaObject[], index: number): Part[] {
  return schemas.flatMap(({ prefixItems = [], items, unevaluatedItems }) => {
    const schema = prefixItems[index] ?? items ?? unevaluatedItems;
    return schema === undefined ? [] : [{ schema }];
  });
}

function prefixOf(schemas: readonly SchemaObject[]): number {
  return Math.max(0, ...schemas.map(({ prefixItems = [] }) => prefixItems.length));
}

function* numbersIn(facets: Facets, schemas: readonly SchemaObject[]): Generator<number> {
  const keywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
  const bounds = [...new Set(keywords.flatMap((keyword) => given(schemas, keyword)))].sort((a, b) => a - b);
  const between = bounds.flatMap((one, index) => {
    const next = bounds[index + 1];
    return next === undefined ? [] : [(one + next) / 2, Math.floor((one + next) / 2)];
  });
  const multiples = given(schemas, 'multipleOf').flatMap((one) => [
    ...[1, 2, 3, -1].map((times) => one * times),
    ...bounds.flatMap((bound) => [
      Math.ceil(bound / one) * one,
      Math.floor(bound / one) * one,
      (Math.floor(bound / one) + 1) * one,
      (Math.ceil(bound / one) - 1) * one,
    ]),
  ]);
  const near = bounds.flatMap((one) => [
    one,
    one + 1,
    one - 1,
    one + 0.5,
    one - 0.5,
    Math.ceil(one),
    Math.floor(one),
  ]);
  const all = [0, 1, ...near, ...between, ...multiples, 0.5, -1, 2, 3, 1e9, -1e9];
  for (const value of new Set(all)) if (isNumberIn(facets, value)) yield value;
}

function isOfType(value: unknown, type: Type): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
