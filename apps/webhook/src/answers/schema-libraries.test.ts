import { readFileSync } from 'node:fs';

import { type AnswerValues, type AnswerSchema, plainAnswers } from '@plant-store/contract';
import { valueFaults } from '@plant-store/contract/check';
import { jsonSchema } from '@plant-store/contract/json-schema';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import * as valibot from 'valibot';
import { z } from 'zod';

import { runReceiver } from '../../test/run-receiver.js';
import { createDocument } from '../openapi/create-document.js';
import { composeAnswers } from './compose-answers.js';

const ajv = new Ajv2020();

const libraries: [name: string, plant: AnswerSchema][] = [
  ['Zod', z.object({ name: z.string().min(1), height: z.number().optional() })],
  [
    'Valibot',
    toStandardJsonSchema(
      valibot.object({
        name: valibot.pipe(valibot.string(), valibot.minLength(1)),
        height: valibot.optional(valibot.number()),
      }),
    ),
  ],
  ['ArkType', type({ name: 'string >= 1', 'height?': 'number' })],
  [
    'plain JSON Schema',
    jsonSchema(ajv, {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 }, height: { type: 'number' } },
      required: ['name'],
    }),
  ],
];

const answersWith = (plant: AnswerSchema): AnswerValues => ({
  'http-method': 'PUT',
  'media-type': 'application/json',
  payload: 'plant',
  'plant-fields': plant,
});

const json = { 'content-type': 'application/json' };

describe.each(libraries)('fields that are answered with a schema of %s', (_name, plant) => {
  test('are checked', async () => {
    const { send } = await runReceiver(answersWith(plant));
    const contents = {
      '{"name":"Fern","height":1.5}': 204,
      '{"name":"Fern"}': 204,
      '{"name":""}': 422,
      '{"name":"Fern","height":"tall"}': 422,
      '[]': 422,
    };
    for (const [content, status] of Object.entries(contents))
      expect([content, (await send({ content, fields: json })).status]).toEqual([content, status]);
  });

  test('are in the document', async () => {
    const { components } = (await createDocument(composeAnswers(answersWith(plant)))) as {
      components: { schemas: object };
    };
    expect(components.schemas).toEqual({
      Plant: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, height: { type: 'number' } },
        required: ['name'],
      },
    });
  });
});

/** docs/how-to/answer-a-question.md ("Answer with a schema") says which of these to write. */
describe('a whole number', () => {
  const SAFE = { minimum: -9007199254740991, maximum: 9007199254740991 };
  const numbers: { written: string; schema: AnswerSchema; document: object; above: 204 | 422 }[] = [
    { written: 'z.int()', schema: z.int(), document: { type: 'integer', ...SAFE }, above: 422 },
    {
      written: 'z.int().min(0).max(1_000)',
      schema: z.int().min(0).max(1_000),
      document: { type: 'integer', minimum: 0, maximum: 1_000 },
      above: 422,
    },
    {
      written: 'v.integer()',
      schema: toStandardJsonSchema(valibot.pipe(valibot.number(), valibot.integer())),
      document: { type: 'integer' },
      above: 204,
    },
    {
      written: 'v.safeInteger()',
      schema: toStandardJsonSchema(valibot.pipe(valibot.number(), valibot.safeInteger())),
      document: { type: 'integer', ...SAFE },
      above: 422,
    },
    { written: 'number.integer', schema: type('number.integer'), document: { type: 'integer' }, above: 204 },
    {
      written: "{ type: 'integer' }",
      schema: jsonSchema(ajv, { type: 'integer' }),
      document: { type: 'integer' },
      above: 204,
    },
  ];

  test('the guide says which are refused', () => {
    const page = readFileSync(
      new URL('../../../../docs/how-to/answer-a-question.md', import.meta.url),
      'utf8',
    );
    for (const { written, above } of numbers) {
      const [, line] = new RegExp(`^- ${above === 204 ? 'taken' : 'refused, 422'}: (.*)$`, 'm').exec(page)!;
      expect(line).toContain(`\`${written}\``);
    }
  });

  test.each(numbers)('of $written above 2^53 - 1: $above', async ({ schema, document, above }) => {
    expect(plainAnswers({ 'plant-fields': schema })).toEqual({ 'plant-fields': document });

    const { send, stored } = await runReceiver(answersWith(schema));
    expect(await send({ content: '7', fields: json })).toMatchObject({ status: 204 });
    expect(await send({ content: '7.5', fields: json })).toMatchObject({ status: 422 });
    expect(await send({ content: '9007199254740993', fields: json })).toMatchObject({ status: above });

    // What is stored is what was sent, though JavaScript reads another number.
    const taken = above === 204 ? ['7', '9007199254740993'] : ['7'];
    expect(stored().map(({ content }) => content)).toEqual(taken);
    expect(JSON.parse('9007199254740993')).toBe(9007199254740992);
  });

  test.each<{ written: string; schema: AnswerSchema }>([
    { written: 'z.string().regex(/^\\d+$/)', schema: z.string().regex(/^\d+$/) },
    {
      written: 'a pattern',
      schema: jsonSchema(ajv, { type: 'string', pattern: '^\\d+$' }),
    },
  ])('may be text, $written, which keeps every digit', async ({ schema }) => {
    const { send } = await runReceiver(answersWith(schema));

    expect(await send({ content: '"9007199254740993"', fields: json })).toMatchObject({ status: 204 });
    expect(await send({ content: '9007199254740993', fields: json })).toMatchObject({ status: 422 });
  });
});

describe('a type that JSON does not have', () => {
  const toWhole =
    'Write a whole number up to 2^53 - 1, such as z.int(), or text, such as z.string().regex(/^\\d+$/)';
  const toText = 'Write text, such as z.iso.datetime() or z.iso.date()';
  const toAny = 'Write a type of JSON: text, number, boolean, null, list or object';

  test.each<{ written: string; schema: AnswerSchema; fault: string }>([
    {
      written: 'z.int64()',
      schema: z.object({ id: z.int64() }),
      fault: `BigInt cannot be represented in JSON Schema). ${toWhole}`,
    },
    {
      written: 'v.bigint()',
      schema: toStandardJsonSchema(valibot.object({ id: valibot.bigint() })),
      fault: `The "bigint" schema cannot be converted to JSON Schema.). ${toWhole}`,
    },
    {
      written: 'z.date()',
      schema: z.object({ on: z.date() }),
      fault: `Date cannot be represented in JSON Schema). ${toText}`,
    },
    {
      written: 'v.date()',
      schema: toStandardJsonSchema(valibot.object({ on: valibot.date() })),
      fault: `The "date" schema cannot be converted to JSON Schema.). ${toText}`,
    },
    {
      written: 'z.map()',
      schema: z.object({ names: z.map(z.string(), z.string()) }),
      fault: `Map cannot be represented in JSON Schema). ${toAny}`,
    },
  ])('$written is a fault that says what to write', ({ schema, fault }) => {
    expect(valueFaults({ 'plant-fields': schema })).toEqual([
      `plant-fields: must have a JSON Schema (${fault}`,
    ]);
  });
});
