import type { FastifySchemaValidationError, FastifyServerOptions } from 'fastify';

/** How requests are validated, and how it is said what is wrong with one. */
export const VALIDATION: Pick<FastifyServerOptions, 'ajv' | 'schemaErrorFormatter'> = {
  ajv: { customOptions: { allErrors: true, removeAdditional: false } },
  schemaErrorFormatter: (errors, part) => {
    const choices = errors
      .filter(({ keyword }) => keyword === 'anyOf')
      .map(({ instancePath }) => instancePath);
    // Of what is none of several forms, the faults in each form say nothing.
    const told = errors.filter(
      ({ keyword, instancePath: at }) => keyword === 'anyOf' || !choices.includes(at),
    );
    return new Error(told.map((error) => `${describe(error, part)}.`).join(' '));
  },
};

type Params = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, string>> = {
  integer: 'one whole number',
  string: 'one text',
  array: 'a list',
};

const count = ({ limit }: Params, what = ''): string =>
  `${Number(limit).toLocaleString('en-US')}${what && ` ${what}`}${what && limit !== 1 ? 's' : ''}`;

/** What each rule of a schema says in plain English, behind the name of a parameter or member. */
const RULES: Readonly<Record<string, (params: Params) => string>> = {
  additionalProperties: () => 'is unknown here',
  required: () => 'is missing',
  type: ({ type }) => `must be ${TYPES[String(type)] ?? 'a JSON object'}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as readonly string[]).join(', ')}`,
  minimum: (params) => `must be at least ${count(params)}`,
  maximum: (params) => `must be at most ${count(params)}`,
  minLength: (params) => `must have at least ${count(params, 'character')}`,
  maxLength: (params) => `must have at most ${count(params, 'character')}`,
  minItems: (params) => `must have at least ${count(params, 'value')}`,
  maxItems: (params) => `must have at most ${count(params, 'value')}`,
  pattern: () => 'must not be blank',
  anyOf: () => 'must be a time, in milliseconds since 1970 or in ISO 8601',
};

function describe({ keyword, instancePath, params }: FastifySchemaValidationError, part: string): string {
  const { additionalProperty, missingProperty = additionalProperty } = params as Readonly<
    Record<string, string>
  >;
  const path = [
    ...instancePath.split('/').slice(1),
    ...(missingProperty === undefined ? [] : [missingProperty]),
  ];
  const name = path.join('.') || (part === 'querystring' ? 'The query' : 'The content');
  return `${name} ${RULES[keyword]?.(params) ?? 'is wrong'}`;
}
