import {
  type Answers,
  type ErrorCodes,
  ERROR_PAYLOAD_NAME,
  type ErrorPayload,
  isJsonMediaType,
  type JsonSchema,
  type ReceiverResponse,
  referenceTo,
  type StatusCodes,
} from '@plant-store/contract';

import type { ContentParts, ResponseParts } from '../delivery/describe-operation.js';

/** What the answers about errors show. */
interface ErrorParts {
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly responses?: ResponseParts;
}

/** The response to a delivery that is stored, with its content, if it has any, as an example. */
export function storedResponse(response: ReceiverResponse): ResponseParts {
  const { status, description } = response;
  const content = 'content' in response ? response.content : undefined;
  return { [status]: { description, ...(content && { content: exampleOf(content) }) } };
}

function exampleOf({ mediaType, text }: { mediaType: string; text: string }): ContentParts {
  return { [mediaType]: { example: isJsonMediaType(mediaType) ? JSON.parse(text) : text } };
}

/** The responses to refused deliveries. Failures with the same status share a description, one after the other. */
export function failureResponses(codes: StatusCodes): ResponseParts {
  const descriptions = new Map<number, Set<string>>();
  for (const { status, description } of Object.values(codes)) {
    descriptions.set(status, (descriptions.get(status) ?? new Set()).add(description));
  }
  return Object.fromEntries(
    [...descriptions].map(([status, texts]) => [status, { description: [...texts].join('\n\n') }]),
  );
}

const FIELD_SCHEMAS = {
  status: { type: 'integer' },
  code: { type: 'string' },
  description: { type: 'string' },
};

/** The schema of an error payload, and the content of each response whose status is answered. */
export function errorPayloadParts({ mediaType, fields }: ErrorPayload, answers: Answers): ErrorParts {
  // Only the status is known for every failure.
  const required = fieldsWith('status', fields);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, what]) => [name, FIELD_SCHEMAS[what]])),
  };
  const statuses = Object.values(answers['status-codes'] ?? {}).map(({ status }) => status);
  const content = { [mediaType]: { schema: referenceTo(ERROR_PAYLOAD_NAME) } };
  return {
    schemas: { [ERROR_PAYLOAD_NAME]: schema },
    responses: Object.fromEntries(statuses.map((status) => [status, { content }])),
  };
}

/** The codes that the payload may have. They show nowhere else. */
export function errorCodeParts(codes: ErrorCodes, answers: Answers): ErrorParts {
  const all = [...new Set(Object.values(codes))];
  const fields = fieldsWith('code', answers['error-payloads']?.fields ?? {});
  if (all.length === 0 || fields.length === 0) return {};
  const properties = Object.fromEntries(fields.map((name) => [name, { enum: all }]));
  return { schemas: { [ERROR_PAYLOAD_NAME]: { properties } } };
}

function fieldsWith(meaning: 'status' | 'code', fields: ErrorPayload['fields']): string[] {
  return Object.keys(fields).filter((name) => fields[name] === meaning);
}
