import {
  type Answers,
  type AnswerSchema,
  isJsonMediaType,
  jsonSchemaOf,
  type PayloadShape,
} from '@plant-store/contract';

import type { JsonSchema, OperationParts } from '../delivery/describe-operation.js';

/** The request body. The document has no place for it while the media type is open. */
export function payloadParts(shape: PayloadShape, answers: Answers): Pick<OperationParts, 'requestBody'> {
  const mediaType = answers['media-type'];
  if (mediaType === undefined) return {};
  const schema = isJsonMediaType(mediaType) ? payloadSchema(shape, answers) : undefined;
  return { requestBody: { required: true, content: { [mediaType]: { ...(schema && { schema }) } } } };
}

/** Undefined if nothing is known about the payload. */
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
  // A reference to the whole schema would forbid the plant's field beside the event's.
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
  /** False if no other fields than `properties` are allowed. */
  readonly additionalProperties?: unknown;
}

/** Keywords of JSON Schema whose value is data, in which nothing is a reference. */
const DATA = ['const', 'default', 'enum', 'example', 'examples'];

/** Keywords whose members have names of the author's choice: no member is a keyword. */
const NAMED = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** The schema of an answer as a component of this name. */
export function componentSchema(name: string, schema: AnswerSchema): JsonSchema {
  return moveTo(referenceTo(name).$ref, jsonSchemaOf(schema)) as JsonSchema;
}

/** A reference to a component, or to the part of it at these keys. */
export function referenceTo(name: string, ...keys: readonly string[]): { readonly $ref: string } {
  const steps = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return { $ref: ['#/components/schemas', name, ...steps].join('/') };
}

/** Rewrites references: a schema refers to its parts from its own root, which isn't the document's. */
function moveTo(root: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moveTo(root, item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === '$ref' && typeof value === 'string') return value.replace(/^#(?=\/|$)/, root);
    if (DATA.includes(keyword)) return value;
    return NAMED.includes(keyword)
      ? mapMembers(value as object, (named) => moveTo(root, named))
      : moveTo(root, value);
  });
}

function mapMembers(members: object, change: (value: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value, key)]));
}
