import { type SourceMap, toPlain, valueAt } from '../read/source-node.js';
import type { Shape } from './openapi-objects.js';

/**
 * The defaults that OpenAPI 3.1.0 §4.8 and JSON Schema 2020-12 state, by field: each value means the same as
 * leaving the field out, so it is not a fact. Not here is what depends on other fields (`style`, `explode`), and
 * what a standard calls optional without naming a default: an empty `description` says more than none.
 */
const DEFAULTS: Partial<Readonly<Record<Shape, Readonly<Record<string, readonly unknown[]>>>>> = {
  openapi: {
    jsonSchemaDialect: ['https://spec.openapis.org/oas/3.1/dialect/base'],
    servers: [[], [{ url: '/' }]],
  },
  operation: { deprecated: [false] },
  parameter: {
    required: [false],
    deprecated: [false],
    allowEmptyValue: [false],
    allowReserved: [false],
  },
  'request-body': { required: [false] },
  encoding: { allowReserved: [false] },
  header: { required: [false], deprecated: [false] },
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
  // 1e-400 is not 0, although a JavaScript number can't tell.
  if (value?.kind === 'scalar' && value.exact !== undefined) return false;
  const text = value && JSON.stringify(toPlain(value));
  return fields[field]?.some((plain) => JSON.stringify(plain) === text) === true;
}
