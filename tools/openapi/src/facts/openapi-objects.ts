/** The fields of a Path Item that hold an operation. */
export const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'trace'];

/** The objects of OpenAPI 3.1.0 §4.8. `callbacks` and `links` are no webhook's: they are data. */
export type ObjectName =
  | 'openapi'
  | 'info'
  | 'server'
  | 'components'
  | 'paths'
  | 'path-item'
  | 'operation'
  | 'parameter'
  | 'request-body'
  | 'media-type'
  | 'encoding'
  | 'responses'
  | 'response'
  | 'example'
  | 'header'
  | 'schema'
  | 'xml'
  | 'security-scheme';

/**
 * An object that OpenAPI defines, or
 * - `data`: compared as it is written (examples, defaults, enums, extensions);
 * - `set`: a list of strings whose order says nothing;
 * - `string-or-set`: one string, or a set of them.
 */
type PartShape = ObjectName | 'data' | 'set' | 'string-or-set';

/** What stands at a place of an OpenAPI document: `schema`, `schema{}` (a map by name) or `schema[]`. */
export type Shape = PartShape | `${PartShape}{}` | `${PartShape}[]`;

interface ObjectDefinition {
  /** Fields that are more than data. */
  readonly fields?: Readonly<Record<string, Shape>>;
  /** The shape of all fields that are neither named nor extensions (`x-`). */
  readonly others?: Shape;
  /** A `$ref` may stand in its place. */
  readonly reference?: true;
}

/** The structure of OpenAPI 3.1.0 §4.8, with the keywords of JSON Schema 2020-12 whose values are schemas or sets. */
const OBJECTS: Readonly<Record<ObjectName, ObjectDefinition>> = {
  openapi: {
    fields: {
      info: 'info',
      servers: 'server[]',
      paths: 'paths',
      webhooks: 'path-item{}',
      components: 'components',
    },
  },
  info: {},
  server: {},
  components: {
    fields: {
      schemas: 'schema{}',
      responses: 'response{}',
      parameters: 'parameter{}',
      examples: 'example{}',
      requestBodies: 'request-body{}',
      headers: 'header{}',
      securitySchemes: 'security-scheme{}',
      pathItems: 'path-item{}',
    },
  },
  paths: { others: 'path-item' },
  'path-item': {
    reference: true,
    fields: {
      ...named('operation', ...METHODS),
      servers: 'server[]',
      parameters: 'parameter[]',
    },
  },
  operation: {
    fields: {
      tags: 'set',
      parameters: 'parameter[]',
      requestBody: 'request-body',
      responses: 'responses',
      servers: 'server[]',
    },
  },
  parameter: {
    reference: true,
    fields: { schema: 'schema', examples: 'example{}', content: 'media-type{}' },
  },
  'request-body': { reference: true, fields: { content: 'media-type{}' } },
  'media-type': { fields: { schema: 'schema', examples: 'example{}', encoding: 'encoding{}' } },
  encoding: { fields: { headers: 'header{}' } },
  responses: { others: 'response' },
  response: {
    reference: true,
    fields: { headers: 'header{}', content: 'media-type{}' },
  },
  example: { reference: true },
  header: {
    reference: true,
    fields: { schema: 'schema', examples: 'example{}', content: 'media-type{}' },
  },
  schema: {
    reference: true,
    fields: {
      ...named('schema{}', '$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'),
      ...named('schema[]', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
      ...named('schema', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'),
      ...named('schema', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'),
      dependentRequired: 'set{}',
      required: 'set',
      type: 'string-or-set',
      xml: 'xml',
    },
  },
  xml: {},
  'security-scheme': { reference: true },
};

/** Whether an object that OpenAPI defines stands there. */
export function isObject(shape: Shape | undefined): shape is ObjectName {
  return shape !== undefined && Object.hasOwn(OBJECTS, shape);
}

/** Whether a map stands there whose keys the author chose. */
export function isMap(shape: Shape | undefined): boolean {
  return shape?.endsWith('{}') === true;
}

/** Whether a list of parts stands there whose order is kept. */
export function isList(shape: Shape | undefined): boolean {
  return shape?.endsWith('[]') === true;
}

/** Whether a `$ref` may stand in the place of what has this shape. */
export function isReferable(shape: Shape): boolean {
  return isObject(shape) && OBJECTS[shape].reference === true;
}

/** The shape of a part: of a field of an object, a value of a map, an item of a list. */
export function shapeBelow(shape: Shape, key: string): Shape {
  if (isMap(shape) || isList(shape)) return shape.slice(0, -2) as PartShape;
  if (!isObject(shape)) return 'data';
  const { fields = {}, others } = OBJECTS[shape];
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return field ?? (others !== undefined && !key.startsWith('x-') ? others : 'data');
}

function named(shape: Shape, ...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, shape]));
}
