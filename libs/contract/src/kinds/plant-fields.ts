import * as v from 'valibot';
import { comparing, exampleFields, failsToFit, fields, fieldsInWords, mayRefuse, refusal } from './fields.js';
import { kind } from './kind.js';

const name = v.pipe(v.string(), v.minLength(1));

export const plantFields = kind('plant-fields', fields, {
  inWords: fieldsInWords,
  example: exampleFields(
    v.object({ name, heightInCentimetres: v.optional(v.pipe(v.number(), v.gtValue(0))) }),
    {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        heightInCentimetres: { type: 'number', exclusiveMinimum: 0 },
      },
      required: ['name'],
    },
  ),
  more: {
    other: exampleFields(v.object({ colour: v.string() }), {
      type: 'object',
      properties: { colour: { type: 'string' } },
      required: ['colour'],
    }),
  },
  builtOn: ['http-method', 'media-type', 'payload'],
  effects: {
    'receiver.refuses-plant': refusal('a plant', 'Takes plants with these fields'),
    'receiver.may-refuse-plant': mayRefuse('plants'),
    'sender.types-plant': [
      'breaking',
      (_schema, { words }) => `Asks the compiler for plants with these fields: ${words}.`,
    ],
  },
  fails: failsToFit('a plant'),
  step: (_before, after) => (after === undefined ? 'minor' : 'major'),
  transition: comparing('plants'),
  shows: {
    receiver: { 'with a plant without a name': 'refused with 422' },
    types: { 'a plant without a name': 'does not compile' },
  },
});
