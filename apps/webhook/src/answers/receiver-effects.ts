import {
  type Answers,
  type ExecutableAnswers,
  type ExecutableId,
  facts,
  isJsonMediaType,
} from '@plant-store/contract';

import { checkMediaType } from '../checks/check-media-type.js';
import { checkPayload } from '../checks/check-payload.js';
import { checkRate } from '../checks/check-rate.js';
import { checkSignature, checkSignatureFields } from '../checks/check-signature.js';
import { checkVersion } from '../checks/check-version.js';
import { checkEventIdField, takeEventIdFromContent, takeEventIdFromField } from '../checks/event-id.js';
import { prepareAnswer } from '../http/prepared-answer.js';
import { prepareRefusals } from '../http/prepare-refusals.js';
import type { ReceiverEffect } from './receiver-effect.js';

/** Of an answer that shows elsewhere. */
const NOT_VISIBLE_HERE = 'not visible here';

/** What an answer changes of the receiver, in the light of the others; or the question whose row takes it along. */
type Row<Id extends ExecutableId> =
  | ((answer: ExecutableAnswers[Id], answers: Answers) => ReceiverEffect)
  | { readonly toldWith: ExecutableId }
  | typeof NOT_VISIBLE_HERE;

/**
 * What each answer changes of the receiver, **for every question that can be carried out**. What is checked of a
 * delivery is checked in the order of this table.
 */
export const receiverEffects: { readonly [Id in ExecutableId]: Row<Id> } = {
  'http-method': (method) => ({ methods: [method] }),
  'authentication-realm': (realm) => ({ realm }),
  'token-format': (tokenFormat) => ({ tokenFormat }),
  'rate-limits': (limit) => ({ checkHead: checkRate(limit) }),
  'request-versioning': (scheme) =>
    'header' in scheme
      ? { checkHead: checkVersion(scheme) }
      : { path: scheme.pathPrefix + facts.DELIVERY_PATH },
  'media-type': (mediaType) => ({ checkHead: checkMediaType(mediaType) }),
  'size-limits': (bytes) => ({ guards: { MAX_CONTENT_BYTES: bytes } }),
  'time-outs': ({ delivery }) => ({ guards: { REQUEST_TIMEOUT_MS: delivery } }),
  signing: (scheme, { 'event-identity': identity }) => ({
    checkHead: checkSignatureFields(scheme),
    signing: { key: scheme.key, checkWith: (keys) => checkSignature(scheme, keys, identity) },
  }),
  'event-identity': (identity) =>
    'header' in identity
      ? { checkHead: checkEventIdField(identity.header), inspect: takeEventIdFromField(identity.header) }
      : { readsJson: true, inspect: takeEventIdFromContent(identity.pointer) },
  payload: (shape, answers) => {
    if (!isJsonMediaType(answers['media-type'] ?? '')) return {};
    const schemas = { plant: answers['plant-fields'], event: answers['event-payload-fields'] };
    return { readsJson: true, inspect: checkPayload(shape, schemas) };
  },
  'plant-fields': { toldWith: 'payload' },
  'event-payload-fields': { toldWith: 'payload' },
  'receiver-response': (response) => ({
    acknowledgement: prepareAnswer(response.status, 'content' in response ? response.content : undefined),
  }),
  'status-codes': (_codes, answers) => ({ refusals: prepareRefusals(answers) }),
  'error-payloads': (_payload, answers) => ({ refusals: prepareRefusals(answers) }),
  'error-codes': { toldWith: 'error-payloads' },
  retry: NOT_VISIBLE_HERE,
  'base-address': NOT_VISIBLE_HERE,
};
