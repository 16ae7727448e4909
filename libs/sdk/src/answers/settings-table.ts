import type { Answers, ExecutableAnswers, ExecutableId } from '@plant-store/contract';
import { defaultEncoder } from '../encoders/default-encoder.js';
import type { AnsweredSettings } from './answered-settings.js';
import { failuresByCode, failuresByStatus } from './failures-by.js';

/** Of a question whose answer changes no setting of a sender. */
export const NOT_VISIBLE = 'not visible';

/** What an answer, in the light of the others, settles for a sender. */
export type SettingsRow<Id extends ExecutableId> =
  typeof NOT_VISIBLE | ((answer: ExecutableAnswers[Id], answers: Answers) => Partial<AnsweredSettings>);

/** A row for every question whose answer software carries out. No two rows settle the same. */
export type SettingsTable = { readonly [Id in ExecutableId]: SettingsRow<Id> };

/** What each answer settles for a sender. What it changes of the types is in `OptionTable`. */
export const settingsTable: SettingsTable = {
  // It stands in a challenge, which the sender does not read.
  'authentication-realm': NOT_VISIBLE,
  'base-address': (baseUrl) => ({ baseUrl }),
  'error-codes': (codes) => ({ failureOfCode: failuresByCode(codes) }),
  'error-payloads': (errorPayload) => ({ errorPayload }),
  // At a pointer it is part of the content, which is the caller's.
  'event-identity': (identity) => ('header' in identity ? { eventIdHeader: identity.header } : {}),
  'event-payload-fields': () => ({ eventHasFields: true }),
  'http-method': (method) => ({ method }),
  'media-type': (mediaType) => ({ mediaType }),
  payload: (shape, answers) => ({
    defaultEncoder: defaultEncoder(answers['media-type'], shape, 'event-payload-fields' in answers),
  }),
  // The compiler holds the caller to them; the receiver checks what arrives.
  'plant-fields': NOT_VISIBLE,
  'rate-limits': (rateLimit) => ({ rateLimit }),
  'receiver-response': ({ status }) => ({ acknowledgedStatus: status }),
  'request-versioning': (scheme) =>
    'header' in scheme ? { versionHeader: scheme } : { pathPrefix: scheme.pathPrefix },
  retry: (retry) => ({ retry }),
  signing: (signing) => ({ signing }),
  'size-limits': (maxContentBytes) => ({ maxContentBytes }),
  'status-codes': (codes) => ({ failureOfStatus: failuresByStatus(codes) }),
  'time-outs': ({ response }) => ({ attemptTimeout: response }),
  'token-format': ({ pattern }) => ({ tokenPattern: new RegExp(pattern) }),
};
