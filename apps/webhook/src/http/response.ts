import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyReply } from 'fastify';

import type { RefusalReason } from '../observer.js';
import { connectionOf } from './connection.js';
import { keepsConnections, serves } from './drain.js';
import { hasContent, type MessageFault } from './request.js';

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

/** Whether the server of a connection has stopped. */
export function hasStopped(request: IncomingMessage): boolean {
  return !serves(serverOf(request));
}

function serverOf({ socket }: IncomingMessage): Server {
  // Node sets it on each connection of an HTTP server.
  return (socket as Socket & { readonly server: Server }).server;
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

/** Sends a prepared response. */
export function respondRaw(
  response: ServerResponse,
  prepared: PreparedResponse,
  fields: Readonly<Record<string, string>> = {},
): void {
  const { req: request } = response;
  const { givenUp, unread, observer } = connectionOf(request.socket);
  if (!request.socket.writable || request === givenUp) return;
  observer.responded(prepared.status, request.socket, prepared.reason);
  if (request === unread || (hasContent(request) && !request.complete))
    refuseContent(request, response, prepared, fields);
  else writeResponse(response, prepared, fields);
}

/** Responds to a message that can't be processed. */
export function respondToFault(response: ServerResponse, { status, reason, closes }: MessageFault): void {
  if (closes) response.shouldKeepAlive = false;
  respondRaw(response, prepareRefusal(reason, status));
  if (closes) connectionOf(response.req.socket).closeAfterLinger();
}

function writeResponse(
  response: ServerResponse,
  prepared: PreparedResponse,
  fields: Readonly<Record<string, string>>,
): void {
  const { req: request } = response;
  hideKeepAlive(response);
  // What is behind it may be stored, and gets its response too.
  const stops =
    !keepsConnections(serverOf(request)) && !connectionOf(request.socket).hasRequestAfter(response);
  const closes = !response.shouldKeepAlive || stops || request.httpVersionMinor === 0;
  response
    .writeHead(prepared.status, {
      ...fields,
      ...prepared.fields,
      // A server that stops says that it closes (RFC 9112 §9.6). HTTP/1.0 has no persistent connection by default.
      ...(closes && { connection: 'close' }),
    })
    .end(prepared.content);
}

/** Responds before the content has been read. The connection closes, and content that still arrives is not parsed. */
function refuseContent(
  request: IncomingMessage,
  response: ServerResponse,
  prepared: PreparedResponse,
  fields: Readonly<Record<string, string>>,
): void {
  connectionOf(request.socket).closeAfterLinger();
  response
    .writeHead(prepared.status, { ...fields, ...prepared.fields, connection: 'close' })
    .end(prepared.content);
}

/**
 * A persistent connection needs no header field (RFC 9112 §9.3), and Node would publish the keep-alive time-out in it,
 * which is a limit and no promise.
 */
function hideKeepAlive(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor > 0) response.removeHeader('connection');
}
