import { type AnswerValues, type ExecutableAnswers, facts, type ShownOn } from '@plant-store/contract';

import type { DocumentParts } from './document-parts.js';
import { errorCodeParts, errorPayloadParts, failureResponses, storedResponse } from './document-responses.js';
import { fieldParts, payloadParts } from './document-schemas.js';

/** A question whose answer shows in the document, and that software carries out. */
export type DocumentQuestion = ShownOn<'document'>;

/** What an answer shows in the document, given the others. */
type DocumentRow<Id extends DocumentQuestion> = (
  answer: ExecutableAnswers[Id],
  answers: AnswerValues,
) => DocumentParts;

const TEXT = { type: 'string' };

/**
 * What each answer shows in the document: a row for each question that the register says shows there. The parts are
 * put together in the order of this table.
 */
export const documentTable: { readonly [Id in DocumentQuestion]: DocumentRow<Id> } = {
  'http-method': (method) => ({ method }),
  'base-address': (url) => ({ serverVariables: { [facts.BASE_ADDRESS.slice(1, -1)]: { default: url } } }),
  'token-format': ({ name }) => ({ securityScheme: { bearerFormat: name } }),

  'event-identity': (identity) => ('header' in identity ? { headers: { [identity.header]: TEXT } } : {}),
  signing: ({ signature, timestamp }) => ({
    headers: { ...(timestamp && { [timestamp.header]: TEXT }), [signature.header]: TEXT },
  }),
  // The key of a webhook is not a URL, so a prefix of the path does not show.
  'request-versioning': (scheme) =>
    'header' in scheme ? { headers: { [scheme.header]: { ...TEXT, const: scheme.value } } } : {},

  'media-type': (mediaType) => ({ requestBody: { content: { [mediaType]: {} } } }),
  payload: payloadParts,
  'plant-fields': (_schema, answers) => fieldParts('plant', answers),
  'event-payload-fields': (_schema, answers) => fieldParts('event', answers),

  'receiver-response': (response) => ({ responses: storedResponse(response) }),
  'status-codes': (codes) => ({ responses: failureResponses(codes) }),
  'error-payloads': errorPayloadParts,
  'error-codes': errorCodeParts,
};

/** Everything that the answers that are carried out show in the document. */
export function documentPartsOf(answers: AnswerValues): DocumentParts {
  const ids = Object.keys(documentTable) as DocumentQuestion[];
  return Object.freeze(ids.map((id) => partsOf(id, answers)).reduce<DocumentParts>(merge, {}));
}

/** What one answer shows. */
export function partsOf(id: DocumentQuestion, answers: AnswerValues): DocumentParts {
  const answer = answers[id];
  return answer === undefined ? {} : documentTable[id](answer as never, answers);
}

/** The members of both objects. A member that is an object in both is merged in turn. */
function merge(one: object, other: object): object {
  const merged = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const existing = merged.get(key);
    merged.set(key, hasMembers(existing) && hasMembers(value) ? merge(existing, value) : value);
  }
  return Object.fromEntries(merged);
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
