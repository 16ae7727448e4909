import { METHODS } from 'node:http';

import { CONTENT_METHODS, facts } from '@plant-store/contract';

import type { WantedResponse } from './expect-response.js';
import type { StoredDelivery } from './inbox.js';
import {
  ACCESS_TOKEN,
  ARBITRARY,
  CHUNKED,
  chunks,
  delivery,
  head,
  HOST,
  LAST_CHUNK,
  message,
  POST,
  RIGHT,
} from './messages.js';

export type Stored = Pick<StoredDelivery, 'method' | 'mediaType' | 'contentEncoding' | 'content'>;

export interface Row {
  readonly name: string;
  /** What is sent, one character per byte. */
  readonly given: string;
  /** Exactly these deliveries are stored. */
  readonly want: WantedResponse & { readonly stores?: readonly Stored[] };
}

const PATH = facts.DELIVERY_PATH;
const refusedWith = (status: number, challenge: string): WantedResponse => ({
  status,
  fields: { 'www-authenticate': challenge },
  closes: true,
});
export const NO_CREDENTIALS = refusedWith(401, 'Bearer');
const MALFORMED = refusedWith(400, 'Bearer error="invalid_request"');
const WRONG_TOKEN = refusedWith(401, 'Bearer error="invalid_token"');
export const METHOD_NOT_ALLOWED: WantedResponse = { status: 405, fields: { allow: 'POST, PUT, PATCH' } };

export const stored = (
  given: Partial<Omit<Stored, 'content'>> & { readonly content?: string } = {},
): Stored => ({
  method: 'POST',
  mediaType: null,
  contentEncoding: null,
  ...given,
  content: Buffer.from(given.content ?? ARBITRARY, 'latin1'),
});

const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

const accepted = (name: string, given: string, stores: Parameters<typeof stored>[0] = {}): Row => ({
  name,
  given,
  want: { status: 204, stores: [stored(stores)] },
});

const refused = (name: string, given: string, want: WantedResponse): Row => ({ name, given, want });

/** A delivery whose `Authorization` fields are these. */
const authorized = (...values: readonly string[]): string =>
  message(
    POST,
    values.map((value) => `Authorization: ${value}`),
  );

/** Header fields that mean nothing. */
const manyFields = (count: number): string[] => Array.from({ length: count }, () => 'a:');

/** Header fields that mean something to other receivers. */
const FOREIGN = [
  'Accept: text/html',
  'Accept-Encoding: gzip',
  'Access-Control-Request-Method: DELETE',
  `Cookie: access_token=${ACCESS_TOKEN}; token=${ACCESS_TOKEN}`,
  'Forwarded: for=192.0.2.1;host=a.example;proto=https',
  'Idempotency-Key: a',
  'If-Match: "a"',
  'If-None-Match: *',
  'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'Origin: https://a.example',
  'Prefer: return=representation',
  `Proxy-Authorization: Bearer ${ACCESS_TOKEN}`,
  'Range: bytes=0-0',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Webhook-Id: a',
  'Webhook-Signature: a',
  'Webhook-Timestamp: 0',
  `X-Access-Token: ${ACCESS_TOKEN}`,
  `X-Api-Key: ${ACCESS_TOKEN}`,
  'X-Forwarded-Host: a.example',
  'X-HTTP-Method-Override: DELETE',
  'X-Request-Id: a',
];

