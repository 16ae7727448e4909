/**
 * What a standard settles that the specification names: OpenAPI 3.1.0, and HTTP authentication with the
 * bearer scheme (RFC 9110 and the RFCs that extend it, RFC 6750). Each constant cites its clause.
 */

/** How the bearer scheme is spelled in credentials and in challenges (§5; RFC 6750 §2.1, §3). */
export const BEARER = 'Bearer';

/** One whole access token: the `b64token` of RFC 6750 §2.1. */
export const ACCESS_TOKEN_PATTERN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * The methods of RFC 9110 and RFC 5789 that carry content and change state (RFC 9110 §9.3.3, §9.3.4;
 * RFC 5789 §2). What is accepted and can be sent while `http-method` is open.
 */
export const CONTENT_METHODS = ['POST', 'PUT', 'PATCH'] as const;

/** A method that carries content and changes state. */
export type ContentMethod = (typeof CONTENT_METHODS)[number];

/** Header fields, in lower case, of one connection, or of how a message is framed on it (RFC 9110 §6.6.2, §7.6.1; RFC 9112 §6, §9). */
export const CONNECTION_FIELDS: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Header fields, in lower case, that the sender and HTTP themselves set: they frame the request, describe its content,
 * carry its credentials, or belong to the connection. No answer may choose one as its header, and the `headers`
 * function of the SDK must not return one.
 */
export const RESERVED_FIELDS: readonly string[] = [
  // Credentials (RFC 9110 §11.6.2).
  'authorization',
  ...CONNECTION_FIELDS,
  // The content: its coding, length and type (RFC 9110 §8). While `media-type` is open, nothing is compressed.
  'content-encoding',
  'content-length',
  'content-type',
  // How and where the request is processed (RFC 9110 §7.2, §10.1.1).
  'expect',
  'host',
];

/** The name of a component (OpenAPI 3.1.0 §4.8.7). */
export const COMPONENT_NAME = /^[a-zA-Z0-9._-]+$/;

/** Whether a media type, with parameters or without, is one of JSON (RFC 8259; RFC 6839 §3.1). */
export function isJsonMediaType(mediaType = ''): boolean {
  return /^(?:application\/json|[^\s/;]+\/[^\s/;]+\+json) *(?:;|$)/i.test(mediaType);
}
