import {
  type AnswerValues,
  type ExecutableAnswers,
  isJsonMediaType,
  type JsonSchema,
} from '@plant-store/contract';
import {
  componentsIn,
  payloadDescriptionOf,
  payloadSchemaOf,
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
  answers: AnswerValues,
): Pick<OperationParts, 'requestBody'> & SchemaParts {
  const mediaType = answers['media-type'];
  if (mediaType === undefined) return {};
  const { description, names = {} } = payloadDescriptionOf(payload);
  const written = isJsonMediaType(mediaType) ? payloadSchemaOf(answers) : undefined;
  const { schema, ...schemas } = namedSchema(written, names.payload);
  const content = { [mediaType]: { ...(schema && { schema }) } };
  return {
    requestBody: { ...(description !== undefined && { description }), required: true, content },
    ...schemas,
  };
}

/** The schema that answers `plant-fields` or `event-payload-fields`, and its definitions. */
export function fieldParts(of: 'plant' | 'event', answers: AnswerValues): SchemaParts {
  const { own, definitions } = componentsIn(of, answers)!;
  return { schemas: Object.fromEntries([own, ...definitions].map(({ name, schema }) => [name, schema])) };
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
