/**
 * Everything that may be on the wire, and why. A test drives sender and receiver, and fails if a line of theirs isn't here,
 * or if one of these is never seen.
 */
import type { QuestionId } from '@plant-store/contract';

/**
 * Why a line may be there: a fact, with its section; a standard, with the clause; an open question, with what the
 * software does meanwhile or once it is answered; a setting of the receiver; an option of the sender or of its command.
 */
export type WireBasis =
  `§${number}` | `RFC ${string}` | QuestionId | `setting ${string}` | `option ${string}`;

/**
 * One line of a message, by its first word: the `method`, the `target` or the `version` of a request, the `status` of a
 * response, its `content`; otherwise a header field with its name in lower case.
 *
 * In braces stands what varies: `{one|other}`, a part of an answer such as `{signing.signature.header}`, which is there
 * only once that question is answered, or a word that says what it is. `content {nothing}` is no content.
 */
export type WireItem = readonly [
  line: string,
  basis: WireBasis | readonly WireBasis[],
  /** Only in requests with these methods, or responses with these statuses: a regular expression of the whole. */
  on?: string,
  /** Only once this question is answered. */
  once?: QuestionId,
];

/** Who sends, or reads, some messages. */
export type WireSection =
  | `deliveries${'Read' | 'Sent'}`
  | `sender${'Read' | 'Sent'}`
  | `operations${'Read' | 'Sent'}`
  | 'forwarded'
  | 'proxyAsked';

const LOCAL = 'setting OPERATIONS_PORT';
const EVERY_RESPONSE: readonly WireItem[] = [
  ['date: {date}', 'RFC 9110 §6.6.1', '[^1]..'],
  ['connection: close', 'RFC 9112 §9.6', '[^1]..'],
];
const FRAMING: readonly WireItem[] = [
  ['version HTTP/1.1', ['http-version', 'RFC 9112 §2.3']],
  ['version {text}', 'RFC 9110 §15.6.6'],
  ['host: {any}', 'RFC 9112 §3.2'],
  ['content-length: {any}', 'RFC 9112 §6.2'],
  ['transfer-encoding: {any}', 'RFC 9112 §6.1'],
  ['connection: {any}', 'RFC 9110 §7.6.1'],
  ['expect: {any}', 'RFC 9110 §10.1.1'],
];
/** What a listener responds to what isn't a message of HTTP, or not one that it knows. */
const MALFORMED: readonly WireItem[] = [
  ['status 400 Bad Request', 'RFC 9112 §3'],
  ['status 431 Request Header Fields Too Large', 'RFC 6585 §5'],
  ['status 501 Not Implemented', ['RFC 9110 §9.3.6', 'RFC 9112 §6.1']],
  ['status 505 HTTP Version Not Supported', 'RFC 9110 §15.6.6'],
];