export const acknowledged: readonly Row[] = [
  ...CONTENT_METHODS.map((method) =>
    accepted(method, message(`${method} ${PATH} HTTP/1.1`, [RIGHT]), { method }),
  ),
  ...['', 'a:', 'a:1', '127.0.0.1:80', '[::1]', '[::1]:80', 'a-b_c.example', '%41', '[v1.a:b]'].map((host) =>
    accepted(`Host: ${host}`, head(POST, `Host: ${host}`, RIGHT, 'Content-Length: 1') + 'a', {
      content: 'a',
    }),
  ),
  ...['Chunked', ', chunked'].map((coding) =>
    accepted(
      `Transfer-Encoding: ${coding}`,
      head(POST, HOST, RIGHT, `Transfer-Encoding: ${coding}`) + chunks('a') + LAST_CHUNK,
      { content: 'a' },
    ),
  ),
  accepted(
    '4,000 header fields',
    head(POST, ...manyFields(3_996), HOST, RIGHT, 'Content-Encoding: gzip', 'Content-Length: 1') + 'a',
    { content: 'a', contentEncoding: 'gzip' },
  ),
  accepted('every byte', message(POST, [RIGHT], everyByte), { content: everyByte }),
  accepted('content that looks like a request', message(POST, [RIGHT], delivery()), { content: delivery() }),
  accepted('one byte', message(POST, [RIGHT], '\0'), { content: '\0' }),
  accepted('chunks', head(POST, HOST, RIGHT, CHUNKED) + chunks('one', 'two') + LAST_CHUNK, {
    content: 'onetwo',
  }),
  accepted('chunks with a trailer', head(POST, HOST, RIGHT, CHUNKED) + chunks('one') + head('0', 'a: b'), {
    content: 'one',
  }),
  ...[
    'application/json',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=none',
    'application/octet-stream',
    'arbitrary/unknown',
    'not a media type',
    ';;;',
    '\xe9',
    '',
  ].map((mediaType) =>
    accepted(
      `media type ${JSON.stringify(mediaType)}`,
      message(POST, [RIGHT, `Content-Type: ${mediaType}`]),
      {
        mediaType,
      },
    ),
  ),
  accepted('invalid JSON', message(POST, [RIGHT, 'Content-Type: application/json'], '{'), {
    mediaType: 'application/json',
    content: '{',
  }),
  ...['gzip', 'gzip, br', 'arbitrary'].map((contentEncoding) =>
    accepted(
      `content encoding ${contentEncoding}, with content in another encoding`,
      message(POST, [RIGHT, `Content-Encoding: ${contentEncoding}`]),
      { contentEncoding },
    ),
  ),
  accepted('a query', message(`POST ${PATH}?_method=DELETE&method=DELETE&a=b HTTP/1.1`, [RIGHT])),
  accepted('a path with escapes', message('POST /plant/web%68ook HTTP/1.1', [RIGHT])),
  accepted('an absolute target', message(`POST http://localhost${PATH} HTTP/1.1`, [RIGHT])),
  accepted(
    'an offer to switch protocols',
    message(POST, [RIGHT, 'Connection: upgrade', 'Upgrade: arbitrary']),
  ),
  accepted('fields that mean something to others', message(POST, [RIGHT, ...FOREIGN])),
  accepted('the same once more: another delivery', message(POST, [RIGHT, ...FOREIGN])),
  accepted('a fragment', message(`POST ${PATH}#a HTTP/1.1`, [RIGHT])),
  accepted('an unknown expectation', message(POST, [RIGHT, 'Expect: arbitrary'])),
  accepted(
    'field names in another case',
    head(POST, 'hOsT: a', RIGHT.replace('A', 'a'), 'CONTENT-LENGTH: 1') + 'a',
    {
      content: 'a',
    },
  ),
  accepted('a token in the query too', message(`POST ${PATH}?access_token=wrong HTTP/1.1`, [RIGHT])),
  accepted(
    'a payload with a field access_token',
    message(POST, [RIGHT, 'Content-Type: application/json'], '{"access_token":"wrong"}'),
    { mediaType: 'application/json', content: '{"access_token":"wrong"}' },
  ),
  accepted(
    'a form with a field access_token',
    message(POST, [RIGHT, 'Content-Type: application/x-www-form-urlencoded'], 'access_token=wrong'),
    { mediaType: 'application/x-www-form-urlencoded', content: 'access_token=wrong' },
  ),
  {
    name: 'a sender that closes',
    given: message(POST, [RIGHT, 'Connection: close']),
    want: { status: 204, closes: true, stores: [stored()] },
  },
  {
    name: 'HTTP/1.0',
    given: head(`POST ${PATH} HTTP/1.0`, RIGHT, 'Content-Length: 1') + 'a',
    want: { status: 204, closes: true, stores: [stored({ content: 'a' })] },
  },
  {
    name: 'HTTP/1.0 with keep-alive',
    given: head(`POST ${PATH} HTTP/1.0`, RIGHT, 'Connection: keep-alive', 'Content-Length: 1') + 'a',
    want: { status: 204, closes: true, stores: [stored({ content: 'a' })] },
  },
  {
    name: 'HTTP/1.0 with Expect: 100-continue',
    given: head(`POST ${PATH} HTTP/1.0`, RIGHT, 'Expect: 100-continue', 'Content-Length: 1') + 'a',
    want: { status: 204, closes: true, stores: [stored({ content: 'a' })] },
  },
];

