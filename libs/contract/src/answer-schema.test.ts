import { plainAnswers } from './answer-schema.js';

test('a schema becomes its JSON Schema, whose dialect is OpenAPI’s own; the rest stays', () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'example',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: ({ target }: { target: string }) => ({
          $schema: `https://json-schema.org/${target}/schema`,
          type: 'object',
        }),
      },
    },
  } as const;

  expect(
    plainAnswers({ 'plant-fields': schema, payload: { plantField: 'plant' }, 'http-method': 'PUT' }),
  ).toEqual({
    'plant-fields': { type: 'object' },
    payload: { plantField: 'plant' },
    'http-method': 'PUT',
  });
});
