import { type Answers, isJsonMediaType, jsonSchemaOf, type PayloadShape } from '@plant-store/contract';

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
  event: Answers['event-payload-fields'],
): JsonSchema {
  const { additionalProperties, properties, required } = event === undefined ? {} : fieldsOf(event);
  if (additionalProperties !== false) {
    return {
      type: 'object',
      required: [plantField],
      ...(plant && { properties: { [plantField]: plant } }),
      ...(event && { allOf: [referenceTo('NewPlantEvent')] }),
    };
  }
  // The schema of the event as a whole would not let the plant stand beside its fields.
  const eventFields = Object.keys(properties ?? {}).map((field) => [
    field,
    referenceTo('NewPlantEvent', 'properties', field),
  ]);
  return {
    type: 'object',
    required: [plantField, ...(required ?? [])],
    properties: { [plantField]: plant ?? {}, ...Object.fromEntries(eventFields) },
    additionalProperties,
  };
}

/** The keywords of a schema that name fields, or say that there are no others. */
function fieldsOf(schema: NonNullable<Answers['event-payload-fields']>): {
  readonly properties?: object;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
} {
  return jsonSchemaOf(schema);
}
