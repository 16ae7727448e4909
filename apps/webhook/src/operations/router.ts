import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Logger } from 'pino';

import { ReceiverError } from '../errors.js';
import { connectionOf } from '../http/connection.js';
import { hasContent, messageFaultOf } from '../http/request.js';
import { type PreparedResponse, respondRaw, respondToFault } from '../http/response.js';
import { throttledLog } from '../logging/throttled-log.js';
import { isLoopback } from './limit-connections.js';
import { requireOwnHost, requireOwnOrigin } from './own-requests.js';
import { readJson } from './request-content.js';
import { REQUEST_FAULTS, RequestFault } from './request-fault.js';
import { jsonResponse } from './response.js';

/** A request whose sender may send it, and whose path and method are known. */
export interface OperationsRequest {
  readonly query: URLSearchParams;
  /** The groups of the route's path. */
  readonly parts: Readonly<Record<string, string>>;
  /** What was sent, as JSON, with POST. */
  readonly content: unknown;
}

/** A response that goes on after its head. */
export type Stream = (response: ServerResponse) => void;

/** What happens to the requests to one path with one method. A GET never changes anything. HEAD is served as GET is. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string | RegExp;
  /** Who may send it: `everybody` also those who reach OPERATIONS_HOST. `page` is for local users, by links too. */
  readonly audience?: 'everybody' | 'page';
  respond(request: OperationsRequest): Promise<PreparedResponse | Stream> | PreparedResponse | Stream;
}

/** How requests reach a server: through a Unix socket, or through TCP. */
export type Transport = 'socket' | 'tcp';

/** Routes that are served. */
export interface ServedRoutes {
  readonly listener: RequestListener;
  /** Resolves when no request is being processed. What is behind the routes may be closed then. */
  idle(): Promise<void>;
}

/** Serves routes. On TCP, connections that don't come from this machine's loopback address get those of everybody. */
export function serveRoutes(routes: readonly Route[], transport: Transport, logger: Logger): ServedRoutes {
  const running = new Set<Promise<void>>();
  const logFailure = throttledLog((fields) => logger.error(fields, 'a request of an operator failed'));
  const toFault = (error: unknown, url: string | undefined): PreparedResponse => {
    if (error instanceof RequestFault) {
      const { code, message, fields } = error;
      return jsonResponse(REQUEST_FAULTS[code], { code, message }, fields);
    }
    logFailure({ err: error, url });
    if (error instanceof ReceiverError) {
      const { code, message } = error;
      return jsonResponse(503, { code, message });
    }
    const message = 'The receiver failed to respond. Its log says why.';
    return jsonResponse(REQUEST_FAULTS.RECEIVER_FAILED, { code: 'RECEIVER_FAILED', message });
  };
  const listener: RequestListener = (request, response) => {
    const fault = messageFaultOf(request);
    if (fault !== undefined) return respondToFault(response, fault);
    // Content that no route reads is not parsed either. This must be known before the head's listener returns.
    if (request.method !== 'POST' && hasContent(request)) connectionOf(request.socket).stopParsing(request);
    let target: RoutedRequest;
    try {
      target = routeOf(request, routes, transport);
    } catch (error) {
      return respondRaw(response, toFault(error, request.url));
    }
    const processing = respondTo(request, target)
      .catch((error: unknown) => toFault(error, request.url))
      .then((outcome) => {
        if (typeof outcome === 'function') outcome(response);
        else respondRaw(response, outcome);
      })
      .catch((err: unknown) => {
        logFailure({ err, url: request.url });
        response.destroy();
      })
      .finally(() => running.delete(processing));
    running.add(processing);
  };
  const idle = async (): Promise<void> => {
    await Promise.all(running);
  };
  return { listener, idle };
}

/** A request, with the route that serves it. */
interface RoutedRequest extends Omit<OperationsRequest, 'content'> {
  readonly route: Route;
}

/** @throws RequestFault if nothing serves the request */
function routeOf(request: IncomingMessage, routes: readonly Route[], transport: Transport): RoutedRequest {
  const { socket, method = '', headers } = request;
  const { host, path, query } = targetOf(request);
  const isLocal = transport === 'socket' || isLoopback(socket);
  const here = routes.filter((route) => (isLocal || route.audience === 'everybody') && matches(route, path));
  if (isLocal) {
    if (transport === 'tcp') requireOwnHost(host, socket.localPort as number);
    requireOwnOrigin(
      headers,
      host,
      here.some(({ audience }) => audience === 'page'),
    );
  }
  if (here.length === 0) throw new RequestFault('UNKNOWN_PATH', 'There is nothing at this path.');
  const route = here.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (route === undefined) throw methodNotAllowed(here);
  const { groups = {} } = route.path instanceof RegExp ? (route.path.exec(path) as RegExpExecArray) : {};
  return { route, query: new URLSearchParams(query), parts: groups };
}

async function respondTo(
  request: IncomingMessage,
  { route, query, parts }: RoutedRequest,
): Promise<PreparedResponse | Stream> {
  const content = route.method === 'POST' ? await readJson(request) : undefined;
  return route.respond({ query, parts, content });
}

interface Target {
  readonly host: string | undefined;
  readonly path: string;
  readonly query: string;
}

/** What a request is for. An absolute target names the host, and `Host` then says nothing (RFC 9112 §3.2.2). */
function targetOf({ url = '', headers }: IncomingMessage): Target {
  const [, host, rest = ''] = /^http:\/\/([^/?]*)(.*)$/i.exec(url) ?? ['', headers.host, url];
  const [path, ...query] = rest.split('?');
  return { host, path: path || '/', query: query.join('?') };
}

function matches({ path }: Route, given: string): boolean {
  return typeof path === 'string' ? path === given : path.test(given);
}

function methodNotAllowed(routes: readonly Route[]): RequestFault {
  const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new RequestFault('METHOD_NOT_ALLOWED', `This path has ${allow}.`, { allow });
}
