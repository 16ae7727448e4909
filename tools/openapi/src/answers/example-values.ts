import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { stepsOf } from '../gate/read.js';

/** A JSON Schema of draft 2020-12, as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The same values each time. */
const SEED = 1;
const VALUES = 300;

/** The longest text and list that is made, and how deep. */
const MAX_LENGTH = 10_000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 5;

/** Values of formats, of which a schema seldom has a pattern. */
const FORMATTED = [
  ...['2026-01-31', '2026-01-31T12:00:00Z', '12:00:00Z', 'P1D', 'a@example.test', 'example.test'],
  ...['https://example.test/', '00000000-0000-4000-8000-000000000000', '127.0.0.1', '::1'],
];

/** Values of a schema. Some don't fit it: what `not`, `if` and their kind say is left out. */
export function exampleValues(schema: JsonSchema): unknown[] {
  const maker = new ValueMaker(schema, scalarsOf(schema));
  return fc.sample(maker.valuesOf(schema), { seed: SEED, numRuns: VALUES });
}

/** Texts, numbers and other values without parts, on both sides of what a schema says. The shortest come first. */
export function scalarsOf(schema: JsonSchema): unknown[] {
  const said = collect(schema);
  const all = (...keywords: string[]): unknown[] => keywords.flatMap((word) => [...(said.get(word) ?? [])]);
  const numbers = (...keywords: string[]) => all(...keywords).filter((one) => typeof one === 'number');
  const bounds = numbers('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum');
  const around = (some: number[], step = 1) => some.flatMap((one) => [one - step, one, one + step]);
  const lengths = around(numbers('minLength', 'maxLength')).filter((one) => one >= 0 && one <= MAX_LENGTH);
  const scalars = [
    ...[null, true, false, 0, 1, -1, 0.5, 1e9, ...around(bounds), ...around(bounds, 0.5)],
    ...numbers('multipleOf').flatMap((one) => [one, 2 * one, one / 2]),
    ...['', 'a', 'A', '0', ' ', 'é', ...FORMATTED, ...all('pattern').flatMap((one) => textsOf(String(one)))],
    ...lengths.flatMap((length) => ['a', 'A', '0', ' '].map((fill) => fill.repeat(length))),
    ...all('enum', 'const', 'default', 'examples').flat(),
  ];
  const unique = new Map(scalars.map((value) => [JSON.stringify(value), value]));
  return [...unique].sort(([one], [two]) => one.length - two.length).map(([, value]) => value);
}

const NOTHING = fc.constant<unknown>(undefined);

class ValueMaker {
  constructor(
    private readonly root: JsonSchema,
    private readonly scalars: readonly unknown[],
  ) {}

  /** Of what can't be made there is nothing: `undefined`. */
  valuesOf(schema: unknown, depth = 0): Arbitrary<unknown> {
    if (depth > MAX_DEPTH || schema === false) return NOTHING;
    const { $ref, allOf = [], anyOf, oneOf, ...own } = isObject(schema) ? (schema as JsonSchema) : {};
    const target = $ref === undefined ? [] : [this.#resolve($ref as string)];
    const others = [...target, ...(allOf as unknown[])].map((one) => this.valuesOf(one, depth));
    for (const branches of [anyOf, oneOf] as (unknown[] | undefined)[])
      if (branches !== undefined) others.push(fc.oneof(...branches.map((one) => this.valuesOf(one, depth))));
    if (others.length === 0) return this.#plainValues(own, depth);
    if ('properties' in own) others.push(this.#plainValues(own, depth));
    return fc.tuple(...others).map((parts) => {
      const objects = parts.filter(isObject);
      return objects.length === parts.length ? (Object.assign({}, ...objects) as object) : parts.at(-1);
    });
  }

  #resolve(reference: string): unknown {
    return stepsOf(decodeURIComponent(reference)).reduce<unknown>(
      (node, step) => (node as JsonSchema)[step],
      this.root,
    );
  }

  #plainValues(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const types = [schema['type'] ?? ['object', 'array', 'other']].flat();
    const listed = 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
    if (listed !== undefined) return fc.constantFrom(...listed);
    const ofScalars = Object.entries(schema).filter(([keyword]) => OF_SCALARS.includes(keyword));
    const fits = readerOf(true).compile(Object.fromEntries(ofScalars));
    const scalars = this.scalars.filter((value) => fits(value));
    const kinds = [
      ...(scalars.length === 0 ? [] : [fc.constantFrom(...scalars)]),
      ...(types.includes('object') ? [this.#objects(schema, depth)] : []),
      ...(types.includes('array') ? [this.#lists(schema, depth)] : []),
    ];
    return kinds.length === 0 ? NOTHING : fc.oneof(...kinds);
  }

  #objects(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties } = schema;
    const needed = required as readonly string[];
    const others = [...needed, ...(isObject(additionalProperties) ? ['another'] : [])];
    const members = [
      ...others.map((name) => [name, additionalProperties] as const),
      ...Object.entries(properties as JsonSchema),
    ].map(([name, value]) => [name, this.valuesOf(value, depth + 1)] as const);
    return fc
      .record(Object.fromEntries(members), { requiredKeys: [...needed], noNullPrototype: true })
      .map((object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)));
  }

  #lists(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { prefixItems = [], items, minItems = 0, maxItems = MAX_ITEMS } = schema;
    const first = (prefixItems as unknown[]).map((item) => this.valuesOf(item, depth + 1));
    const rest = this.valuesOf(items, depth + 1);
    const [min, max] = [Number(minItems), Math.min(Number(maxItems), MAX_ITEMS)];
    const counts = [min, min + 1, min + 2].filter((count) => count <= max);
    const lists = counts.map((length) => fc.tuple(...Array.from({ length }, (_, at) => first[at] ?? rest)));
    return lists.length === 0 ? NOTHING : fc.oneof(...lists);
  }
}

/** What is said of values without parts. */
const OF_SCALARS = [
  ...['type', 'pattern', 'format', 'multipleOf', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];

/** Any keyword is allowed, and a pattern is read as people write it. */
const READING = {
  strict: false,
  validateSchema: false,
  logger: false,
  multipleOfPrecision: 9,
  code: { regExp: Object.assign((pattern: string) => regExpOf(pattern), { code: 'regExpOf' }) },
} as const;

/** A reader of schemas who checks every format, or for whom a format is a comment. */
export function readerOf(validateFormats: boolean): Ajv2020 {
  return ajvFormats.default(new Ajv2020({ ...READING, validateFormats }));
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

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Patterns are written for JavaScript with and without the flag `u`. */
function regExpOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
