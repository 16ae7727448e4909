import {
  type CarriedOut,
  type ExecutableAnswers,
  isJsonMediaType,
  type JsonSchema,
  plantFieldOf,
} from '@plant-store/contract';
import {
  type Components,
  componentsOf,
  jsonSchemaOf,
  payloadDescriptionOf,
  referenceTo,
} from '@plant-store/contract/document';

import type { OperationParts } from './document-parts.js';

/** `components.schemas`, by name. */
interface SchemaParts {
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** The request body. The document has no place for it while the media type is open. */
export function payloadParts(
  payload: ExecutableAnswers['payload'],
  answers: CarriedOut,
): Pick<OperationParts, 'requestBody'> & SchemaParts {
  const mediaType = answers['media-type'];
  if (mediaType === undefined) return {};
  const { description, names = {} } = payloadDescriptionOf(payload);
  const written = isJsonMediaType(mediaType) ? payloadSchema(payload, answers) : undefined;
  const { schema, ...schemas } = namedSchema(written, names.payload);
  const content = { [mediaType]: { ...(schema && { schema }) } };
  return {
    requestBody: { ...(description !== undefined && { description }), required: true, content },
    ...schemas,
  };
}

/** The schema that answers `plant-fields` or `event-payload-fields`, and its definitions. */
export function fieldParts(of: 'plant' | 'event', answers: CarriedOut): SchemaParts {
  const { own, definitions } = componentsIn(of, answers)!;
  return { schemas: Object.fromEntries([own, ...definitions].map(({ name, schema }) => [name, schema])) };
}

function componentsIn(of: 'plant' | 'event', answers: CarriedOut): Components | undefined {
  const schema = answers[of === 'plant' ? 'plant-fields' : 'event-payload-fields'];
  return schema && componentsOf(of, jsonSchemaOf(schema), payloadDescriptionOf(answers.payload).names);
}

/** A schema in its place, or by its name. One that is a reference has the name of what it refers to. */
function namedSchema(
  schema: JsonSchema | undefined,
  name: string | undefined,
): SchemaParts & { readonly schema?: JsonSchema } {
  if (schema === undefined) return {};
  if (name === undefined || '$ref' in schema) return { schema };
  return { schema: referenceTo(name), schemas: { [name]: schema } };
}

/** Undefined if nothing is known about the payload. */
function payloadSchema(payload: ExecutableAnswers['payload'], answers: CarriedOut): JsonSchema | undefined {
  const event = componentsIn('event', answers)?.own;
  const plantName = componentsIn('plant', answers)?.own.name;
  const plantSchema = plantName === undefined ? undefined : referenceTo(plantName);
  const plantField = plantFieldOf(payload);
  if (plantField !== undefined) return envelope(plantField, plantSchema, event);
  const eventSchema = event && referenceTo(event.name);
  return plantSchema && eventSchema ? { allOf: [plantSchema, eventSchema] } : (plantSchema ?? eventSchema);
}

/** An object with the plant under a field, and the fields of the event beside it. */
function envelope(
  plantField: string,
  plant: JsonSchema | undefined,
  event: Components['own'] | undefined,
): JsonSchema {
  const required = [plantField];
  const properties = { [plantField]: plant ?? {} };
  if (event === undefined) return { type: 'object', required, properties };
  const fields: EventFields = event.schema;
  if (fields.additionalProperties !== false) {
    return { type: 'object', required, properties, allOf: [referenceTo(event.name)] };
  }
  // A reference to the whole schema would forbid the plant's field beside the event's.
  const eventProperties = Object.keys(fields.properties ?? {}).map((field) => [
    field,
    referenceTo(event.name, 'properties', field),
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
  /** False if no other fields than `properties` are allowed. */
  readonly additionalProperties?: unknown;
}
