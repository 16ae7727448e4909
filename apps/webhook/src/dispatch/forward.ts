import { Agent, ClientRequest, type IncomingMessage, STATUS_CODES } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';

import { readRetryAfter } from '@plant-store/contract';
import type { Delivery, DeliveryHandler, HeaderField } from '@plant-store/handler';

import { shownSource } from '../config/handler-source.js';
import type { OpenTarget } from './load-handler.js';

/** The header fields that a forwarded delivery has beside those that it came with. */
const OWN_FIELDS = ['Inbox-Delivery', 'Inbox-Attempt', 'Inbox-Received-At'] as const;

/**
 * Fields that don't go on, in small letters: those that this request has of its own, and which encodings the sender can
 * read. Its credentials and the fields of its connection aren't stored.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'content-length', 'expect', 'host'],
  ...OWN_FIELDS.map((name) => name.toLowerCase()),
]);

/** How long a connection that nobody uses stays open, in milliseconds, and how many do: as many as attempts may run. */
const IDLE_TIME = 4_000;
const MAX_IDLE = 1_000;

/** How long a connection is used, in milliseconds: each new one looks the name of the target up again. */
const MAX_AGE = 60_000;

/**
 * How responses are read. The target is a service of your own, of which only the status and `Retry-After` count: it may end
 * its lines with LF alone (RFC 9112 §2.2), and have a megabyte of header fields.
 */
const READING = { insecureHTTPParser: true, maxHeaderSize: 1_048_576 };

/** What is read of a response after its status, so that the connection can be used again: milliseconds, and bytes. */
const REST_TIME = 2_000;
const REST_BYTES = 131_072;

/** Whether the target closed the connection while it was used, perhaps because it was idle before. */
function isClosed(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/**
 * A target responded that it hasn't handled a delivery. Nothing else of its response is kept: it may quote the request,
 * and with it what is secret in the URL or in the delivery.
 */
export class TargetResponse extends Error {
  override readonly name = 'TargetResponse';
  /** How long it asks to wait, in milliseconds; 0 if it doesn't. */
  readonly #retryAfter: number;

  constructor(status: string, retryAfter: number) {
    super(`the target responded with ${status}`);
    this.#retryAfter = retryAfter;
  }

  /** How long to wait, in milliseconds, if this was thrown by a target that asks for it; else 0. It never throws. */
  static retryAfter(thrown: unknown): number {
    return typeof thrown === 'object' && thrown !== null && #retryAfter in thrown ? thrown.#retryAfter : 0;
  }
}

/**
 * Forwards each delivery to a target: its method, header fields and bytes as they came, and its key, its attempt and its
 * time in fields of ours. A response with 2xx means that it is handled. No redirect is followed.
 *
 * @param withTrace puts the trace of the attempt into the fields
 * @param maxAge how long a connection is used again after its first response, in milliseconds
 */
export function forwardTo(
  target: string,
  withTrace = (fields: readonly HeaderField[]): readonly HeaderField[] => fields,
  maxAge = MAX_AGE,
): OpenTarget {
  const url = new URL(target);
  const agent = new (url.protocol === 'https:' ? TlsAgent : Agent)({
    ...{ keepAlive: true, timeout: IDLE_TIME, maxFreeSockets: MAX_IDLE },
  });
  limitAge(agent, maxAge);
  const handle: DeliveryHandler = async (delivery, { signal }) => {
    const fields = [...withTrace(fieldsOf(delivery)), ['Host', url.host] as const];
    const send = (): Promise<IncomingMessage> => request(url, agent, fields, delivery, signal);
    // Bytes that nobody asked for, such as a second response to the request before, are thrown away by then.
    await setImmediate();
    const response = await send().catch((error: unknown) => {
      signal.throwIfAborted();
      if (!isClosed(error)) throw error;
      return send();
    });
    discardRest(response);
    const { statusCode = 0, httpVersionMajor, headers } = response;
    if (httpVersionMajor === 1 && statusCode >= 200 && statusCode < 300) return;
    const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
    throw new TargetResponse(status, readRetryAfter(headers['retry-after']));
  };
  return {
    name: shownSource(target),
    handle,
    close: async () => agent.destroy(),
  };
}

/** Lets an agent keep no connection that is older. */
function limitAge(agent: Agent, maxAge: number): void {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const ends = new WeakMap<Duplex, number>();
  agent.keepSocketAlive = (socket) => {
    const now = performance.now();
    if (!ends.has(socket)) ends.set(socket, now + maxAge);
    return now < ends.get(socket)! && keep(socket);
  };
}

function fieldsOf({ key, attempts, receivedAt, fields }: Delivery): HeaderField[] {
  const values = [key, String(attempts), new Date(receivedAt).toISOString()];
  return [
    ...fields.filter(([name]) => !LEFT_OUT.has(name.toLowerCase())),
    ...OWN_FIELDS.map((name, index): HeaderField => [name, values[index]!]),
  ];
}

/** Resolves with the head of the response. Informational ones that come before it are ignored (RFC 9110 §15.2). */
function request(
  url: URL,
  agent: Agent,
  fields: readonly HeaderField[],
  { method, content }: Pick<Delivery, 'method' | 'content'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = [...fields, ['Content-Length', String(content.length)]].flat();
  return new Promise((resolve, reject) => {
    // Not `request`: an instrumentation that wraps it copies the list of fields into an object.
    new ClientRequest({ ...urlToHttpOptions(url), method, headers, agent, signal, ...READING })
      .on('response', resolve)
      .on('error', reject)
      // After a response that switches protocols there is no error.
      .on('close', () => reject(new Error('the target responded with no final status')))
      .end(content);
  });
}

/** What the target says further changes nothing. */
function discardRest(response: IncomingMessage): void {
  let size = 0;
  const timer = setTimeout(() => response.destroy(), REST_TIME).unref();
  response
    .on('data', ({ length }: Uint8Array) => {
      size += length;
      if (size > REST_BYTES) response.destroy();
    })
    .on('error', () => undefined)
    .on('close', () => clearTimeout(timer));
}
