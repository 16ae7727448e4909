import type { ContentMethod, RateLimit, RetryPolicy } from '@plant-store/contract';
import type { HeaderAnswers } from '../delivery/headers.js';
import type { ResponseAnswers } from '../delivery/response.js';
import type { DefaultEncoder } from '../encoders/default-encoder.js';
import type { ContentAnswers } from '../encoders/encode-plant.js';

/** What the answers decide for a sender. `undefined` is left to the caller, or not done. */
export interface AnsweredSettings extends ContentAnswers, HeaderAnswers, ResponseAnswers {
  readonly baseUrl: string | undefined;
  readonly method: ContentMethod | undefined;
  /** Encodes the payload, if enough is answered for that. */
  readonly defaultEncoder: DefaultEncoder | undefined;
  readonly retry: RetryPolicy | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Milliseconds. */
  readonly attemptTimeout: number | undefined;
  readonly tokenPattern: RegExp | undefined;
  /** Comes before the delivery path. */
  readonly pathPrefix: string;
}

/** The settings of a sender while every question is open. */
export const whileOpen: AnsweredSettings = Object.freeze({
  baseUrl: undefined,
  method: undefined,
  mediaType: undefined,
  defaultEncoder: undefined,
  eventHasFields: false,
  maxContentBytes: undefined,
  acknowledgedStatuses: undefined,
  failureOfCode: new Map(),
  failureOfStatus: new Map(),
  errorPayload: undefined,
  retry: undefined,
  signing: undefined,
  eventIdHeader: undefined,
  rateLimit: undefined,
  attemptTimeout: undefined,
  tokenPattern: undefined,
  versionHeader: undefined,
  pathPrefix: '',
});
