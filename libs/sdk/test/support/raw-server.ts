import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterThisTest } from '@plant-store/test-support';

/** A request as its bytes arrived. */
export interface RawRequest {
  /** The request line. */
  readonly line: string;
  /** The header lines, as they came. */
  readonly headers: readonly string[];
  readonly content: Buffer;
  readonly socket: Socket;
}

export interface RawServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Every whole request that arrived, on any connection. */
  readonly requests: RawRequest[];
  /** Resolves with the request of that number, counted from 0, once it is whole. */
  request(index: number): Promise<RawRequest>;
}

/** Responds with 204 and keeps the connection open. */
export const acknowledge = ({ socket }: RawRequest): void =>
  void socket.write('HTTP/1.1 204 No Content\r\n\r\n');

/** Never responds. */
export const staySilent = (): void => {};

/** Responds with exactly these bytes. */
export function respondWith(bytes: string | Uint8Array): (request: RawRequest) => void {
  return ({ socket }) => void socket.write(bytes);
}

/** Responds with a status and no content. */
export function respond(status: number): (request: RawRequest) => void {
  return respondWith(`HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 0\r\n\r\n`);
}

/** Breaks the connection. */
export const breakOff = ({ socket }: RawRequest): void => void socket.destroy();

/** Handles the first request with the first handler, and so on. The last handler gets all further requests. */
export function inTurn(
  ...handlers: readonly ((request: RawRequest) => void)[]
): (request: RawRequest, index: number) => void {
  return (request, index) => handlers[Math.min(index, handlers.length - 1)]!(request);
}

/** The contents of requests, as text. */
export function textsOf({ requests }: Pick<RawServer, 'requests'>): string[] {
  return requests.map(({ content }) => content.toString());
}

/** The header fields of a request by their names. */
export function fieldsOf({ headers }: RawRequest): Record<string, string> {
  return Object.fromEntries(headers.map((header) => header.split(/: (.*)/).slice(0, 2) as [string, string]));
}

/** Resolves once a socket is closed, whether by an error or not. */
export function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Starts a TCP server on a free loopback port. It gets requests as bytes, and ends with the test. */
export async function startRawServer(
  handle: (request: RawRequest, index: number) => void,
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const request = parseWhole(received, socket);
      if (request === undefined) return;
      received = Buffer.alloc(0);
      requests.push(request);
      server.emit('request', request);
      handle(request, requests.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const request = async (index: number): Promise<RawRequest> => {
    while (requests.length <= index) await once(server, 'request');
    return requests[index]!;
  };
  return { url: `http://127.0.0.1:${port}`, port, server, requests, request };
}

function parseWhole(received: Buffer, socket: Socket): RawRequest | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line, ...headers] = received.toString('latin1', 0, end).split('\r\n') as [string, ...string[]];
  const length = headers.find((header) => /^content-length:/i.test(header))?.split(':')[1] ?? '0';
  const content = received.subarray(end + 4);
  return content.byteLength < Number(length) ? undefined : { line, headers, content, socket };
}
