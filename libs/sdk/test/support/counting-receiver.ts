import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterThisTest } from '@plant-store/test-support';

/** A receiver that counts how often each content came, and was acknowledged. It keeps the first 200 bytes of each. */
export interface CountingReceiver {
  readonly url: string;
  /** How often each content came. */
  readonly received: Map<string, number>;
  /** How often each content was acknowledged. */
  readonly acknowledged: Map<string, number>;
  /** Resolves once so many requests have come. */
  whenReceived(count: number): Promise<void>;
  /** Responds with 204 to the requests that are held, and to all others from now on. */
  release(): void;
}

/**
 * Starts a receiver on a free loopback port. It ends with the test.
 *
 * @param statusOf The status of the response to the content that came as this number, from 1; `undefined` holds it.
 */
export async function startCountingReceiver(
  statusOf: (content: string, number: number) => number | undefined = () => 204,
): Promise<CountingReceiver> {
  const received = new Map<string, number>();
  const acknowledged = new Map<string, number>();
  const held: (() => void)[] = [];
  let isReleased = false;
  let total = 0;
  const count = (counts: Map<string, number>, content: string): void =>
    void counts.set(content, (counts.get(content) ?? 0) + 1);
  const respond = (response: ServerResponse, content: string, status: number): void => {
    if (status === 204) count(acknowledged, content);
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => {
    void buffer(request).then(
      (bytes) => {
        const content = bytes.toString('latin1', 0, 200);
        count(received, content);
        total += 1;
        const status = isReleased ? 204 : statusOf(content, total);
        if (status !== undefined) respond(response, content, status);
        else held.push(() => respond(response, content, 204));
        server.emit('received');
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
    received,
    acknowledged,
    async whenReceived(wanted) {
      while (total < wanted) await once(server, 'received');
    },
    release() {
      isReleased = true;
      for (const each of held.splice(0)) each();
    },
  };
}