/** The lines by who sends or reads them, the most special first: the first that fits a line explains it. */
export const wire: Readonly<Record<WireSection, readonly WireItem[]>> = {
  deliveriesRead: [
    ['method {http-method}', 'http-method'],
    ['method {POST|PUT|PATCH}', ['http-method', 'RFC 9110 §9.3.3']],
    ['method {text}', 'RFC 9110 §15.5.6'],
    ['target {request-versioning.pathPrefix}/plant/webhook', 'request-versioning'],
    ['target /plant/webhook', '§4'],
    ['target /plant/webhook?{any}', 'delivery-target'],
    ['target {any}', 'RFC 9110 §15.5.5'],
    ...FRAMING,
    ['authorization: Bearer {token}', '§5'],
    ['authorization: {any}', 'RFC 6750 §3.1'],
    ['{event-identity.header}: {any}', 'event-identity'],
    ['{signing.timestamp.header}: {any}', 'signing'],
    ['{signing.signature.header}: {any}', 'signing'],
    ['{request-versioning.header}: {any}', 'request-versioning'],
    ['content-type: {any}', 'media-type'],
    ['content-encoding: {any}', ['media-type', 'RFC 9110 §15.5.16']],
    ['{name}: {any}', 'RFC 9110 §5.1'],
    ['content {nothing}', 'payload'],
    ['content {any}', ['payload', 'setting MAX_CONTENT_BYTES', 'size-limits']],
    ['{any}', 'RFC 9112 §3'],
  ],
  deliveriesSent: [
    ['status 100 Continue', 'RFC 9110 §10.1.1'],
    ['status 204 No Content', 'receiver-response'],
    ['status {receiver-response.status} {reason}', 'receiver-response'],
    ['status {status-codes.*.status} {reason}', 'status-codes'],
    ...MALFORMED,
    ['status 408 Request Timeout', ['RFC 9110 §15.5.9', 'setting REQUEST_TIMEOUT_MS']],
    [
      'status 413 {Content|Payload} Too Large',
      ['RFC 9110 §15.5.14', 'setting MAX_CONTENT_BYTES', 'size-limits'],
    ],
    ['status 401 Unauthorized', 'RFC 6750 §3.1'],
    ['status 403 Forbidden', ['signing', 'RFC 9110 §15.5.4'], '403', 'signing'],
    ['status 404 Not Found', 'RFC 9110 §15.5.5'],
    ['status 405 Method Not Allowed', ['http-method', 'RFC 9110 §15.5.6']],
    ['status 415 Unsupported Media Type', ['media-type', 'RFC 9110 §15.5.16'], '415', 'media-type'],
    ['status 422 Unprocessable {Content|Entity}', ['plant-fields', 'RFC 9110 §15.5.21'], '422', 'payload'],
    ['status 429 Too Many Requests', ['rate-limits', 'RFC 6585 §4'], '429', 'rate-limits'],
    ['status 500 Internal Server Error', 'RFC 9110 §15.6.1'],
    ['status 503 Service Unavailable', ['RFC 9110 §15.6.4', 'setting MAX_CONTENT_BYTES_IN_FLIGHT']],
    ...EVERY_RESPONSE,
    ['content-length: 0', 'RFC 9110 §8.6', '[45]..|200|20[1235]'],
    ['content-length: {number}', ['receiver-response', 'RFC 9110 §8.6'], '20[0-3]', 'receiver-response'],
    ['content-length: {number}', ['error-payloads', 'RFC 9110 §8.6'], '[45]..', 'error-payloads'],
    ['content-type: {receiver-response.content.mediaType}', 'receiver-response', '20[0-3]'],
    ['content-type: {error-payloads.mediaType}', 'error-payloads', '[45]..'],
    ['www-authenticate: Bearer', 'RFC 6750 §3', '401'],
    ['www-authenticate: Bearer error="invalid_token"', 'RFC 6750 §3.1', '401'],
    ['www-authenticate: Bearer error="invalid_request"', 'RFC 6750 §3.1', '400'],
    ['www-authenticate: Bearer realm="{authentication-realm}"', 'authentication-realm', '401'],
    [
      'www-authenticate: Bearer realm="{authentication-realm}", error="invalid_{token|request}"',
      'authentication-realm',
      '40[01]',
    ],
    ['allow: {http-method}', ['http-method', 'RFC 9110 §10.2.1'], '405'],
    ['allow: POST, PUT, PATCH', ['http-method', 'RFC 9110 §10.2.1'], '405'],
    ['accept-encoding: identity', ['payload', 'RFC 9110 §12.5.3'], '415', 'payload'],
    ['content {nothing}', ['receiver-response', 'error-payloads']],
    ['content {receiver-response.content.text}', 'receiver-response', '20[0-3]'],
    ['content {error payload}', 'error-payloads', '[45]..', 'error-payloads'],
  ],
  senderSent: [
    ['method {http-method}', 'http-method'],
    ['method {POST|PUT|PATCH}', ['http-method', 'option method']],
    ['target {request-versioning.pathPrefix}/plant/webhook', 'request-versioning'],
    ['target /plant/webhook', '§4'],
    ['target /{text}/plant/webhook', ['base-address', 'delivery-target', 'option baseUrl']],
    ['target http://{authority}/plant/webhook', ['RFC 9112 §3.2.2', 'option http_proxy']],
    ['version HTTP/1.1', ['http-version', 'RFC 9112 §2.3']],
    ['host: {authority}', 'RFC 9110 §7.2'],
    ['connection: keep-alive', 'RFC 9112 §9.3'],
    ['connection: close', ['RFC 9112 §9.6', 'option maxConnectionAge']],
    ['authorization: Bearer {token}', '§5'],
    ['proxy-authorization: Basic {base64}', ['RFC 9110 §11.7.2', 'option http_proxy']],
    ['content-type: {media-type}', 'media-type'],
    ['content-type: {text}', ['media-type', 'option encode']],
    ['content-length: {number}', 'RFC 9110 §8.6'],
    ['{event-identity.header}: {text}', 'event-identity'],
    ['{signing.timestamp.header}: {number}', 'signing'],
    ['{signing.signature.header}: {signing.signature.prefix}{base64}', 'signing'],
    ['{request-versioning.header}: {request-versioning.value}', 'request-versioning'],
    ["{the caller's own}: {text}", ['signing', 'option headers']],
    ['content {any}', ['payload', 'option encode']],
  ],
  proxyAsked: [
    ['method CONNECT', ['RFC 9110 §9.3.6', 'option https_proxy']],
    ['target {authority}', 'RFC 9112 §3.2.3'],
    ['version HTTP/1.1', 'RFC 9112 §2.3'],
    ['host: {authority}', 'RFC 9110 §7.2'],
    ['connection: keep-alive', 'RFC 9112 §9.3'],
    ['proxy-authorization: Basic {base64}', ['RFC 9110 §11.7.2', 'option https_proxy']],
    ['content {nothing}', 'RFC 9110 §9.3.6'],
  ],
  senderRead: [
    ['status 1{any}', 'RFC 9110 §15.2'],
    ['status {receiver-response.status} {any}', 'receiver-response'],
    ['status 2{any}', ['receiver-response', 'RFC 9110 §15.3']],
    ['status {any}', ['receiver-response', 'status-codes', 'retry', 'option retry']],
    ['retry-after: {any}', ['retry', 'RFC 9110 §10.2.3']],
    ['content-type: {error-payloads.mediaType}', 'error-payloads'],
    ['content-length: {number}', 'RFC 9112 §6.2'],
    ['transfer-encoding: chunked', 'RFC 9112 §7.1'],
    ['connection: close', 'RFC 9112 §9.6'],
    ['keep-alive: {any}', 'RFC 2068 §19.7.1'],
    ['{name}: {any}', 'RFC 9110 §5.1'],
    ['content {error payload}', 'error-payloads', '[45]..', 'error-payloads'],
    ['content {any}', ['receiver-response', 'error-payloads', 'option maxResponseBytes']],
  ],
  forwarded: [
    ['method {text}', 'http-method'],
    ['target {any}', 'setting HANDLER'],
    ['version HTTP/1.1', 'setting HANDLER'],
    ['host: {authority}', 'RFC 9110 §7.2'],
    ['connection: keep-alive', 'RFC 9112 §9.3'],
    ['content-length: {number}', 'RFC 9110 §8.6'],
    ['inbox-attempt: {number}', 'setting HANDLER'],
    ['inbox-{delivery|received-at}: {text}', 'setting HANDLER'],
    ["{the sender's own}: {any}", 'RFC 9110 §7.6'],
    ['content {any}', 'payload'],
  ],
  operationsRead: [
    ['method {GET|HEAD|POST}', LOCAL],
    ['method {text}', 'RFC 9110 §15.5.6'],
    ['target {any}', LOCAL],
    ...FRAMING,
    ['content-type: application/json', LOCAL],
    ['{accept|content-type|if-none-match|origin|sec-fetch-site}: {any}', LOCAL],
    ['{name}: {any}', 'RFC 9110 §5.1'],
    ['content {any}', LOCAL],
    ['{any}', 'RFC 9112 §3'],
  ],
  operationsSent: [
    ['status 100 Continue', 'RFC 9110 §10.1.1'],
    ['status 200 OK', LOCAL],
    ['status 204 No Content', LOCAL],
    ['status 303 See Other', 'RFC 9110 §15.4.4'],
    ['status 304 Not Modified', 'RFC 9110 §15.4.5'],
    ['status 403 Forbidden', LOCAL],
    ['status 404 Not Found', 'RFC 9110 §15.5.5'],
    ['status 405 Method Not Allowed', 'RFC 9110 §15.5.6'],
    ['status 415 Unsupported Media Type', 'RFC 9110 §15.5.16'],
    ['status 421 Misdirected Request', 'RFC 9110 §15.5.20'],
    ['status 500 Internal Server Error', 'RFC 9110 §15.6.1'],
    ['status 503 Service Unavailable', 'RFC 9110 §15.6.4'],
    ...MALFORMED,
    ['status 408 Request Timeout', ['RFC 9110 §15.5.9', LOCAL]],
    ['status 413 {Content|Payload} Too Large', ['RFC 9110 §15.5.14', LOCAL]],
    ...EVERY_RESPONSE,
    ['content-length: {number}', 'RFC 9110 §8.6', '[2-5]..'],
    ['transfer-encoding: chunked', 'RFC 9112 §7.1', '200'],
    ["content-security-policy: default-src 'none'; {text}", LOCAL],
    ['cross-origin-resource-policy: same-origin', LOCAL],
    ['referrer-policy: {no-referrer|same-origin}', LOCAL],
    ['vary: accept-encoding', 'RFC 9110 §12.5.5', '200'],
    ['content-encoding: gzip', 'RFC 9110 §8.4', '200'],
    ['location: ./?{text}', 'RFC 9110 §10.2.2', '303'],
    ['set-cookie: operator={text}; SameSite=Strict; HttpOnly; Max-Age=31536000', 'RFC 6265 §4.1', '303'],
    ['x-content-type-options: nosniff', LOCAL],
    ['cache-control: no-{cache|store}', 'RFC 9111 §5.2.2'],
    ['allow: {GET, HEAD|POST|GET, HEAD, POST}', 'RFC 9110 §10.2.1', '405'],
    ['content-type: application/json', LOCAL, '200'],
    ['content-type: application/json; charset=utf-8', LOCAL],
    ['content-type: application/octet-stream', LOCAL, '200'],
    ['content-type: text/html; charset=utf-8', LOCAL, '200|4..'],
    ['content-type: image/svg+xml', LOCAL, '200'],
    ['etag: {text}', 'RFC 9110 §8.8.3', '200|304'],
    ['content-type: text/plain; charset=utf-8', LOCAL, '200|503'],
    ['content-type: text/plain; version=0.0.4; charset=utf-8', LOCAL, '200'],
    ['content-disposition: attachment; filename="delivery-{number}"', 'RFC 6266 §4', '200'],
    ['content {nothing}', LOCAL],
    ['content {"code":"{code}","message":"{text}"}', LOCAL, '[45]..'],
    ['content <!doctype html>{any}', LOCAL, '4..'],
    ['content {text}', LOCAL, '503'],
    ['content {any}', LOCAL, '200'],
  ],
};
