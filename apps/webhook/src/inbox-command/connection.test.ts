import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { openSocketAddress } from '../operations/socket-address.js';
import { type Connection, connectionTo, sendToReceiver } from './connection.js';

/** A connection to a server on a socket. */
async function connectTo(respond: RequestListener): Promise<{ connection: Connection; count: () => number }> {
  const { path } = openSocketAddress(makeFolder());
  let count = 0;
  const server = createServer(respond).on('connection', () => (count += 1));
  afterThisTest(() => server.close());
  await once(server.listen(path), 'listening');
  return { connection: connectionTo(sendToReceiver(path, 'arbitrary'), true), count: () => count };
}

test('each request has a connection of its own, because a kept one may be closed meanwhile', async () => {
  const { connection, count } = await connectTo((_request, response) => response.end('{}'));

  await connection.get('/stats');
  await connection.post('/handler/pause', {});

  expect(count()).toBe(2);
});

test.each<[string, RequestListener]>([
  ['does not respond', (request) => request.socket.destroy()],
  ['stops in the middle', (request, response) => response.write('{', () => request.socket.destroy())],
])('a receiver that %s', async (_name, respond) => {
  const { connection } = await connectTo(respond);

  await expect(connection.get('/stats')).rejects.toMatchObject({ code: 'INBOX_IN_USE' });
});

test.each([
  [503, { code: 'INBOX_WRITE_FAILED', message: 'The disk is full.' }, { code: 'INBOX_WRITE_FAILED' }],
  [404, { code: 'UNKNOWN_DELIVERY', message: 'The disk is full.' }, { name: 'CommandError', exitCode: 1 }],
])('an error of the receiver keeps its message: %s', async (status, fault, error) => {
  const { connection } = await connectTo((_request, response) =>
    response.writeHead(status).end(JSON.stringify(fault)),
  );

  await expect(connection.get('/stats')).rejects.toMatchObject({ ...error, message: fault.message });
});
