import type { Answers, ErrorCodes, ErrorPayload } from '@plant-store/contract';

import { referenceTo } from './component-schema.js';
import type { DocumentParts } from './document-parts.js';

const FIELD_SCHEMAS = {
  status: { type: 'integer' },
  code: { type: 'string' },
  description: { type: 'string' },
};

/** The schema of the payload, and that it is the content of each response whose status is answered. */
export function errorPayloadParts({ mediaType, fields }: ErrorPayload, answers: Answers): DocumentParts {
  // Nothing else is known of every failure.
  const required = fieldsThatSay('status', fields);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, says]) => [name, FIELD_SCHEMAS[says]])),
  };
  const statuses = Object.values(answers['status-codes'] ?? {}).map(({ status }) => status);
  const content = { [mediaType]: { schema: referenceTo('ErrorPayload') } };
  return {
    schemas: { ErrorPayload: schema },
    responses: Object.fromEntries(statuses.map((status) => [status, { content }])),
  };
}

/** The codes that may stand in the payload; they stand nowhere else. */
export function errorCodeParts(codes: ErrorCodes, answers: Answers): DocumentParts {
  const all = [...new Set(Object.values(codes))];
  const fields = fieldsThatSay('code', answers['error-payloads']?.fields ?? {});
  if (all.length === 0 || fields.length === 0) return {};
  const properties = Object.fromEntries(fields.map((name) => [name, { enum: all }]));
  return { schemas: { ErrorPayload: { properties } } };
}

function fieldsThatSay(meaning: 'status' | 'code', fields: ErrorPayload['fields']): string[] {
  return Object.keys(fields).filter((name) => fields[name] === meaning);
}