export const unauthenticated: readonly Row[] = [
  refused('no Authorization', authorized(), NO_CREDENTIALS),
  refused('no Authorization, no content', head(POST, HOST), NO_CREDENTIALS),
  refused('another scheme', authorized(`Basic ${ACCESS_TOKEN}`), NO_CREDENTIALS),
  refused(
    'a token in another field',
    message(POST, [RIGHT.replace('Authorization', 'Proxy-Authorization')]),
    NO_CREDENTIALS,
  ),
  refused('a token in fields that mean something to others', message(POST, FOREIGN), NO_CREDENTIALS),
  refused(
    'a token in the query',
    message(`POST ${PATH}?access_token=${ACCESS_TOKEN} HTTP/1.1`, []),
    NO_CREDENTIALS,
  ),
  refused(
    'a token in a form',
    message(POST, ['Content-Type: application/x-www-form-urlencoded'], `access_token=${ACCESS_TOKEN}`),
    NO_CREDENTIALS,
  ),
  refused(
    'a token in JSON',
    message(POST, ['Content-Type: application/json'], `{"access_token":"${ACCESS_TOKEN}"}`),
    NO_CREDENTIALS,
  ),
  refused('a token that is none', authorized('Bearer \xe9'), MALFORMED),
  refused(
    'more than one Authorization',
    authorized(`Bearer ${ACCESS_TOKEN}`, `Bearer ${ACCESS_TOKEN}`),
    MALFORMED,
  ),
  refused('a wrong token', authorized('Bearer wrong'), WRONG_TOKEN),
  refused('a long token', authorized(`Bearer ${'a'.repeat(8_000)}`), WRONG_TOKEN),
  refused(
    'a wrong token beside a right one in the query',
    message(`POST ${PATH}?access_token=${ACCESS_TOKEN} HTTP/1.1`, ['Authorization: Bearer wrong']),
    WRONG_TOKEN,
  ),
];

export const withoutContent: readonly Row[] = CONTENT_METHODS.flatMap((method) => {
  const line = `${method} ${PATH} HTTP/1.1`;
  return [
    refused(`${method} without content`, head(line, HOST, RIGHT), { status: 400 }),
    refused(`${method} with Content-Length: 0`, head(line, HOST, RIGHT, 'Content-Length: 0'), {
      status: 400,
    }),
    refused(`${method} with no chunk`, head(line, HOST, RIGHT, CHUNKED) + LAST_CHUNK, { status: 400 }),
  ];
});

/** All but CONNECT, which has no path and a test of its own. */
const otherMethods = METHODS.filter(
  (method) => method !== 'CONNECT' && !CONTENT_METHODS.some((known) => known === method),
);

export const wrongMethod: readonly Row[] = otherMethods.flatMap((method) => {
  const line = `${method} ${PATH} HTTP/1.1`;
  return [
    refused(`${method} with the right token`, head(line, HOST, RIGHT, ...FOREIGN), METHOD_NOT_ALLOWED),
    refused(`${method} with content`, message(line, [RIGHT]), { ...METHOD_NOT_ALLOWED, closes: true }),
    refused(`${method} without a token`, head(line, HOST, ...FOREIGN), NO_CREDENTIALS),
  ];
});

const NOT_FOUND: WantedResponse = { status: 404, closes: true };

export const elsewhere: readonly Row[] = [
  '/',
  '/plant',
  `${PATH}/`,
  `/${PATH}`,
  `${PATH}/more`,
  `${PATH};a=b`,
  '/plant%2Fwebhook',
  PATH.toUpperCase(),
  '/plant/Webhook',
  '/openapi.json',
  '/api',
  '/livez',
  '/readyz',
  '/metrics',
  '*',
].flatMap((path) => [
  refused(`${path} without a token`, head(`GET ${path} HTTP/1.1`, HOST), NOT_FOUND),
  refused(`${path} with a delivery`, message(`POST ${path} HTTP/1.1`, [RIGHT]), NOT_FOUND),
]);

