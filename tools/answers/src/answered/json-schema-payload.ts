import type { AnswerSet } from './enter-answers.js';

/**
 * A payload whose fields are in plain JSON Schema: a plant and its event in an envelope, with a description, names, a
 * shared definition and a schema that refers to itself. Examples, which nobody gave.
 */
export const jsonSchemaPayload: AnswerSet = {
  name: 'json-schema-payload',
  code: `import { Ajv2020 } from 'ajv/dist/2020.js';

import type { Answers } from './answer-types.js';
import { jsonSchema } from './json-schema.js';

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

/** The answers on the code's side. */
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
} as const satisfies Answers;
`,
  overlay: `overlay: 1.0.0
info:
  title: Examples of answers, which nobody gave
  version: 1.0.0
actions:
  - target: $.webhooks['/plant/webhook']
    x-question: http-method
    x-answer: PUT
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The sender knows the plant.
    update:
      put: {}
  - target: $.webhooks['/plant/webhook'].put
    x-question: media-type
    x-answer: application/json
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: As everywhere.
    update:
      requestBody:
        content:
          application/json: {}
  - target: $.webhooks['/plant/webhook'].put.requestBody
    x-question: payload
    x-answer:
      plantField: plant
      description: A plant that was added, and its event.
      names: { plant: PlantRecord, event: PlantAdded, payload: NewPlant }
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The envelope of the other webhooks.
    update:
      description: A plant that was added, and its event.
      required: true
      content:
        application/json:
          schema:
            $ref: '#/components/schemas/NewPlant'
  - target: $.components
    x-question: payload
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The envelope of the other webhooks.
    update:
      schemas:
        NewPlant:
          type: object
          required: [plant]
          properties:
            plant: {}
  - target: $.components.schemas
    x-question: plant-fields
    x-answer:
      type: object
      properties:
        name: { type: string, minLength: 1 }
        light: { $ref: '#/$defs/Light' }
        companions: { type: array, items: { $ref: '#' } }
      required: [name, light]
      $defs:
        Light: { enum: [sun, shade] }
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The schema of the plants' service.
    update:
      PlantRecord:
        type: object
        properties:
          name: { type: string, minLength: 1 }
          light: { $ref: '#/components/schemas/Light' }
          companions: { type: array, items: { $ref: '#/components/schemas/PlantRecord' } }
        required: [name, light]
      Light: { enum: [sun, shade] }
  - target: $.components.schemas.NewPlant.properties.plant
    x-question: plant-fields
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The schema of the plants' service.
    update:
      $ref: '#/components/schemas/PlantRecord'
  - target: $.components.schemas
    x-question: event-payload-fields
    x-answer:
      type: object
      properties:
        id: { type: string }
        light: { $ref: '#/$defs/Light' }
      required: [id]
      $defs:
        Light: { enum: [sun, shade] }
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The schema of the events' service.
    update:
      PlantAdded:
        type: object
        properties:
          id: { type: string }
          light: { $ref: '#/components/schemas/Light' }
        required: [id]
  - target: $.components.schemas.NewPlant
    x-question: event-payload-fields
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: The schema of the events' service.
    update:
      allOf:
        - $ref: '#/components/schemas/PlantAdded'
  - target: $
    x-question: event-identity
    x-answer:
      pointer: /id
    x-answered-by: Ada Grower
    x-date: 2026-02-03
    x-reason: Each event has one.
`,
};
