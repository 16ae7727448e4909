import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

import type { Reply, Way } from './ways.js';

/** Something that a sender connects to. */
export interface Listening {
  readonly origin: string;
  close(): void;
}

/** A network between a sender and a receiver: it holds back the end of the request, or the response. */
export async function openLine(
  to: string,
  { request = 0, response = 0 }: NonNullable<Way['slow']>,
): Promise<Listening> {
  const { port } = new URL(to);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    sockets.add(near).add(far);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    near.on('data', (chunk: Buffer) => {
      // The receiver's clock starts with the first bytes.
      far.write(chunk.subarray(0, 1));
      setTimeout(() => far.write(chunk.subarray(1)), request);
    });
    far.on('data', (chunk: Buffer) => setTimeout(() => near.write(chunk), response));
  });
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** A stand-in for a receiver, with one reply for each request. The last reply repeats. */
export async function openStandIn(replies: NonNullable<Way['standIn']>): Promise<Listening> {
  let count = 0;
  const server = createHttpServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      const reply = replies[Math.min(count, replies.length - 1)] as Reply | 'none';
      count += 1;
      if (reply === 'none') {
        incoming.socket.destroy();
        return;
      }
      const { status, mediaType, content } = reply;
      outgoing.writeHead(status, mediaType === undefined ? {} : { 'content-type': mediaType }).end(content);
    });
  });
  return listen(server, () => server.closeAllConnections());
}

async function listen(server: Server | HttpServer, disconnect: () => void): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      disconnect();
      server.close();
    },
  };
}
