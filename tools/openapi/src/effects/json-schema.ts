/** A JSON Schema of draft 2020-12, as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that TypeScript knows. */
const OF_TYPES = [
  ...['$ref', '$defs', 'type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'prefixItems'],
];

/**
 * What TypeScript knows of a schema: an integer is a number, a number has no bounds, and an object literal has no other
 * properties.
 */
export function typesOf(schema: JsonSchema): JsonSchema {
  const known = Object.entries(schema).filter(([keyword]) => OF_TYPES.includes(keyword));
  return {
    ...('properties' in schema && { additionalProperties: false }),
    ...Object.fromEntries(known.map(([keyword, value]) => [keyword, mapSchemas(keyword, value)])),
    ...(schema['type'] === 'integer' && { type: 'number' }),
  };
}

function mapSchemas(keyword: string, value: unknown): unknown {
  const map = (one: unknown): unknown => (isSchema(one) ? typesOf(one) : one);
  if (['properties', '$defs'].includes(keyword))
    return Object.fromEntries(Object.entries(value as JsonSchema).map(([name, one]) => [name, map(one)]));
  if (['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(keyword)) return (value as unknown[]).map(map);
  return ['items', 'additionalProperties'].includes(keyword) ? map(value) : value;
}

/** Whether a value is a schema with keywords; `true` and `false` are schemas without. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object, with the type of each, what else is said of it, and whether it is required. */
export function fieldsInWords(schema: JsonSchema): string {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries((schema['properties'] ?? {}) as JsonSchema).map(([name, field]) => {
    const facts = [
      ...(isSchema(field) ? factsOf(field) : []),
      ...(required.includes(name) ? ['required'] : []),
    ];
    return facts.length === 0 ? `\`${name}\`` : `\`${name}\` (${facts.join(', ')})`;
  });
  return fields.join(', ') || 'any';
}

/** Keywords whose value is said as it is. */
const SIMPLE = ['string', 'number', 'boolean'];

function factsOf({ type, enum: values, ...others }: JsonSchema): string[] {
  const types = type === undefined ? [] : [([type].flat() as string[]).join(' or ')];
  const allowed = (values as unknown[] | undefined)?.map((value) => JSON.stringify(value)).join(' or ');
  const rest = Object.entries(others).filter(
    ([keyword, value]) => SIMPLE.includes(typeof value) && !['title', 'description'].includes(keyword),
  );
  return [
    ...(allowed === undefined ? types : [allowed]),
    ...rest.map(
      ([keyword, value]) => `${keyword} ${typeof value === 'string' ? `\`${value}\`` : String(value)}`,
    ),
  ];
}
