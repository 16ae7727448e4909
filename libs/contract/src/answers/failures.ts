/**
 * Why a request is not taken, with the status that HTTP itself defines for the case. Where a standard that the
 * specification names settles the status, an answer cannot change it; the others hold while `status-codes` is open.
 */
export const FAILURES = {
  /** RFC 6750 §3.1. */
  'credentials-missing': 401,
  /** RFC 6750 §3.1. */
  'credentials-malformed': 400,
  /** RFC 6750 §3.1. */
  'token-invalid': 401,
  /** RFC 9110 §15.5.5. */
  'path-unknown': 404,
  /** RFC 9110 §15.5.6. */
  'method-not-allowed': 405,
  /** RFC 9110 §15.5.1. */
  'content-missing': 400,
  /** Not of the syntax of its media type (RFC 9110 §15.5.1). */
  'content-malformed': 400,
  /** Well-formed, but not what was agreed on (RFC 9110 §15.5.21). */
  'content-invalid': 422,
  /** RFC 9110 §15.5.14. */
  'content-too-large': 413,
  /** RFC 9110 §15.5.16. */
  'media-type-unsupported': 415,
  /** RFC 9110 §15.5.1. */
  'version-unsupported': 400,
  /** RFC 9110 §15.5.1. */
  'event-id-missing': 400,
  /** Refused although the credentials are good (RFC 9110 §15.5.4). */
  'signature-invalid': 403,
  /** RFC 6585 §4. */
  'rate-exceeded': 429,
  /** RFC 9110 §15.6.4. */
  unavailable: 503,
} as const;

/** Name of a failure. It is ours, and is not sent (question `error-codes`). */
export type Failure = keyof typeof FAILURES;

/** The failures whose status RFC 9110 or RFC 6750 requires. */
export type SettledFailure =
  'credentials-missing' | 'credentials-malformed' | 'token-invalid' | 'path-unknown' | 'method-not-allowed';

/** The status of a failure, and what it is described as. */
export interface FailureResponse {
  /** From 400 to 599. */
  readonly status: number;
  readonly description: string;
}

/** The failures whose status was answered (question `status-codes`). */
export type StatusCodes = { readonly [Name in Exclude<Failure, SettledFailure>]?: FailureResponse };

/** A code for each failure that has one (question `error-codes`). It stands in the payload (`error-payloads`). */
export type ErrorCodes = { readonly [Name in Failure]?: string };

/** What the body of an unsuccessful answer holds (question `error-payloads`): a JSON object. */
export interface ErrorPayload {
  /** A media type of JSON. */
  readonly mediaType: string;
  /** What each of its fields says; one about which nothing is known is left out. */
  readonly fields: Readonly<Record<string, 'status' | 'code' | 'description'>>;
}
