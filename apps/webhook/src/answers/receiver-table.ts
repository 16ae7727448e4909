import {
  type ContentMethod,
  type AnswerValues,
  type ExecutableAnswers,
  facts,
  isJsonMediaType,
  type ShownOn,
  type SigningScheme,
} from '@plant-store/contract';

import type { AnsweredLimit } from '../config/config.js';
import type { ContentStep, HeadStep } from '../delivery/pipeline.js';
import {
  requireEventIdField,
  takeEventIdFromContent,
  takeEventIdFromField,
} from '../delivery/steps/event-identity.js';
import { limitRate, requireMediaType, requireVersion } from '../delivery/steps/head.js';
import { validatePayload } from '../delivery/steps/payload.js';
import { requireSignatureFields, verifySignature } from '../delivery/steps/signature.js';
import { prepareResponse, type PreparedResponse } from '../http/message.js';
import type { Refusals } from '../http/refusal.js';
import { prepareRefusals } from './prepare-refusals.js';

/** What an answer changes in the receiver. */
export interface ReceiverEffect {
  /** The value of a limit, which then can't be set. */
  readonly limit?: Pick<AnsweredLimit, 'setting' | 'value'>;
  readonly path?: string;
  readonly methods?: readonly ContentMethod[];
  readonly realm?: string;
  readonly tokenFormat?: ExecutableAnswers['token-format'];
  readonly acknowledgement?: PreparedResponse;
  readonly refusals?: Refusals;
  readonly headStep?: HeadStep;
  readonly contentStep?: ContentStep;
  /** Whether `contentStep` needs the content as JSON. */
  readonly readsJson?: true;
  /** Deliveries are signed: the keys become a required setting. */
  readonly signing?: {
    /** How a key is written. */
    readonly key: SigningScheme['key'];
    readonly verify: (keys: readonly Buffer[]) => ContentStep;
  };
}

/** A question whose answer shows at the receiver. */
export type ReceiverQuestion = ShownOn<'receiver'>;

/** What an answer changes, given the others; or the question whose row takes it into account. */
type ReceiverRow<Id extends ReceiverQuestion> =
  | ((answer: ExecutableAnswers[Id], answers: AnswerValues) => ReceiverEffect)
  | { readonly partOf: ReceiverQuestion };

/**
 * What each answer changes in the receiver: a row for each question that the register says shows there. The steps of a
 * delivery run in the order of this table.
 */
export const receiverTable: { readonly [Id in ReceiverQuestion]: ReceiverRow<Id> } = {
  'http-method': (method) => ({ methods: [method] }),
  'authentication-realm': (realm) => ({ realm }),
  'token-format': (tokenFormat) => ({ tokenFormat }),
  'rate-limits': (limit) => ({ headStep: limitRate(limit) }),
  'request-versioning': (scheme) =>
    'header' in scheme
      ? { headStep: requireVersion(scheme.header, scheme.value) }
      : { path: scheme.pathPrefix + facts.DELIVERY_PATH },
  'media-type': (mediaType) => ({ headStep: requireMediaType(mediaType) }),
  'size-limits': (value) => ({ limit: { setting: 'MAX_CONTENT_BYTES', value } }),
  'time-outs': ({ delivery }) => ({ limit: { setting: 'REQUEST_TIMEOUT_MS', value: delivery } }),
  signing: (scheme, { 'event-identity': identity }) => ({
    headStep: requireSignatureFields(scheme),
    signing: { key: scheme.key, verify: (keys) => verifySignature(scheme, keys, identity) },
  }),
  'event-identity': (identity) =>
    'header' in identity
      ? {
          headStep: requireEventIdField(identity.header),
          contentStep: takeEventIdFromField(identity.header),
        }
      : { readsJson: true, contentStep: takeEventIdFromContent(identity.pointer) },
  payload: (payload, answers) => {
    if (!isJsonMediaType(answers['media-type'])) return {};
    const schemas = { plant: answers['plant-fields'], event: answers['event-payload-fields'] };
    return { readsJson: true, contentStep: validatePayload(payload, schemas) };
  },
  'plant-fields': { partOf: 'payload' },
  'event-payload-fields': { partOf: 'payload' },
  'receiver-response': (response) => ({
    acknowledgement: prepareResponse(response.status, response.content),
  }),
  'status-codes': (_codes, answers) => ({ refusals: prepareRefusals(answers) }),
  'error-payloads': (_payload, answers) => ({ refusals: prepareRefusals(answers) }),
  'error-codes': { partOf: 'error-payloads' },
};
