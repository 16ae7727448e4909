/**
 * Every reason to refuse a request, with the status that HTTP defines for it. An answer to `status-codes` can change
 * a status, unless a standard that the specification names settles it (`SETTLED_FAILURES`). **Add a new reason here**;
 * CONTRIBUTING.md ("A response of the receiver") says what else to change.
 */
export const FAILURES = {
  'credentials-missing': 401, // RFC 6750 §3.1.
  'credentials-malformed': 400, // RFC 6750 §3.1.
  'token-invalid': 401, // RFC 6750 §3.1.
  'path-unknown': 404, // RFC 9110 §15.5.5.
  'method-not-allowed': 405, // RFC 9110 §15.5.6.
  'content-missing': 400, // RFC 9110 §15.5.1.
  'content-malformed': 400, // The content is not valid in its media type (RFC 9110 §15.5.1).
  'content-invalid': 422, // The content is well-formed, but does not match the answered fields (RFC 9110 §15.5.21).
  'content-too-large': 413, // RFC 9110 §15.5.14.
  'media-type-unsupported': 415, // RFC 9110 §15.5.16.
  'version-unsupported': 400, // RFC 9110 §15.5.1.
  'event-id-missing': 400, // RFC 9110 §15.5.1.
  'signature-invalid': 403, // The credentials are valid, and the request is refused all the same (RFC 9110 §15.5.4).
  'rate-exceeded': 429, // RFC 6585 §4.
  unavailable: 503, // RFC 9110 §15.6.4.
} as const;

/** Name of a failure. The names are ours and are never sent (question `error-codes`). */
export type Failure = keyof typeof FAILURES;

/** The failures whose status RFC 9110 or RFC 6750 requires. */
export const SETTLED_FAILURES = [
  'credentials-missing',
  'credentials-malformed',
  'token-invalid',
  'path-unknown',
  'method-not-allowed',
] as const satisfies readonly Failure[];

/**
 * The status of the response to a failure: as answered, or as HTTP and RFC 6750 define it.
 *
 * @param codes the answer to `status-codes`
 */
export function statusOf(
  failure: Failure,
  codes: { readonly [Name in Failure]?: { readonly status?: number } } = {},
): number {
  return codes[failure]?.status ?? FAILURES[failure];
}
