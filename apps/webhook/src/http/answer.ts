import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyReply } from 'fastify';

import type { PreparedAnswer } from './prepared-answer.js';

/** How long the rest of a refused request is awaited so that its sender can read the answer, in milliseconds. */
const LINGER = 1_000;

/** Connections that close because a request was refused before its content came. */
const closing = new WeakSet<Socket>();

/** Whether a connection was told to close, so that no further request on it may be taken (RFC 9112 §9.6). */
export function isClosing({ socket }: IncomingMessage): boolean {
  return closing.has(socket);
}

/**
 * Answers as prepared.
 *
 * @param fields those that this one answer has beside the prepared ones
 */
export function answer(
  reply: FastifyReply,
  prepared: PreparedAnswer,
  fields: Readonly<Record<string, string>> = {},
): void {
  const { raw: request } = reply.request;
  reply.hijack();
  if (!request.socket.writable) return;
  if (hasContent(request) && !request.complete) refuseContent(request, reply.raw, prepared, fields);
  else writeAnswer(reply, prepared, fields);
}

function writeAnswer(
  reply: FastifyReply,
  prepared: PreparedAnswer,
  fields: Readonly<Record<string, string>>,
): void {
  keepConnectionFieldsPrivate(reply.raw);
  reply.raw.writeHead(prepared.status, withFraming(reply, prepared, fields)).end(prepared.content);
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Answers before the content was read. The connection closes, but not at once: a reset would take the
 * answer from a sender that is still writing (RFC 9112 §9.6). What still comes is thrown away.
 */
function refuseContent(
  request: IncomingMessage,
  response: ServerResponse,
  prepared: PreparedAnswer,
  fields: Readonly<Record<string, string>>,
): void {
  closing.add(request.socket);
  response.writeHead(prepared.status, { ...fields, ...prepared.fields, connection: 'close' });
  response.flushHeaders();
  if (prepared.content !== undefined) response.write(prepared.content);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER);
  request.once('close', end).once('end', end).resume();
}

/**
 * A connection that persists needs no field to say so (RFC 9112 §9.3), and Node would tell the time-out
 * with it, which is a guard and no promise.
 */
function keepConnectionFieldsPrivate(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor > 0) response.removeHeader('connection');
}

/**
 * A server that stops says that it closes (RFC 9112 §9.6), and so it does to HTTP/1.0, where a connection that
 * persists would have to be agreed on.
 */
function withFraming(
  reply: FastifyReply,
  prepared: PreparedAnswer,
  fields: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...fields,
    ...prepared.fields,
    ...((isStopping(reply) || reply.raw.req.httpVersionMinor === 0) && { connection: 'close' }),
  };
}

/** Whether the server has stopped listening. */
export function isStopping(reply: FastifyReply): boolean {
  return !reply.server.server.listening;
}
