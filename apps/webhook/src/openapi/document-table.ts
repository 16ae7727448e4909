import { type Answers, type ExecutableAnswers, type ExecutableId, facts } from '@plant-store/contract';

import { componentSchema } from './component-schema.js';
import type { DocumentParts } from './document-parts.js';
import { errorCodeParts, errorPayloadParts } from './error-payload-parts.js';
import { payloadParts } from './payload-parts.js';
import { failureResponses, takenResponse } from './responses.js';

/** Of a question whose answer shows nowhere: OpenAPI has no place for it, and an extension field would be ours. */
export const NOT_VISIBLE = 'not visible';

/** What an answer, in the light of the others, shows in the document. */
export type DocumentRow<Id extends ExecutableId> =
  typeof NOT_VISIBLE | ((answer: ExecutableAnswers[Id], answers: Answers) => DocumentParts);

/** A row for every question whose answer software carries out. */
export type DocumentTable = { readonly [Id in ExecutableId]: DocumentRow<Id> };

const TEXT = { type: 'string' };

/** What each answer shows in the document, in the order in which it is put together. */
export const documentTable: DocumentTable = {
  'http-method': (method) => ({ method }),
  'base-address': (url) => ({ serverVariables: { [facts.BASE_ADDRESS.slice(1, -1)]: { default: url } } }),
  'token-format': ({ name }) => ({ securityScheme: { bearerFormat: name } }),

  'event-identity': (identity) => ('header' in identity ? { headers: { [identity.header]: TEXT } } : {}),
  signing: ({ signature, timestamp }) => ({
    headers: { ...(timestamp && { [timestamp.header]: TEXT }), [signature.header]: TEXT },
  }),
  // The key of a webhook is no URL, so that a prefix of the path is not seen.
  'request-versioning': (scheme) =>
    'header' in scheme ? { headers: { [scheme.header]: { ...TEXT, const: scheme.value } } } : {},

  'media-type': (mediaType) => ({ requestBody: { content: { [mediaType]: {} } } }),
  payload: payloadParts,
  'plant-fields': (schema) => ({ schemas: { Plant: componentSchema('Plant', schema) } }),
  'event-payload-fields': (schema) => ({
    schemas: { NewPlantEvent: componentSchema('NewPlantEvent', schema) },
  }),

  'receiver-response': (response) => ({ responses: takenResponse(response) }),
  'status-codes': (codes) => ({ responses: failureResponses(codes) }),
  'error-payloads': errorPayloadParts,
  'error-codes': errorCodeParts,

  'authentication-realm': NOT_VISIBLE,
  'rate-limits': NOT_VISIBLE,
  retry: NOT_VISIBLE,
  'size-limits': NOT_VISIBLE,
  'time-outs': NOT_VISIBLE,
};