export const BAD: WantedResponse = { status: 400, closes: true };

const NOT_IMPLEMENTED: WantedResponse = { status: 501, closes: true };

const VERSION_UNSUPPORTED: WantedResponse = { status: 505, closes: true };

export const malformedMessage: readonly Row[] = [
  refused('a path that cannot be decoded', message('POST /%zz HTTP/1.1', [RIGHT]), BAD),
  refused('no Host', head(POST, RIGHT, 'Content-Length: 1') + 'a', BAD),
  refused('two Host fields', message(POST, [HOST, RIGHT]), BAD),
  ...['a b', 'a/b', 'user@a', 'a:b', 'a:1:2', '[::1', '[g::1]', '%zz', 'http://a', 'a, b', '\xe9'].map(
    (host) => refused(`Host: ${host}`, head(POST, `Host: ${host}`, RIGHT, 'Content-Length: 1') + 'a', BAD),
  ),
  refused('not HTTP', head('arbitrary'), BAD),
  refused('a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', BAD),
  refused('the HTTP/2 preface', head('PRI * HTTP/2.0') + head('SM'), BAD),
  refused('a method that Node does not know', head(`BREW ${PATH} HTTP/1.1`, HOST, RIGHT), BAD),
  refused('a field without a colon', head(POST, HOST, RIGHT, 'arbitrary'), BAD),
  refused('a length that is not a number', head(POST, HOST, RIGHT, 'Content-Length: a') + 'a', BAD),
  refused('two lengths', head(POST, HOST, RIGHT, 'Content-Length: 1', 'Content-Length: 2') + 'ab', BAD),
  refused('a length and chunks', message(POST, [RIGHT, CHUNKED], chunks('a') + LAST_CHUNK), BAD),
  ...['gzip', 'identity', 'chunked, gzip'].map((codings) =>
    refused(
      `Transfer-Encoding: ${codings}`,
      head(POST, HOST, RIGHT, `Transfer-Encoding: ${codings}`) + chunks('a') + LAST_CHUNK,
      BAD,
    ),
  ),
  refused('a chunk without a size', head(POST, HOST, RIGHT, CHUNKED) + head('zz', 'a'), BAD),
  refused('a later chunk without a size', head(POST, HOST, RIGHT, CHUNKED) + chunks('a') + head('zz'), BAD),
  ...['gzip, chunked', 'gzip,chunked', 'x, chunked'].map((codings) =>
    refused(
      `Transfer-Encoding: ${codings}`,
      head(POST, HOST, RIGHT, `Transfer-Encoding: ${codings}`) + chunks('a') + LAST_CHUNK,
      NOT_IMPLEMENTED,
    ),
  ),
  refused(
    'a transfer coding in a field line of its own',
    head(POST, HOST, RIGHT, 'Transfer-Encoding: gzip', CHUNKED) + chunks('a') + LAST_CHUNK,
    NOT_IMPLEMENTED,
  ),
  ...['0.9', '1.2', '2.0', '3.0'].map((version) =>
    refused(
      `HTTP/${version}`,
      head(`POST ${PATH} HTTP/${version}`, HOST, RIGHT, 'Content-Length: 1') + 'a',
      VERSION_UNSUPPORTED,
    ),
  ),
  refused('a version that is not a number', head(`POST ${PATH} HTTP/a.b`, HOST, RIGHT), BAD),
  refused('an RTSP method', head(`DESCRIBE ${PATH} HTTP/1.1`, HOST, RIGHT), BAD),
  refused('CONNECT', head('CONNECT localhost:1 HTTP/1.1', HOST, RIGHT), NOT_IMPLEMENTED),
  refused('a large head', message(POST, [RIGHT, `a: ${'b'.repeat(20_000)}`]), { status: 431, closes: true }),
  refused(
    'a large trailer',
    head(POST, HOST, RIGHT, CHUNKED) + chunks('a') + head('0', `a: ${'b'.repeat(20_000)}`),
    { status: 431, closes: true },
  ),
  refused(
    'a large chunk extension',
    head(POST, HOST, RIGHT, CHUNKED) + head(`1;a=${'b'.repeat(20_000)}`, 'a'),
    { status: 413, closes: true },
  ),
];
