import fc, { type Arbitrary } from 'fast-check';
import { isSchema, type JsonSchema } from './json-schema.js';

/** The same values each time, so that a page doesn't change by itself. */
export const SEED = 1;

/** The longest text and list that is tried. */
const MAX_LENGTH = 10_000;
const MAX_ITEMS = 100;
/** Below this depth, an object has only what is required, and a list what it needs. */
const MAX_DEPTH = 3;
/** Below this one, nothing is made. */
const END = 8;

/** Keywords that say nothing of values without parts. */
const OF_CONTAINERS = [
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'dependentSchemas', 'items', 'prefixItems', 'contains', 'unevaluatedItems'],
];

/** Values of formats, of which a schema seldom has a pattern. */
const FORMATTED = [
  ...['2026-01-31', '2026-01-31T12:00:00Z', '12:00:00Z', 'P1D', 'a@example.test', 'example.test'],
  ...['https://example.test/', '00000000-0000-4000-8000-000000000000', '127.0.0.1', '::1'],
];

const NOTHING = fc.constant<unknown>(undefined);

/** Makes values of one of two schemas, most of which fit it. */
export class ValueMaker {
  /** Texts, numbers and other values without parts, on both sides of what the two schemas say. */
  readonly scalars: readonly unknown[];
  /** The names of the properties in both schemas. */
  readonly #names: ReadonlySet<string>;
  /** How many items a list may have. */
  readonly #counts: readonly number[];

  /** What was made, by schema and depth. */
  readonly #made = new Map<unknown, Map<number, Arbitrary<unknown>>>();

  /**
   * @param root the schema whose values are made
   * @param validatorOf says whether a value fits a schema
   */
  constructor(
    private readonly root: JsonSchema,
    other: JsonSchema,
    private readonly validatorOf: (schema: JsonSchema) => (value: unknown) => boolean,
  ) {
    const said = collect([root, other]);
    const all = (...keywords: string[]): unknown[] =>
      keywords.flatMap((keyword) => [...(said.get(keyword) ?? [])]);
    const numbers = (...keywords: string[]) => all(...keywords).filter((one) => typeof one === 'number');
    const around = (bounds: readonly number[]) => bounds.flatMap((one) => [one - 1, one, one + 1]);
    const lengths = around(numbers('minLength', 'maxLength')).filter((one) => one >= 0 && one <= MAX_LENGTH);
    const patterns = all('pattern').flatMap((pattern) => textsOf(String(pattern)));
    const multiples = numbers('multipleOf').flatMap((one) => [one, 2 * one, one / 2]);
    const bounds = numbers('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum');
    const scalars = [
      ...[null, true, false, 0, 1, -1, 0.5, 1e9, ...bounds.flatMap((one) => [one - 0.5, one + 0.5])],
      ...[...around(bounds), ...multiples],
      ...['', 'a', 'A', '0', ' ', 'é', ...FORMATTED, ...patterns],
      ...lengths.flatMap((length) => ['a', 'A', '0', ' '].map((fill) => fill.repeat(length))),
      ...all('enum').flat(),
      ...all('const', 'default'),
      ...all('examples').flat(),
    ];
    const unique = new Map(scalars.map((value) => [JSON.stringify(value), value]));
    // Counterexamples become smaller towards the first.
    this.scalars = [...unique].sort(([one], [two]) => one.length - two.length).map(([, value]) => value);
    this.#names = new Set(all('properties').flatMap((properties) => Object.keys(properties as object)));
    this.#counts = around(numbers('minItems', 'maxItems')).filter((one) => one >= 0 && one <= MAX_ITEMS);
  }

  /** Values of a schema, as it stands in the root. Of what can't be made there is none: `undefined`. */
  valuesOf(schema: unknown, depth = 0): Arbitrary<unknown> {
    const known = this.#made.get(schema)?.get(depth);
    if (known !== undefined) return known;
    const made =
      schema === false || depth > END ? NOTHING : this.#combined(isSchema(schema) ? schema : {}, depth);
    this.#made.set(
      schema,
      (this.#made.get(schema) ?? new Map<number, Arbitrary<unknown>>()).set(depth, made),
    );
    return made;
  }

