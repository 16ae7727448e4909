import { METHODS } from '../facts/openapi-objects.js';
import type { VALUES } from './values.js';

/** The objects of OpenAPI 3.1 §4.8, as messages call them. */
const NAMES = {
  openapi: 'the document',
  info: 'the info',
  contact: 'a contact',
  license: 'a license',
  server: 'a server',
  'server-variable': 'a variable of a server',
  components: 'the components',
  paths: 'the paths',
  'path-item': 'a path item',
  operation: 'an operation',
  'external-docs': 'external documentation',
  parameter: 'a parameter',
  'request-body': 'a request body',
  'media-type': 'a media type',
  encoding: 'an encoding',
  responses: 'the responses',
  response: 'a response',
  callback: 'a callback',
  example: 'an example',
  link: 'a link',
  header: 'a header',
  tag: 'a tag',
  schema: 'a schema',
  discriminator: 'a discriminator',
  xml: 'the XML of a schema',
  'security-scheme': 'a security scheme',
  flows: 'the flows of OAuth 2.0',
  'implicit-flow': 'the implicit flow',
  'token-flow': 'a flow with a token',
  'code-flow': 'the authorization code flow',
  'security-requirement': 'a security requirement',
} as const;

export type ObjectName = keyof typeof NAMES;

/** A value of a field: an object or a plain value, a list `[]`, a list that isn't empty `[1]`, or a map `{}` of them. */
export type Kind = Single | `${Single}[]` | `${Single}[1]` | `${Single}{}`;
export type Single = ObjectName | keyof typeof VALUES;

export interface ObjectRule {
  readonly fields?: Readonly<Record<string, Kind>>;
  readonly required?: readonly string[];
  /** Of the fields whose names the author chooses. */
  readonly others?: Kind;
  /** What those names look like. Without it, any name will do. */
  readonly names?: RegExp;
  /** A Reference Object may stand in its place. */
  readonly reference?: true;
}

/** How a message calls an object. */
export function wordsOf(name: ObjectName): string {
  return NAMES[name];
}

export function isObject(name: string): name is ObjectName {
  return Object.hasOwn(NAMES, name);
}

const SCHEMA_FIELDS = {
  schema: 'schema',
  style: 'text',
  explode: 'boolean',
  example: 'any',
  examples: 'example{}',
} as const;

