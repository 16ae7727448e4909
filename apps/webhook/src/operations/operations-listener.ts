import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ReceiverError } from '../errors.js';
import type { Document, Documents } from './documents.js';

/** Only this machine can connect. */
const HOST = '127.0.0.1';

/** A listener for people who run the receiver. Nothing of it belongs to the interface. */
export interface OperationsListener {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves documents on the loopback address, and nothing else.
 *
 * @param port 0 lets the system choose
 * @throws ReceiverError `ADDRESS_UNAVAILABLE`
 */
export async function startOperationsListener(
  documents: Documents,
  port: number,
): Promise<OperationsListener> {
  const server = createServer((request, response) => respond(request, response, documents));
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `The receiver cannot listen on ${HOST}:${port}: ${(cause as Error).message}. Set OPERATIONS_PORT to a free port; 0 lets the system choose.`,
      { cause },
    );
  }
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function respond(request: IncomingMessage, response: ServerResponse, documents: Documents): void {
  const [path = ''] = (request.url ?? '').split('?');
  const document = documents.get(path);
  if (document === undefined) return refuse(response, 404);
  if (request.method === 'GET' || request.method === 'HEAD') return send(response, document);
  response.setHeader('Allow', 'GET, HEAD');
  refuse(response, 405);
}

/** Node leaves the content out of the response to a HEAD. */
function send(response: ServerResponse, { mediaType, content, contentSecurityPolicy }: Document): void {
  response.writeHead(200, {
    'Content-Type': mediaType,
    'Content-Length': content.length,
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  });
  response.end(content);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 });
  response.end();
}
