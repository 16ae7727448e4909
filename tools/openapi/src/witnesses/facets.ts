import type { SchemaObject } from './json-schema.js';

/** A type of JSON. An integer is a number. */
export type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const ALL: readonly Type[] = ['string', 'object', 'array', 'number', 'boolean', 'null'];

/** What several schemas say together about one value. */
export interface Facets {
  /** The likeliest first. */
  readonly types: readonly Type[];
  /** The values that are allowed, if they are listed. */
  readonly values: readonly unknown[] | undefined;
  readonly required: readonly string[];
  readonly patterns: readonly string[];
  /** The greatest lower and the least upper bounds. */
  readonly number: Bounds;
  readonly above: number;
  readonly below: number;
  readonly multiples: readonly number[];
  readonly length: Bounds;
  readonly items: Bounds;
  readonly properties: Bounds;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function facetsOf(schemas: readonly SchemaObject[]): Facets {
  const types = schemas.reduce(narrowed, ALL);
  const bounds = (min: keyof SchemaObject, max: keyof SchemaObject, least: number): Bounds => ({
    min: Math.max(least, ...given(schemas, min)),
    max: Math.min(Infinity, ...given(schemas, max)),
  });
  return {
    types: hinted(types, schemas),
    values: valuesOf(schemas),
    required: [...new Set(schemas.flatMap(({ required = [] }) => required))],
    patterns: schemas.flatMap(({ pattern }) => pattern ?? []),
    number: bounds('minimum', 'maximum', -Infinity),
    above: Math.max(-Infinity, ...given(schemas, 'exclusiveMinimum')),
    below: Math.min(Infinity, ...given(schemas, 'exclusiveMaximum')),
    multiples: given(schemas, 'multipleOf'),
    length: bounds('minLength', 'maxLength', 0),
    items: bounds('minItems', 'maxItems', 0),
    properties: bounds('minProperties', 'maxProperties', 0),
  };
}

/** The numbers that a keyword has in these schemas. */
export function given(schemas: readonly SchemaObject[], keyword: keyof SchemaObject): number[] {
  return schemas.flatMap((schema) => {
    const value = schema[keyword];
    return typeof value === 'number' ? [value] : [];
  });
}

export function isNumberIn({ number, above, below, multiples, types }: Facets, value: number): boolean {
  if (!types.includes('number') && !Number.isInteger(value)) return false;
  if (value < number.min || value > number.max || value <= above || value >= below) return false;
  return multiples.every((multiple) => Number.isInteger(value / multiple));
}

function narrowed(types: readonly Type[], { type }: SchemaObject): readonly Type[] {
  if (type === undefined) return types;
  const named = [type].flat();
  const both = named.flatMap((one): Type[] => {
    const known = one as Type;
    if (types.includes(known)) return [known];
    if (known === 'integer' && types.includes('number')) return ['integer'];
    return known === 'number' && types.includes('integer') ? ['integer'] : [];
  });
  return both;
}

const HINTS: readonly (readonly [Type, readonly (keyof SchemaObject)[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']],
];

/** A schema without a type is about the type that its keywords are about. */
function hinted(types: readonly Type[], schemas: readonly SchemaObject[]): readonly Type[] {
  if (types !== ALL) return types;
  const [likely] =
    HINTS.find(([, keywords]) =>
      schemas.some((schema) => keywords.some((keyword) => schema[keyword] !== undefined)),
    ) ?? [];
  return likely === undefined ? types : [likely, ...types.filter((type) => type !== likely)];
}

/** The values that all lists have; at most 1000. */
function valuesOf(schemas: readonly SchemaObject[]): readonly unknown[] | undefined {
  const lists = schemas.flatMap((schema) => [
    ...(schema.enum === undefined ? [] : [schema.enum]),
    ...('const' in schema ? [[schema.const]] : []),
  ]);
  const [first, ...others] = lists.map((list) => list.slice(0, MAX_VALUES));
  const texts = others.map((list) => new Set(list.map((value) => JSON.stringify(value))));
  return first?.filter((value) => texts.every((text) => text.has(JSON.stringify(value))));
}

const MAX_VALUES = 1000;
