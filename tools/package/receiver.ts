import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterThisTest } from '@plant-store/test-support';

/** A receiver that responds to everything with one status, and keeps the contents until the test ends. */
export async function startReceiver(status = 204): Promise<{ url: string; contents: string[] }> {
  const contents: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      contents.push(`${request.headers.authorization} ${content}`);
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, contents };
}
