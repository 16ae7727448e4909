/**
 * What a standard settles that the specification names: OpenAPI 3.1.0, and HTTP authentication with the
 * bearer scheme (RFC 9110, RFC 6750). Each constant cites its clause.
 */

/** How the bearer scheme is spelled in credentials and in challenges (RFC 6750 §2.1, §3). */
export const BEARER = 'Bearer';

/** One whole access token: the `b64token` of RFC 6750 §2.1. */
export const ACCESS_TOKEN_PATTERN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Error codes of a challenge (RFC 6750 §3.1). */
export type BearerError = 'invalid_request' | 'invalid_token';

/**
 * The methods of RFC 9110 and RFC 5789 that carry content and change state (RFC 9110 §9.3.3, §9.3.4;
 * RFC 5789 §2). What is accepted and can be sent while `http-method` is open.
 */
export const CONTENT_METHODS = ['POST', 'PUT', 'PATCH'] as const;

/** A method that carries content and changes state. */
export type ContentMethod = (typeof CONTENT_METHODS)[number];