/** The fields of each object. A field that starts with `x-` is allowed in all of them. */
export const RULES: Readonly<Record<ObjectName, ObjectRule>> = {
  openapi: {
    fields: {
      openapi: 'version',
      info: 'info',
      jsonSchemaDialect: 'address',
      servers: 'server[]',
      paths: 'paths',
      webhooks: 'path-item{}',
      components: 'components',
      security: 'security-requirement[]',
      tags: 'tag[]',
      externalDocs: 'external-docs',
    },
    required: ['openapi', 'info'],
  },
  info: {
    fields: {
      ...all('text', 'title', 'summary', 'description', 'version'),
      termsOfService: 'address',
      contact: 'contact',
      license: 'license',
    },
    required: ['title', 'version'],
  },
  contact: { fields: { name: 'text', url: 'address', email: 'email' } },
  license: { fields: { ...all('text', 'name', 'identifier'), url: 'address' }, required: ['name'] },
  server: {
    fields: { ...all('text', 'url', 'description'), variables: 'server-variable{}' },
    required: ['url'],
  },
  'server-variable': {
    fields: { ...all('text', 'default', 'description'), enum: 'text[1]' },
    required: ['default'],
  },
  components: {
    fields: {
      schemas: 'schema{}',
      responses: 'response{}',
      parameters: 'parameter{}',
      examples: 'example{}',
      requestBodies: 'request-body{}',
      headers: 'header{}',
      securitySchemes: 'security-scheme{}',
      links: 'link{}',
      callbacks: 'callback{}',
      pathItems: 'path-item{}',
    },
  },
  paths: { names: /^\//, others: 'path-item' },
  'path-item': {
    fields: {
      ...all('text', '$ref', 'summary', 'description'),
      ...all('operation', ...METHODS),
      servers: 'server[]',
      parameters: 'parameter[]',
    },
  },
  operation: {
    fields: {
      ...all('text', 'summary', 'description', 'operationId'),
      tags: 'text[]',
      externalDocs: 'external-docs',
      parameters: 'parameter[]',
      requestBody: 'request-body',
      responses: 'responses',
      callbacks: 'callback{}',
      deprecated: 'boolean',
      security: 'security-requirement[]',
      servers: 'server[]',
    },
  },
  'external-docs': { fields: { url: 'address', description: 'text' }, required: ['url'] },
  parameter: {
    fields: {
      ...SCHEMA_FIELDS,
      ...all('text', 'name', 'description'),
      in: 'place of a parameter',
      ...all('boolean', 'required', 'deprecated', 'allowEmptyValue', 'allowReserved'),
      content: 'media-type{}',
    },
    required: ['name', 'in'],
    reference: true,
  },
  'request-body': {
    fields: { description: 'text', content: 'media-type{}', required: 'boolean' },
    required: ['content'],
    reference: true,
  },
  'media-type': {
    fields: { schema: 'schema', encoding: 'encoding{}', example: 'any', examples: 'example{}' },
  },
  encoding: {
    fields: {
      contentType: 'text',
      headers: 'header{}',
      style: 'style of a form',
      ...all('boolean', 'explode', 'allowReserved'),
    },
  },
  responses: { names: /^(?:default|[1-5](?:\d\d|XX))$/, others: 'response' },
  response: {
    fields: { description: 'text', headers: 'header{}', content: 'media-type{}', links: 'link{}' },
    required: ['description'],
    reference: true,
  },
  callback: { others: 'path-item', reference: true },
  example: {
    fields: { ...all('text', 'summary', 'description'), value: 'any', externalValue: 'address' },
    reference: true,
  },
  link: {
    fields: {
      ...all('text', 'operationId', 'description'),
      operationRef: 'address',
      parameters: 'map',
      requestBody: 'any',
      server: 'server',
    },
    reference: true,
  },
  header: {
    fields: {
      ...SCHEMA_FIELDS,
      description: 'text',
      ...all('boolean', 'required', 'deprecated'),
      style: 'style of a header',
      content: 'media-type{}',
    },
    reference: true,
  },
  tag: {
    fields: { ...all('text', 'name', 'description'), externalDocs: 'external-docs' },
    required: ['name'],
  },
  // JSON Schema 2020-12, with the vocabulary of OpenAPI. An unknown keyword says nothing and is allowed.
  schema: {
    fields: {
      ...all('text', '$id', '$schema', '$ref', '$dynamicRef', '$comment', 'title', 'description', 'format'),
      ...all('text', 'contentEncoding', 'contentMediaType'),
      ...all('anchor', '$anchor', '$dynamicAnchor'),
      $vocabulary: 'boolean{}',
      ...all('schema{}', '$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'),
      ...all('schema[1]', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
      ...all('schema', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'),
      ...all('schema', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'),
      ...all('number', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'),
      multipleOf: 'positive number',
      ...all('count', 'maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'),
      ...all('count', 'maxContains', 'minContains'),
      ...all('boolean', 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
      pattern: 'pattern',
      type: 'types',
      enum: 'list',
      required: 'names',
      dependentRequired: 'names{}',
      examples: 'list',
      discriminator: 'discriminator',
      xml: 'xml',
      externalDocs: 'external-docs',
    },
    others: 'any',
    reference: true,
  },
  discriminator: { fields: { propertyName: 'text', mapping: 'text{}' }, required: ['propertyName'] },
  xml: {
    fields: { ...all('text', 'name', 'namespace', 'prefix'), ...all('boolean', 'attribute', 'wrapped') },
  },
  'security-scheme': {
    fields: {
      type: 'kind of security',
      ...all('text', 'description', 'name', 'scheme', 'bearerFormat'),
      openIdConnectUrl: 'address',
      in: 'place of a key',
      flows: 'flows',
    },
    required: ['type'],
    reference: true,
  },
  flows: {
    fields: {
      implicit: 'implicit-flow',
      ...all('token-flow', 'password', 'clientCredentials'),
      authorizationCode: 'code-flow',
    },
  },
  'implicit-flow': {
    fields: { ...all('address', 'authorizationUrl', 'refreshUrl'), scopes: 'text{}' },
    required: ['authorizationUrl', 'scopes'],
  },
  'token-flow': {
    fields: { ...all('address', 'tokenUrl', 'refreshUrl'), scopes: 'text{}' },
    required: ['tokenUrl', 'scopes'],
  },
  'code-flow': {
    fields: { ...all('address', 'authorizationUrl', 'tokenUrl', 'refreshUrl'), scopes: 'text{}' },
    required: ['authorizationUrl', 'tokenUrl', 'scopes'],
  },
  'security-requirement': { others: 'text[]' },
};

function all<One extends Kind>(kind: One, ...names: readonly string[]): Record<string, One> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}
