import type { ServerResponse } from 'node:http';

import type { FastifyReply } from 'fastify';

import type { RefusalReason } from '../counters.js';
import { connectionOf } from './connection.js';
import { hasContent } from './request.js';

/** A response that is made once and sent as often as it is needed. */
export interface PreparedResponse {
  readonly status: number;
  /** `Content-Type` and `Content-Length`; a 204 has neither (RFC 9110 §8.6). */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: Buffer | undefined;
  /** Why it refuses a request: for the log, never sent. */
  readonly reason?: RefusalReason;
}

/** What a response says. It is sent in UTF-8. */
interface Content {
  readonly mediaType: string;
  readonly text: string;
}

/** Makes a response, with content or without. */
export function prepareResponse(status: number, content?: Content): PreparedResponse {
  if (content === undefined) return freeze(status, status === 204 ? {} : { 'content-length': '0' });
  const bytes = Buffer.from(content.text);
  const fields = { 'content-type': content.mediaType, 'content-length': String(bytes.length) };
  return freeze(status, fields, bytes);
}

function freeze(status: number, fields: PreparedResponse['fields'], content?: Buffer): PreparedResponse {
  return Object.freeze({ status, fields: Object.freeze(fields), content });
}

/** Makes a response that refuses a request. */
export function prepareRefusal(reason: RefusalReason, status: number, content?: Content): PreparedResponse {
  return Object.freeze({ ...prepareResponse(status, content), reason });
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
  fields: Readonly<Record<string, string>> = {},
): void {
  const { req: request } = response;
  if (response.headersSent || !request.socket.writable) return;
  const connection = connectionOf(request.socket);
  connection.responds(status, reason);
  const isUnread = hasContent(request) && !request.readableEnded;
  if (isUnread) connection.closeAfterLinger();
  // HTTP/1.0 has no persistent connection by default.
  const closes =
    isUnread ||
    connection.closesAfter(response) ||
    !response.shouldKeepAlive ||
    request.httpVersionMinor === 0;
  // A persistent connection needs no field (RFC 9112 §9.3), and Node would publish the keep-alive time-out in it, which
  // is a limit and no promise.
  if (!closes) response.removeHeader('connection');
  response
    .writeHead(status, { ...fields, ...preparedFields, ...(closes && { connection: 'close' }) })
    .end(content);
}
