import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

import type { FastifyReply, onRequestHookHandler } from 'fastify';

import type { RefusalReason } from '../counters.js';
import { connectionOf } from './connection.js';

/** What comes before the content of a request. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** The value of a header field as it was sent; undefined if the field is missing or empty. */
export function headerOf({ headers }: RequestHead, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The values of a header field, one for each of its lines. For fields that may have only one, Node otherwise drops the
 * further lines.
 *
 * @param name in lower case
 */
export function linesOf({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index] as string;
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

/**
 * Whether the sender waits for 100 (Continue) before it sends the content. HTTP/1.0 has no such expectation
 * (RFC 9110 §10.1.1, §15.2).
 */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}

/** A response that is made once and sent as often as it is needed. */
export interface PreparedResponse {
  readonly status: number;
  /** `Content-Type` and `Content-Length`; a 204 has neither (RFC 9110 §8.6). */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: Buffer | undefined;
  /** Why it refuses a request: for the log, never sent. */
  readonly reason: RefusalReason | undefined;
}

/** What a response says. It is sent in UTF-8. */
interface Content {
  readonly mediaType: string;
  readonly text: string;
}

/** Makes a response, with content or without. */
export function prepareResponse(status: number, content?: Content, reason?: RefusalReason): PreparedResponse {
  const bytes = content && Buffer.from(content.text);
  const fields: Record<string, string> =
    content === undefined
      ? { ...(status !== 204 && { 'content-length': '0' }) }
      : { 'content-type': content.mediaType, 'content-length': String(bytes!.length) };
  return Object.freeze({ status, fields: Object.freeze(fields), content: bytes, reason });
}

/** Makes a response that refuses a request. */
export function prepareRefusal(reason: RefusalReason, status: number, content?: Content): PreparedResponse {
  return prepareResponse(status, content, reason);
}

/**
 * Sends a prepared response in place of Fastify.
 *
 * @param fields header fields of this one response, beside the prepared ones
 */
export function respond(
  reply: FastifyReply,
  prepared: PreparedResponse,
  fields?: Readonly<Record<string, string>>,
): void {
  reply.hijack();
  respondRaw(reply.raw, prepared, fields);
}

/**
 * Sends a prepared response, unless there is one already. If the content of the request wasn't read, the connection
 * closes.
 */
export function respondRaw(
  response: ServerResponse,
  { status, fields: preparedFields, content, reason }: PreparedResponse,
  fields?: Readonly<Record<string, string>>,
): void {
  const { socket } = response.req;
  if (response.headersSent || !socket.writable) return;
  const connection = connectionOf(socket);
  connection.responds(status, reason);
  const closes = connection.closesAfter(response);
  const allFields =
    closes || fields !== undefined
      ? { ...fields, ...preparedFields, ...(closes && { connection: 'close' }) }
      : preparedFields;
  // Without one, Node writes `unknown` for a status that it doesn't know. It may be empty (RFC 9112 §4).
  response.writeHead(status, STATUS_CODES[status] ?? '', allFields).end(content);
}

const NOT_HTTP = prepareRefusal('not-http', 400);
const HOST_INVALID = prepareRefusal('host-invalid', 400);
const CODING_UNKNOWN = prepareRefusal('transfer-coding-unknown', 501);
const VERSION_UNSUPPORTED = prepareRefusal('http-version-unsupported', 505);

/** `Host` (RFC 9110 §7.2, RFC 3986 §3.2.2): an IP literal or a registered name, and a port. */
const VALID_HOST =
  /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The only transfer coding that is decoded, in a list that may have empty elements (RFC 9110 §5.6.1). */
const ONLY_CHUNKED = /^[\s,]*chunked[\s,]*$/i;

/** Without it at the end, nobody knows where the content ends (RFC 9112 §6.3). */
const CHUNKED_LAST = /(?:^|[\s,])chunked[\s,]*$/i;

/** Fastify's hook that refuses a request that can't be processed, before anything else of it is looked at. */
export const checkMessage: onRequestHookHandler = (request, reply, done) => {
  const fault = faultOf(request.raw);
  if (fault === undefined) done();
  else respond(reply, fault);
};

/** Checks its version (RFC 9110 §15.6.6), its transfer codings (RFC 9112 §6.1) and its `Host` (RFC 9112 §3.2). */
function faultOf(request: IncomingMessage): PreparedResponse | undefined {
  const { headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) return VERSION_UNSUPPORTED;
  const codings = headers['transfer-encoding'];
  if (codings !== undefined && !ONLY_CHUNKED.test(codings))
    return CHUNKED_LAST.test(codings) ? CODING_UNKNOWN : NOT_HTTP;
  const [host, another] = linesOf(request, 'host');
  if (host === undefined) return httpVersionMinor === 0 ? undefined : HOST_INVALID;
  return another === undefined && VALID_HOST.test(host) ? undefined : HOST_INVALID;
}
