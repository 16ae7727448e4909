import { data, list, map, object, type ObjectName, set, type Shape, stringOrSet } from './shape.js';

/** Where an OpenAPI object has parts that are more than data. Every field that is not named is data. */
export interface ObjectDefinition {
  readonly fields: Readonly<Record<string, Shape>>;
  /** The shape of all fields that are neither named nor extensions (`x-`). */
  readonly others?: Shape;
  /** A `$ref` may stand in its place. */
  readonly reference?: true;
}

const schema = object('schema');
const schemas = map(schema);
const examples = map(object('example'));
const headers = map(object('header'));
const content = map(object('media-type'));
const servers = list(object('server'));
const parameters = list(object('parameter'));
const pathItem = object('path-item');
const operation = object('operation');

const schemaFields = {
  ...fieldsOf(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'], schemas),
  ...fieldsOf(['allOf', 'anyOf', 'oneOf', 'prefixItems'], list(schema)),
  ...fieldsOf(['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'], schema),
  ...fieldsOf(['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'], schema),
  dependentRequired: map(set),
  required: set,
  type: stringOrSet,
  discriminator: object('discriminator'),
  xml: object('xml'),
};

/** The structure of OpenAPI 3.1.0 §4.8, with the keywords of JSON Schema 2020-12 that hold schemas or sets. */
export const OPENAPI_OBJECTS: Readonly<Record<ObjectName, ObjectDefinition>> = {
  openapi: {
    fields: {
      info: object('info'),
      servers,
      paths: object('paths'),
      webhooks: map(pathItem),
      components: object('components'),
    },
  },
  info: { fields: {} },
  server: { fields: {} },
  components: {
    fields: {
      schemas,
      responses: map(object('response')),
      parameters: map(object('parameter')),
      examples,
      requestBodies: map(object('request-body')),
      headers,
      securitySchemes: map(object('security-scheme')),
      links: map(object('link')),
      callbacks: map(object('callback')),
      pathItems: map(pathItem),
    },
  },
  paths: { fields: {}, others: pathItem },
  'path-item': {
    reference: true,
    fields: {
      ...fieldsOf(['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'trace'], operation),
      servers,
      parameters,
    },
  },
  operation: {
    fields: {
      tags: set,
      parameters,
      requestBody: object('request-body'),
      responses: object('responses'),
      callbacks: map(object('callback')),
      servers,
    },
  },
  parameter: { reference: true, fields: { schema, examples, content } },
  'request-body': { reference: true, fields: { content } },
  'media-type': { fields: { schema, examples, encoding: map(object('encoding')) } },
  encoding: { fields: { headers } },
  responses: { fields: {}, others: object('response') },
  response: { reference: true, fields: { headers, content, links: map(object('link')) } },
  callback: { reference: true, fields: {}, others: pathItem },
  example: { reference: true, fields: {} },
  link: { reference: true, fields: { server: object('server') } },
  header: { reference: true, fields: { schema, examples, content } },
  schema: { reference: true, fields: schemaFields },
  discriminator: { fields: { mapping: schemas } },
  xml: { fields: {} },
  'security-scheme': { reference: true, fields: {} },
};

/** The shape of one field of an object. */
export function shapeOfField(name: ObjectName, field: string): Shape {
  const { fields, others } = OPENAPI_OBJECTS[name];
  const named = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return named ?? (others !== undefined && !field.startsWith('x-') ? others : data);
}

function fieldsOf(names: readonly string[], shape: Shape): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, shape]));
}
