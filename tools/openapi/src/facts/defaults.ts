import { type SourceMap, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import type { ObjectName } from './shape.js';

type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** The values of a field that mean the same as leaving it out. */
type Defaults = readonly Plain[] | ((siblings: SourceMap) => readonly Plain[]);

const serialisation = (style: (siblings: SourceMap) => string) => ({
  style: (siblings: SourceMap) => [style(siblings)],
  explode: (siblings: SourceMap) => [(stringAt(siblings, 'style') ?? style(siblings)) === 'form'],
  allowReserved: [false],
});

/**
 * Every default that OpenAPI 3.1.0 §4.8 or JSON Schema 2020-12 states in so many words. A field that holds
 * its default asserts nothing, so it is no fact. What a standard calls optional without naming a default is
 * not here: an empty `description` says more than none.
 */
const DEFAULTS: Partial<Readonly<Record<ObjectName, Readonly<Record<string, Defaults>>>>> = {
  openapi: {
    jsonSchemaDialect: ['https://spec.openapis.org/oas/3.1/dialect/base'],
    servers: [[], [{ url: '/' }]],
  },
  operation: { deprecated: [false] },
  parameter: {
    required: [false],
    deprecated: [false],
    allowEmptyValue: [false],
    ...serialisation((siblings) =>
      ['query', 'cookie'].includes(stringAt(siblings, 'in') ?? '') ? 'form' : 'simple',
    ),
  },
  'request-body': { required: [false] },
  encoding: serialisation(() => 'form'),
  header: {
    required: [false],
    deprecated: [false],
    ...serialisation(() => 'simple'),
  },
  schema: {
    deprecated: [false],
    readOnly: [false],
    writeOnly: [false],
    uniqueItems: [false],
    minLength: [0],
    minItems: [0],
    minContains: [1],
    minProperties: [0],
    required: [[]],
    dependentRequired: [{}],
  },
  xml: { attribute: [false], wrapped: [false] },
};

/** Whether a field holds what leaving it out would mean. */
export function isDefault(name: ObjectName, field: string, siblings: SourceMap): boolean {
  const fields = DEFAULTS[name];
  if (fields === undefined || !Object.hasOwn(fields, field)) return false;
  const defaults = fields[field] ?? [];
  const value = valueAt(siblings, field);
  const plains = typeof defaults === 'function' ? defaults(siblings) : defaults;
  return value !== undefined && plains.some((plain) => equals(value, plain));
}

function equals(node: SourceNode, plain: Plain): boolean {
  if (node.kind === 'scalar') return node.value === plain;
  if (node.kind === 'list') {
    return (
      Array.isArray(plain) &&
      plain.length === node.items.length &&
      node.items.every((item, index) => equals(item, plain[index] as Plain))
    );
  }
  if (typeof plain !== 'object' || Array.isArray(plain)) return false;
  const fields = Object.entries(plain);
  return (
    fields.length === node.entries.size &&
    fields.every(([key, value]) => {
      const given = valueAt(node, key);
      return given !== undefined && equals(given, value);
    })
  );
}
