import { type SourceMap, stringAt, toPlain, valueAt } from '../read/source-node.js';
import type { Shape } from './openapi-objects.js';

/** The values of a field that mean the same as leaving it out. */
type Defaults = readonly unknown[] | ((siblings: SourceMap) => readonly unknown[]);

const serialisation = (style: (siblings: SourceMap) => string) => ({
  style: (siblings: SourceMap) => [style(siblings)],
  explode: (siblings: SourceMap) => [(stringAt(siblings, 'style') ?? style(siblings)) === 'form'],
  allowReserved: [false],
});

/**
 * Every default that OpenAPI 3.1.0 §4.8 or JSON Schema 2020-12 states in so many words. A field with
 * its default value asserts nothing, so it is not a fact. What a standard calls optional without naming a
 * default is not here: an empty `description` says more than none.
 */
const DEFAULTS: Partial<Readonly<Record<Shape, Readonly<Record<string, Defaults>>>>> = {
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

/** Whether a field has the value that leaving it out would mean. */
export function isDefault(shape: Shape, field: string, siblings: SourceMap): boolean {
  const fields = DEFAULTS[shape];
  if (fields === undefined || !Object.hasOwn(fields, field)) return false;
  const value = valueAt(siblings, field);
  const defaults = fields[field] ?? [];
  const plains = typeof defaults === 'function' ? defaults(siblings) : defaults;
  const text = value && JSON.stringify(toPlain(value));
  return plains.some((plain) => JSON.stringify(plain) === text);
}
