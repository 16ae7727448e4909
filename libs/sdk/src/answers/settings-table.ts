import {
  type AnswerValues,
  type ContentMethod,
  type ExecutableAnswers,
  type ShownOn,
} from '@plant-store/contract';
import type { HeaderAnswers } from '../delivery/headers.js';
import { failuresByCode, failuresByStatus, type ResponseAnswers } from '../delivery/response.js';
import { defaultEncoder, type DefaultEncoder } from '../encoders/default-encoder.js';
import type { ContentAnswers } from '../encoders/plant-encoder.js';

/** What the answers decide for a sender. What is absent is left to the caller, or not done. */
export interface AnsweredSettings extends ContentAnswers, HeaderAnswers, ResponseAnswers {
  readonly baseUrl?: string;
  readonly method?: ContentMethod;
  /** Encodes the payload, if enough is answered for that. */
  readonly defaultEncoder?: DefaultEncoder | undefined;
  readonly retry?: ExecutableAnswers['retry'];
  readonly rateLimit?: ExecutableAnswers['rate-limits'];
  /** Milliseconds. */
  readonly attemptTimeout?: number;
  readonly tokenPattern?: RegExp;
  /** Comes before the delivery path. */
  readonly pathPrefix?: string;
}

/** Id of a question whose answer changes what a sender does. The register says which: `shows` has 'sender'. */
export type SenderQuestion = ShownOn<'sender'>;

/** The settings that an answer decides, given the other answers that are carried out. */
export type SettingsRow<Id extends SenderQuestion> = (
  answer: ExecutableAnswers[Id],
  answers: AnswerValues,
) => AnsweredSettings;

/** One row for each question that shows on the sender. No two rows decide the same setting. */
export type SettingsTable = { readonly [Id in SenderQuestion]: SettingsRow<Id> };

/** What each answer decides for a sender. What it changes in the types is in answered-types.ts. */
export const settingsTable: SettingsTable = {
  'base-address': (baseUrl) => ({ baseUrl }),
  'error-codes': (codes) => ({ failureOfCode: failuresByCode(codes) }),
  'error-payloads': (errorPayload) => ({ errorPayload }),
  // With a pointer the identifier is in the content, which the caller encodes.
  'event-identity': (identity) => ('header' in identity ? { eventIdHeader: identity.header } : {}),
  'event-payload-fields': () => ({ eventHasFields: true }),
  'http-method': (method) => ({ method }),
  'media-type': (mediaType) => ({ mediaType }),
  payload: (payload, answers) => ({
    defaultEncoder: defaultEncoder(answers['media-type'], payload, 'event-payload-fields' in answers),
  }),
  'rate-limits': (rateLimit) => ({ rateLimit }),
  'receiver-response': ({ status }) => ({ acknowledgedStatus: status }),
  'request-versioning': (scheme) => ('header' in scheme ? { versionHeader: scheme } : scheme),
  retry: (retry) => ({ retry }),
  signing: (signing) => ({ signing }),
  'size-limits': (maxContentBytes) => ({ maxContentBytes }),
  'status-codes': (codes) => ({ failureOfStatus: failuresByStatus(codes) }),
  'time-outs': ({ response }) => ({ attemptTimeout: response }),
  'token-format': ({ pattern }) => ({ tokenPattern: new RegExp(pattern) }),
};

/** What a set of valid answers decides for a sender. */
export function answeredSettingsOf(given: AnswerValues): AnsweredSettings {
  const rows: Readonly<Record<string, SettingsRow<never>>> = settingsTable;
  const decided = Object.entries(given).map(([id, answer]) => rows[id]?.(answer as never, given));
  return Object.freeze(Object.assign({}, ...decided) as AnsweredSettings);
}
