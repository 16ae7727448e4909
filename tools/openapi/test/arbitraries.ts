import fc from 'fast-check';

/** Any JSON value, as an example or an extension may have it. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const NAMES = ['A', 'B', 'C', 'D'];
const text = fc.string({ maxLength: 6 });
const key = fc.oneof(text, fc.constantFrom('$ref', 'type', 'required', '__proto__', 'a/b', 'x~y', 'x-k'));

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('json'), { maxLength: 3 }),
    dictionary(key, tie('json')),
  ),
}));

const reference = fc.constantFrom(...NAMES).map((name) => ({ $ref: `#/components/schemas/${name}` }));

const withSibling = fc.tuple(reference, text).map(([one, description]) => ({ ...one, description }));

const { schema } = fc.letrec<{ schema: object }>((tie) => {
  const part = fc.oneof(
    { weight: 2, arbitrary: reference },
    { weight: 1, arbitrary: withSibling },
    { weight: 3, arbitrary: tie('schema') },
  );
  return {
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      optional({
        type: fc.constantFrom('string', 'integer', ['string', 'null']),
        description: text,
        example: json,
      }),
      optional({
        type: fc.constant('object'),
        properties: dictionary(key, part),
        required: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
        'x-data': json,
      }),
      optional({ items: part, enum: fc.array(json, { maxLength: 3 }), default: json }),
      fc.record({ allOf: fc.array(part, { minLength: 1, maxLength: 3 }) }),
    ),
  };
});

const schemaOrReference = fc.oneof(reference, schema);

const operation = optional({
  summary: text,
  tags: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
  requestBody: fc.record({
    content: dictionary(text, fc.record({ schema: schemaOrReference, example: json })),
  }),
  responses: fc.record({ '204': fc.record({ description: text }) }),
  security: fc.array(dictionary(text, fc.constant([])), { maxLength: 2 }),
});

/** OpenAPI documents with webhooks, and schemas that are shared, recursive, unused; no explicit defaults. */
export const documents: fc.Arbitrary<object> = fc
  .record({
    openapi: fc.constantFrom('3.1.0', '3.1.1'),
    info: fc.record({ title: text, version: text }),
    webhooks: dictionary(text, optional({ summary: text, post: operation, put: operation })),
    components: fc.record({ schemas: fc.record(Object.fromEntries(NAMES.map((name) => [name, schema]))) }),
    'x-extension': json,
  })
  .map((document) => JSON.parse(JSON.stringify(document)) as object);

function optional(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] });
}

/** Like `fc.dictionary`, with `__proto__` as a key like any other. */
function dictionary<Value>(
  keys: fc.Arbitrary<string>,
  value: fc.Arbitrary<Value>,
): fc.Arbitrary<Record<string, Value>> {
  return fc
    .uniqueArray(fc.tuple(keys, value), { selector: ([name]) => name, maxLength: 3 })
    .map(
      (entries) =>
        JSON.parse(
          `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join(',')}}`,
        ) as Record<string, Value>,
    );
}