  /** What a schema says itself, and what it refers to. Parts of an object are put together. */
  #combined({ $ref, allOf = [], anyOf, oneOf, ...own }: JsonSchema, depth: number): Arbitrary<unknown> {
    const target = $ref === undefined ? [] : [this.#resolve($ref as string)];
    const below = [...target, ...(allOf as unknown[])].map((one) => this.valuesOf(one, depth));
    const choices = [anyOf, oneOf].flatMap((branches) =>
      branches === undefined
        ? []
        : [fc.oneof(...(branches as unknown[]).map((one) => this.valuesOf(one, depth)))],
    );
    const others = [...below, ...choices];
    const isPlain = others.length === 0 || 'properties' in own;
    // What it says itself comes last: its properties are the most specific.
    const parts = [...others, ...(isPlain ? [this.#plainValues(own, depth)] : [])];
    if (parts.length === 1) return parts[0]!;
    return fc
      .tuple(...parts)
      .map((values) => (values.every(isObject) ? (Object.assign({}, ...values) as object) : values.at(-1)));
  }

  #resolve(reference: string): unknown {
    const names = decodeURIComponent(reference).split('/').slice(1);
    return names.reduce<unknown>(
      (node, name) => (node as JsonSchema)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.root,
    );
  }

  /** Values of each type that a schema without references and choices allows. */
  #plainValues(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const types = schema['type'] === undefined ? undefined : [schema['type']].flat();
    const isListed = 'enum' in schema || 'const' in schema;
    const allows = (type: string) => !isListed && (types === undefined || types.includes(type));
    const flat = Object.entries(schema).filter(([keyword]) => !OF_CONTAINERS.includes(keyword));
    const fits = this.validatorOf({ ...Object.fromEntries(flat), $defs: this.root['$defs'] ?? {} });
    const scalars = this.scalars.filter((value) => (isListed || !isContainer(value)) && fits(value));
    const isAny = depth > 0 && Object.keys(schema).length === 0;
    const kinds = [
      ...(scalars.length > 0 ? [fc.constantFrom(...scalars)] : []),
      ...(isAny ? [fc.constantFrom({}, [])] : []),
      ...(allows('object') && !isAny ? [this.#objects(schema, depth)] : []),
      ...(allows('array') && !isAny ? [this.#lists(schema, depth)] : []),
    ];
    return kinds.length === 0 ? NOTHING : fc.oneof(...kinds);
  }

  #objects(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties = true } = schema;
    const named = Object.entries(properties as JsonSchema);
    const isOpen = additionalProperties !== false && schema['unevaluatedProperties'] !== false;
    const needed = required as readonly string[];
    // Whoever names no property may send any.
    const others = named.length > 0 ? [freshName(this.#names)] : [freshName(this.#names), ...this.#names];
    const all = new Map<string, unknown>([
      ...(isOpen
        ? [...others, ...needed].map((name): [string, unknown] => [name, additionalProperties])
        : []),
      ...named,
    ]);
    const made = Array.from(all, ([name, value]): [string, Arbitrary<unknown>][] => {
      const isKept = needed.includes(name) || depth < MAX_DEPTH;
      return isKept ? [[name, this.valuesOf(value, depth + 1)]] : [];
    }).flat();
    return fc
      .record(Object.fromEntries(made), {
        requiredKeys: needed.filter((name) => all.has(name)),
        noNullPrototype: true,
      })
      .map((object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)));
  }

  #lists(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { prefixItems = [], items = true, minItems = 0, maxItems = MAX_ITEMS } = schema;
    const first = prefixItems as readonly unknown[];
    const [min, max] = [Number(minItems), Math.min(Number(maxItems), MAX_ITEMS)];
    const usual = depth < MAX_DEPTH ? [min, min + 1, min + 2, ...this.#counts] : [min];
    const counts = [...new Set(usual.filter((count) => count >= min && count <= max))];
    const [begin, rest] = [
      first.map((item) => this.valuesOf(item, depth + 1)),
      this.valuesOf(items, depth + 1),
    ];
    const lists = counts.map((count) =>
      fc.tuple(...Array.from({ length: count }, (_, index) => begin[index] ?? rest)),
    );
    return lists.length === 0 ? NOTHING : fc.oneof(...lists);
  }
}

/** What schemas say, by keyword, at any depth. */
export function collect(node: unknown, said = new Map<string, Set<unknown>>()): Map<string, Set<unknown>> {
  if (typeof node !== 'object' || node === null) return said;
  for (const [keyword, value] of Object.entries(node)) {
    said.set(keyword, (said.get(keyword) ?? new Set()).add(value));
    collect(value, said);
  }
  return said;
}

/** A few texts that match a pattern, or none if nobody can make them. */
export function textsOf(pattern: string): string[] {
  try {
    return fc.sample(fc.stringMatching(regExpOf(pattern)), { seed: SEED, numRuns: 40 });
  } catch {
    return [];
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is object {
  return isContainer(value) && !Array.isArray(value);
}

/** A name of no property. */
function freshName(names: ReadonlySet<string>): string {
  let name = 'other';
  while (names.has(name)) name += '-';
  return name;
}

/** Patterns are written for JavaScript with and without the flag `u`. */
export function regExpOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
