import type { AnswerSchema } from '@plant-store/contract';
import { answerFaults } from '@plant-store/contract/check';
import { jsonSchema } from '@plant-store/contract/json-schema';
import { exampleAnswers } from '@plant-store/example-answers';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { triedFaults } from '../src/answers/try-schemas.js';

const light = z.object({ kind: z.literal('light'), hours: z.number().multipleOf(0.01) });
const shade = z.strictObject({ kind: z.literal('shade'), notes: z.array(z.string()).max(3) });
const tree: z.ZodType = z.object({
  name: z.string(),
  get parts() {
    return z.array(tree).optional();
  },
});

/** What the document says of these is what their library does. */
const alike: [written: string, schema: AnswerSchema][] = [
  [
    'an object with bounds',
    z.object({ name: z.string().min(2).max(9), size: z.int().nullable(), days: z.number().gt(0).optional() }),
  ],
  ['a strict object', z.strictObject({ name: z.string(), colour: z.enum(['red', 'green']) })],
  ['a choice by a field', z.discriminatedUnion('kind', [light, shade])],
  ['an intersection', z.intersection(light, z.object({ on: z.string() }))],
  ['a record', z.record(z.string(), z.number())],
  ['a tuple', z.tuple([z.string()], z.number())],
  ['a tree', tree],
  ['a default', z.object({ name: z.string().default('Fern') })],
  ['a conversion of what was checked', z.string().transform(Number)],
  ['a pattern', z.string().regex(/^[A-Z]\d{3}$/)],
  ['a pattern with u', z.string().regex(/^\p{L}+$/u)],
  [
    'formats',
    z.object({ at: z.iso.datetime(), on: z.iso.date(), by: z.email(), id: z.uuid(), url: z.url() }),
  ],
  ['a format that nobody knows', z.jwt()],
  ['Valibot', toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.regex(/^[a-z]+$/)) }))],
  [
    'Valibot, without a required field',
    toStandardJsonSchema(v.object({ of: v.optional(v.object({ a: v.optional(v.string()) })) })),
  ],
  ['ArkType, without a required field', type({ 'name?': 'string' })],
  ['ArkType', type({ name: 'string >= 1', 'size?': 'number.integer', colour: "'red' | 'green'" })],
  [
    'plain JSON Schema',
    jsonSchema(new Ajv2020(), {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    }),
  ],
];

test.each(alike)('no example speaks against %s', async (_written, schema) => {
  expect(await triedFaults({ 'plant-fields': schema })).toEqual([]);
});

test('nor against the example answers', async () => {
  expect(await triedFaults(exampleAnswers)).toEqual([]);
});

const takes = /^plant-fields: the schema takes .*, which the document refuses \(/;
const refuses = /^plant-fields: the document allows .*, which the schema refuses \(/;

test.each<[written: string, schema: AnswerSchema, fault: RegExp]>([
  ['the flag i', z.object({ code: z.string().regex(/^fern$/i) }), takes],
  ['the flag s', z.string().regex(/^a.b$/s), takes],
  ['the flag m', z.string().regex(/^fern$/m), takes],
  ['the flag y', z.string().regex(/fern/y), refuses],
  ['a pattern that needs the flag u', z.string().regex(new RegExp('^\\p{L}+$')), refuses],
  ['z.coerce.number()', z.object({ size: z.coerce.number() }), takes],
  ['z.coerce.number() with a bound', z.object({ year: z.coerce.number().int().min(1900) }), takes],
  ['z.coerce.string()', z.object({ list: z.array(z.coerce.string()) }), takes],
  ['z.coerce.boolean()', z.object({ size: z.coerce.boolean().optional() }), takes],
  ['catch', z.object({ name: z.string().catch('Fern') }), takes],
  ['preprocess', z.preprocess(Number, z.number()), takes],
  [
    'preprocess of a wrong case',
    z.preprocess((one) => String(one).toLowerCase(), z.enum(['sun', 'shade'])),
    takes,
  ],
  [
    'toLowerCase',
    z
      .string()
      .toLowerCase()
      .regex(/^[a-z]+$/),
    takes,
  ],
  ['trim', z.object({ name: z.string().trim().min(1) }), refuses],
  ['a conversion that is checked', z.string().transform(Number).pipe(z.number().max(5)), refuses],
  ['z.stringbool()', z.stringbool(), refuses],
  ['refine', z.object({ name: z.string() }).refine(({ name }) => name.length > 0), refuses],
  ['an asynchronous refine', z.string().refine((name) => Promise.resolve(name !== '')), refuses],
  ['a check that throws', z.string().refine((name) => name.at(0)!.length > 0), refuses],
  ['the flag i in ArkType', type({ name: /^fern$/i }), takes],
  ['a conversion of ArkType', type({ size: type('string').pipe(Number, type('number > 3')) }), refuses],
  [
    'coerceTypes of ajv',
    jsonSchema(new Ajv2020({ coerceTypes: true }), {
      type: 'object',
      properties: { size: { type: 'number' } },
    }),
    takes,
  ],
])('%s is a fault', async (_written, schema, fault) => {
  expect(answerFaults({ 'plant-fields': schema })).toEqual([]);
  expect(await triedFaults({ 'plant-fields': schema })).toEqual([expect.stringMatching(fault)]);
});

test('a fault names the question, the value, the place and the reason', async () => {
  const answers = { 'event-payload-fields': z.object({ codes: z.array(z.string().regex(/^f$/i)).min(1) }) };
  expect(await triedFaults(answers)).toEqual([
    expect.stringMatching(
      /^event-payload-fields: the schema takes \{.*"codes":\["F".*\}, which the document refuses \(\/codes\/0 must match pattern "\^f\$"\)\. Write what JSON Schema can say: /,
    ),
  ]);
});
