/** A JSON Schema of draft 2020-12, as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that refuse nothing. */
const ANNOTATIONS = [
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
];

/** Keywords that TypeScript cannot express. */
const BEYOND_TYPES = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'uniqueItems',
];

/**
 * Whether every value of one schema is a value of the other. It says no when it can't tell. A property that only the
 * other names is no difference: whoever follows the first schema doesn't send it.
 */
export function fits(one: unknown, other: unknown): boolean {
  if (!isSchema(one) || !isSchema(other)) return one === false || other === true || other === undefined;
  if (isSame(withoutKeywords(one, ANNOTATIONS), withoutKeywords(other, ANNOTATIONS))) return true;
  const branches = branchesOf(one);
  if (branches !== undefined) return branches.every((branch) => fits(branch, other));
  return Object.entries(other).every(([keyword, value]) => keeps(one, other, keyword, value));
}

/**
 * What TypeScript knows of a schema: an integer is a number, a number has no bounds, and an object literal has no other
 * properties.
 */
export function typesOf(schema: JsonSchema): JsonSchema {
  const types = withoutKeywords(schema, [...BEYOND_TYPES, ...ANNOTATIONS]);
  const known = {
    ...('properties' in types && { additionalProperties: false }),
    ...types,
    ...(types['type'] === 'integer' && { type: 'number' }),
  };
  return mapSchemas(known, typesOf);
}

/** The fields of an object, with the type of each, and whether it is required. */
export function fieldsInWords(schema: JsonSchema): string {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, unknown>).map(
    ([name, field]) => {
      const facts = [...typeInWords(field), ...(required.includes(name) ? ['required'] : [])];
      return facts.length === 0 ? `\`${name}\`` : `\`${name}\` (${facts.join(', ')})`;
    },
  );
  return fields.join(', ') || 'any';
}

/** Whether the values of a schema keep what one keyword of the other asks. */
function keeps(one: JsonSchema, other: JsonSchema, keyword: string, value: unknown): boolean {
  if (ANNOTATIONS.includes(keyword)) return true;
  const own = one[keyword];
  switch (keyword) {
    case 'type':
      return typesIn(one).length > 0 && typesIn(one).every((type) => allowsType(value, type));
    case 'enum':
    case 'const': {
      const allowed = keyword === 'const' ? [value] : (value as readonly unknown[]);
      const sent = 'const' in one ? [one['const']] : (one['enum'] as readonly unknown[] | undefined);
      return sent !== undefined && sent.every((item) => allowed.some((candidate) => isSame(item, candidate)));
    }
    case 'required':
      return (value as readonly string[]).every((name) => ((own ?? []) as readonly string[]).includes(name));
    case 'properties': {
      const properties = propertiesOf(one);
      return Object.entries(value as object).every(([name, schema]) =>
        fits(properties[name] ?? false, schema),
      );
    }
    case 'additionalProperties': {
      const named = Object.keys(propertiesOf(other));
      const more = Object.entries(propertiesOf(one)).filter(([name]) => !named.includes(name));
      return fits(own ?? true, value) && more.every(([, schema]) => fits(schema, value));
    }
    case 'items':
      return fits(own ?? true, value);
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return typeof own === 'number' && own >= (value as number);
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return typeof own === 'number' && own <= (value as number);
    case 'anyOf':
      return (value as readonly unknown[]).some((branch) => fits(one, branch));
    case 'allOf':
      return (value as readonly unknown[]).every((branch) => fits(one, branch));
    default:
      return isSame(own, value);
  }
}

/** The branches of a schema that is nothing but a choice. */
function branchesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const keywords = Object.keys(withoutKeywords(schema, ANNOTATIONS));
  const [keyword = ''] = keywords;
  return keywords.length === 1 && ['anyOf', 'oneOf'].includes(keyword)
    ? (schema[keyword] as readonly unknown[])
    : undefined;
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return (schema['properties'] ?? {}) as Record<string, unknown>;
}

function typesIn({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : ([type].flat() as string[]);
}

function allowsType(allowed: unknown, type: string): boolean {
  const types = [allowed].flat();
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function typeInWords(schema: unknown): string[] {
  if (!isSchema(schema)) return [];
  const { enum: values } = schema as { readonly enum?: readonly unknown[] };
  if (values !== undefined) return [values.map((value) => JSON.stringify(value)).join(' or ')];
  const types = typesIn(schema);
  return types.length === 0 ? [] : [types.join(' or ')];
}

/** Applies a function to the schemas in a schema. */
function mapSchemas(schema: JsonSchema, map: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const mapped = (value: unknown): unknown => (isSchema(value) ? map(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (['properties', '$defs'].includes(keyword)) {
        const members = Object.entries(value as object).map(([name, member]) => [name, mapped(member)]);
        return [keyword, Object.fromEntries(members)];
      }
      if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) {
        return [keyword, (value as readonly unknown[]).map(mapped)];
      }
      return [keyword, ['items', 'additionalProperties', 'not'].includes(keyword) ? mapped(value) : value];
    }),
  );
}

function withoutKeywords(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are equal. The order of an object's members doesn't matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === others.length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}
