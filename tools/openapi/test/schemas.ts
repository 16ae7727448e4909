import fc from 'fast-check';

/** A schema of JSON Schema 2020-12 as it is written; `$ref`s lead to `A` and `B`. */
export type Written = boolean | { [keyword: string]: unknown };

/** The schema of a payload, and the components that it uses. */
export interface WrittenPayload {
  readonly schema: Written;
  readonly schemas: { readonly A: Written; readonly B: Written };
}

const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const names = fc.uniqueArray(name, { maxLength: 2 });
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 3);
const count = fc.constantFrom(0, 1, 2, 3);
const pattern = fc.constantFrom('^a', 'b$', '^[ab]+$');
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const scalar = fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'aab'), number, fc.boolean(), fc.constant(null));

/** Small values, of the words that the schemas use. */
export const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: name }, { weight: 1, arbitrary: fc.constant('d') }),
      tie('value'),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

const generated = (targets: readonly ('A' | 'B')[]) =>
  fc.letrec<{ schema: Written; keyword: readonly [string, unknown] }>((tie) => {
    const part = tie('schema');
    const parts = fc.array(part, { minLength: 1, maxLength: 3 });
    const named = (one: fc.Arbitrary<unknown>, keys = name) =>
      fc.dictionary(keys, one, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
    const among = (weight: number, keywords: Record<string, fc.Arbitrary<unknown>>) =>
      Object.entries(keywords).map(([key, value]) => ({
        weight,
        arbitrary: value.map((one) => [key, one] as const),
      }));
    return {
      keyword: fc.oneof(
        ...among(8, { type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
        ...among(8, { properties: named(part), required: names }),
        ...among(4, {
          additionalProperties: part,
          items: part,
          enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }),
        }),
        ...among(2, {
          minimum: number,
          maximum: number,
          minLength: count,
          maxLength: count,
          minItems: count,
          maxItems: count,
        }),
        ...among(2, { allOf: parts, anyOf: parts, oneOf: parts, not: part, const: scalar, pattern }),
        ...among(1, {
          exclusiveMinimum: number,
          exclusiveMaximum: number,
          multipleOf: fc.constantFrom(0.5, 1, 2, 3),
        }),
        ...among(1, {
          minProperties: count,
          maxProperties: count,
          uniqueItems: fc.boolean(),
          propertyNames: part,
        }),
        ...among(1, {
          patternProperties: named(part, pattern),
          dependentRequired: named(names),
          dependentSchemas: named(part),
        }),
        ...among(1, {
          prefixItems: parts,
          contains: part,
          unevaluatedProperties: part,
          unevaluatedItems: part,
        }),
        ...among(1, { if: part, then: part, else: part }),
      ),
      schema: fc.oneof(
        { depthSize: 'small', maxDepth: 4 },
        fc.boolean(),
        ...references(targets),
        ...[1, 2, 3].map(() =>
          fc.array(tie('keyword'), { maxLength: 4 }).map((keywords) => Object.fromEntries(keywords)),
        ),
        ...references(targets).map((reference) =>
          fc.tuple(tie('keyword'), reference).map(([[key, value], { $ref }]) => ({ $ref, [key]: value })),
        ),
      ),
    };
  });

function references(targets: readonly string[]): fc.Arbitrary<{ $ref: string }>[] {
  return targets.map((to) => fc.constant({ $ref: `#/components/schemas/${to}` }));
}

const { schema: top } = generated(['A', 'B']);
const { schema: middle } = generated(['B']);
const { schema: leaf, keyword } = generated([]);
/** Circular, but never so that a schema applies itself to the same value. */
const circular = middle.map((one): Written =>
  typeof one === 'object'
    ? {
        ...one,
        properties: { ...(one['properties'] as object | undefined), c: { $ref: '#/components/schemas/A' } },
      }
    : one,
);

const payload: fc.Arbitrary<WrittenPayload> = fc.record({
  schema: top,
  schemas: fc.record({ A: fc.oneof(middle, circular), B: leaf }),
});

interface Edit {
  readonly place: number;
  readonly change: readonly [string, unknown] | 'remove';
}

const edit: fc.Arbitrary<Edit> = fc.record({
  place: fc.nat(),
  change: fc.oneof(keyword, fc.constant('remove' as const)),
});

/** Two payloads, the second of which is the first with one to three keywords set or removed. */
export const pairs: fc.Arbitrary<readonly [WrittenPayload, WrittenPayload]> = fc
  .tuple(payload, fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([before, edits]) => [before, edits.reduce(edited, before)]);

function edited(before: WrittenPayload, { place, change }: Edit): WrittenPayload {
  const copy = structuredClone(before);
  const schemas = schemasIn([copy.schema, copy.schemas.A, copy.schemas.B]);
  const chosen = schemas[place % Math.max(schemas.length, 1)];
  if (chosen === undefined) return copy;
  if (change !== 'remove') chosen[change[0]] = change[1];
  else
    Reflect.deleteProperty(
      chosen,
      Object.keys(chosen)[place % Math.max(Object.keys(chosen).length, 1)] ?? '',
    );
  return copy;
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const DATA = ['enum', 'const', 'required', 'dependentRequired', 'type'];

/** Every schema in these that is a map. */
function schemasIn(schemas: readonly unknown[]): { [keyword: string]: unknown }[] {
  return schemas.flatMap((one) => {
    if (typeof one !== 'object' || one === null) return [];
    const written = one as { [keyword: string]: unknown };
    const below = Object.entries(written).flatMap(([key, value]) => {
      if (DATA.includes(key)) return [];
      return LISTS.includes(key) || MAPS.includes(key)
        ? Object.values(value as Record<string, unknown>)
        : [value];
    });
    return [written, ...schemasIn(below)];
  });
}
