import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { jsonSchemaOf } from './answer-schema.js';
import { valueFaults } from './check.js';
import { jsonSchema } from './json-schema.js';

interface Plant {
  readonly name: string;
}

const schema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 } },
  required: ['name'],
};

test('it validates as ajv does', async () => {
  const { validate } = jsonSchema<Plant>(new Ajv2020(), schema)['~standard'];

  expect(await validate({ name: 'Fern' })).toEqual({ value: { name: 'Fern' } });
  expect(await validate({ name: '' })).toEqual({
    issues: [{ message: '/name must NOT have fewer than 1 characters' }],
  });
  expect(await validate([])).toEqual({ issues: [{ message: 'must be object' }] });
});

test('it compiles its schema once', async () => {
  const ajv = new Ajv2020();
  let compiled = 0;
  const compile = (given: object) => {
    compiled += 1;
    return ajv.compile(given);
  };
  const { validate } = jsonSchema<Plant>({ compile }, schema)['~standard'];

  await validate({ name: 'Fern' });
  await validate({ name: '' });

  expect(compiled).toBe(1);
});

test('its JSON Schema is the one that was passed, without the dialect', () => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';

  expect(jsonSchemaOf(jsonSchema<Plant>(new Ajv2020(), { $schema, ...schema }))).toEqual(schema);
});

test.each<{ name: string; ajv: Ajv | Ajv2020; schema: object; fault: string }>([
  {
    name: 'a type that JSON Schema does not have',
    ajv: new Ajv2020(),
    schema: { type: 'strin' },
    fault: 'must have a JSON Schema (schema is invalid: data/type must be equal to one of the allowed values',
  },
  {
    name: 'a keyword that JSON Schema does not have',
    ajv: new Ajv2020(),
    schema: { type: 'object', requierd: ['name'] },
    fault: 'must have a JSON Schema (strict mode: unknown keyword: "requierd")',
  },
  {
    name: 'a format that nobody added',
    ajv: new Ajv2020(),
    schema: { type: 'string', format: 'date' },
    fault:
      'must have a JSON Schema (unknown format "date" ignored in schema at path "#"). Add the formats of ajv-formats to the Ajv2020',
  },
  {
    name: 'an Ajv of another draft',
    ajv: new Ajv(),
    schema,
    fault:
      'must have a JSON Schema (no schema with key or ref "https://json-schema.org/draft/2020-12/schema"). Pass an Ajv2020 of ajv/dist/2020.js',
  },
  {
    name: 'a schema of another draft',
    ajv: new Ajv2020(),
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...schema },
    fault:
      'must have a JSON Schema (its $schema must be https://json-schema.org/draft/2020-12/schema, the dialect of OpenAPI 3.1)',
  },
])('$name is a fault of the answer', ({ ajv, schema, fault }) => {
  const answer = jsonSchema<Plant>(ajv, schema as Record<string, unknown>);

  expect(valueFaults({ 'plant-fields': answer })).toEqual([
    expect.stringContaining(`plant-fields: ${fault}`),
  ]);
});
