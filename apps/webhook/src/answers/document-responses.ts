import {
  type AnswerValues,
  type ExecutableAnswers,
  type Failure,
  isJsonMediaType,
  type JsonSchema,
  statusOf,
} from '@plant-store/contract';
import { errorPayloadNameOf, referenceTo, requiredFieldsOf } from '@plant-store/contract/document';

import type { ContentParts, ResponseParts } from './document-parts.js';

/** What the answers about errors show. */
interface ErrorParts {
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly responses?: ResponseParts;
}

/** The response to a delivery that is stored, with its content, if it has any, as an example. */
export function storedResponse({
  status,
  description,
  content,
}: ExecutableAnswers['receiver-response']): ResponseParts {
  return { [status]: { description, ...(content && { content: exampleOf(content) }) } };
}

function exampleOf({ mediaType, text }: { mediaType: string; text: string }): ContentParts {
  return { [mediaType]: { example: isJsonMediaType(mediaType) ? JSON.parse(text) : text } };
}

/** The responses to refused deliveries. Failures with the same status share a description, one after the other. */
export function failureResponses(codes: ExecutableAnswers['status-codes']): ResponseParts {
  const descriptions = new Map<number, Set<string>>();
  for (const [failure, { description }] of Object.entries(codes)) {
    const status = statusOf(failure as Failure, codes);
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
export function errorPayloadParts(
  payload: ExecutableAnswers['error-payloads'],
  answers: AnswerValues,
): ErrorParts {
  const { mediaType, fields } = payload;
  const name = errorPayloadNameOf(payload);
  const required = requiredFieldsOf(payload);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, what]) => [name, FIELD_SCHEMAS[what]])),
  };
  const codes = answers['status-codes'] ?? {};
  const statuses = Object.keys(codes).map((failure) => statusOf(failure as Failure, codes));
  const content = { [mediaType]: { schema: referenceTo(name) } };
  return {
    schemas: { [name]: schema },
    responses: Object.fromEntries(statuses.map((status) => [status, { content }])),
  };
}

/** The codes that the payload may have. They show nowhere else. */
export function errorCodeParts(codes: ExecutableAnswers['error-codes'], answers: AnswerValues): ErrorParts {
  const all = [...new Set(Object.values(codes))];
  const payload = answers['error-payloads'];
  if (payload === undefined || all.length === 0) return {};
  const fields = Object.keys(payload.fields).filter((name) => payload.fields[name] === 'code');
  if (fields.length === 0) return {};
  const properties = Object.fromEntries(fields.map((name) => [name, { enum: all }]));
  return { schemas: { [errorPayloadNameOf(payload)]: { properties } } };
}
