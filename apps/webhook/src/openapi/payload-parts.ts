import {
  type Answers,
  type AnswerSchema,
  isJsonMediaType,
  jsonSchemaOf,
  type PayloadShape,
} from '@plant-store/contract';

import { referenceTo } from './component-schema.js';
import type { DocumentParts, JsonSchema } from './document-parts.js';

/** What the shape of the payload shows. There is no place for it while the media type is open. */
export function payloadParts(shape: PayloadShape, answers: Answers): DocumentParts {
  const mediaType = answers['media-type'];
  if (mediaType === undefined) return {};
  const schema = isJsonMediaType(mediaType) ? payloadSchema(shape, answers) : undefined;
  return { requestBody: { required: true, content: { [mediaType]: { ...(schema && { schema }) } } } };
}

/** Undefined if nothing is known of it. */
function payloadSchema(shape: PayloadShape, answers: Answers): JsonSchema | undefined {
  const plant = answers['plant-fields'] && referenceTo('Plant');
  const event = answers['event-payload-fields'] && referenceTo('NewPlantEvent');
  if (shape === 'plant') return plant && event ? { allOf: [plant, event] } : (plant ?? event);
  return envelope(shape.plantField, plant, answers['event-payload-fields']);
}

/** An object with the plant under a field, and the fields of the event beside it. */
function envelope(
  plantField: string,
  plant: JsonSchema | undefined,
  event: AnswerSchema | undefined,
): JsonSchema {
  const required = [plantField];
  const properties = { [plantField]: plant ?? {} };
  if (event === undefined) return { type: 'object', required, properties };
  const fields: EventFields = jsonSchemaOf(event);
  if (fields.additionalProperties !== false) {
    return { type: 'object', required, properties, allOf: [referenceTo('NewPlantEvent')] };
  }
  // As a whole it would not let the plant stand beside its fields.
  const eventProperties = Object.keys(fields.properties ?? {}).map((field) => [
    field,
    referenceTo('NewPlantEvent', 'properties', field),
  ]);
  return {
    type: 'object',
    required: [...required, ...(fields.required ?? [])],
    properties: { ...properties, ...Object.fromEntries(eventProperties) },
    additionalProperties: false,
  };
}

interface EventFields {
  readonly properties?: object;
  readonly required?: readonly string[];
  /** False if there are no fields but those of `properties`. */
  readonly additionalProperties?: unknown;
}
