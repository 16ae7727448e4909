import type {
  ContentMethod,
  ErrorPayload,
  Failure,
  RateLimit,
  RetryPolicy,
  SigningScheme,
} from '@plant-store/contract';
import type { DefaultEncoder } from '../encoders/default-encoder.js';
import type { HeaderField } from './header-field.js';

/** What the answers settle for a sender. What is `undefined` is left to the caller, or not done. */
export interface AnsweredSettings {
  readonly baseUrl: string | undefined;
  readonly method: ContentMethod | undefined;
  /** The media type of every delivery, without parameters. */
  readonly mediaType: string | undefined;
  /** Makes the payload, where enough is answered for that. */
  readonly defaultEncoder: DefaultEncoder | undefined;
  /** Whether an event has fields of its own, which `encode` is handed. */
  readonly eventHasFields: boolean;
  /** Content beyond this many bytes is not sent. */
  readonly maxContentBytes: number | undefined;
  /** The one status of an acknowledgement. */
  readonly acknowledgedStatus: number | undefined;
  readonly failureOfCode: ReadonlyMap<string, Failure>;
  readonly failureOfStatus: ReadonlyMap<number, Failure>;
  readonly errorPayload: ErrorPayload | undefined;
  readonly retry: RetryPolicy | undefined;
  readonly signing: SigningScheme | undefined;
  /** Name of the field that carries the identifier of the event. */
  readonly eventIdHeader: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Milliseconds. */
  readonly attemptTimeout: number | undefined;
  readonly tokenPattern: RegExp | undefined;
  readonly versionHeader: HeaderField | undefined;
  /** Stands before the delivery path. */
  readonly pathPrefix: string;
}

/** What holds for a sender while every question is open. */
export const whileOpen: AnsweredSettings = Object.freeze({
  baseUrl: undefined,
  method: undefined,
  mediaType: undefined,
  defaultEncoder: undefined,
  eventHasFields: false,
  maxContentBytes: undefined,
  acknowledgedStatus: undefined,
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
