import { Ajv2020 } from 'ajv/dist/2020.js';

import type { AnswerValues } from '@plant-store/contract';
import { jsonSchema } from '@plant-store/contract/json-schema';

/** The type of a plant, as its JSON Schema has it. */
interface Plant {
  readonly name: string;
  readonly light: 'sun' | 'shade';
  readonly companions?: readonly Plant[];
}

const ajv = new Ajv2020();

const plant = jsonSchema<Plant>(ajv, {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    light: { $ref: '#/$defs/Light' },
    companions: { type: 'array', items: { $ref: '#' } },
  },
  required: ['name', 'light'],
  $defs: { Light: { enum: ['sun', 'shade'] } },
});

const event = jsonSchema<{ readonly id: string; readonly light?: 'sun' | 'shade' }>(ajv, {
  type: 'object',
  properties: { id: { type: 'string' }, light: { $ref: '#/$defs/Light' } },
  required: ['id'],
  $defs: { Light: { enum: ['sun', 'shade'] } },
});

/**
 * A payload whose fields are in plain JSON Schema: a plant and its event in an envelope, with a description, names, a
 * shared definition and a schema that refers to itself. Examples, which nobody gave.
 */
export const answers = {
  'http-method': 'PUT',
  'media-type': 'application/json',
  payload: {
    plantField: 'plant',
    description: 'A plant that was added, and its event.',
    names: { plant: 'PlantRecord', event: 'PlantAdded', payload: 'NewPlant' },
  },
  'plant-fields': plant,
  'event-payload-fields': event,
  'event-identity': { pointer: '/id' },
} as const satisfies AnswerValues;
