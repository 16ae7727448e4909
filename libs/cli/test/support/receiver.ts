import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterThisTest } from '@plant-store/test-support';

/** A request that arrived whole. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly content: string;
}

export interface Receiver {
  readonly url: string;
  readonly requests: readonly Received[];
  /** How often each content was acknowledged. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Resolves once so many requests have come. */
  whenReceived(count: number): Promise<void>;
}

/** What the receiver responds with, or `undefined` for nothing. */
export type Respond = (request: Received, number: number) => number | undefined | Promise<number>;

/**
 * Starts a receiver on a free loopback port. It ends with the test.
 *
 * @param respond The status of the response to the request of that number, from 1.
 * @param listen Makes the server, if it isn't one of plain HTTP.
 */
export async function startReceiver(
  respond: Respond = () => 204,
  listen: (handle: RequestListener) => Server = (handle) => createServer(handle),
): Promise<Receiver> {
  const requests: Received[] = [];
  const acknowledged = new Map<string, number>();
  const server = listen((request, response) => {
    void text(request).then(
      async (content) => {
        const { method = '', url = '', headers } = request;
        const received = { method, url, headers, content };
        requests.push(received);
        const responding = respond(received, requests.length);
        server.emit('received');
        const status = await responding;
        if (status === 204) acknowledged.set(content, (acknowledged.get(content) ?? 0) + 1);
        if (status !== undefined) response.writeHead(status).end();
      },
      () => {},
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    acknowledged,
    async whenReceived(count) {
      while (requests.length < count) await once(server, 'received');
    },
  };
}

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** The certificate of a receiver on loopback, and its key. */
export const loopbackTls = {
  cert: readFileSync(fixture('loopback.crt')),
  key: readFileSync(fixture('loopback.key')),
};

/** A receiver with TLS, by the name that its certificate has. */
export async function startTlsReceiver(): Promise<Receiver> {
  const receiver = await startReceiver(undefined, (handle) => createTlsServer(loopbackTls, handle));
  return { ...receiver, url: receiver.url.replace('http:', 'https:') };
}
