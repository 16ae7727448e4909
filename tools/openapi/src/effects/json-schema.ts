/** A JSON Schema of draft 2020-12, as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value is a schema with keywords; `true` and `false` are schemas without. */
function isSchema(value: unknown): value is JsonSchema {
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
