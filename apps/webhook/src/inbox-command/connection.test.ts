import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { openSocketAddress } from '../operations/socket-address.js';
import { isServed, operationsOf } from './connection.js';

/** A server on a socket. */
async function listen(respond: RequestListener): Promise<{ path: string; connections: () => number }> {
  const { path } = openSocketAddress(makeFolder());
  let count = 0;
  const server = createServer(respond).on('connection', () => (count += 1));
  afterThisTest(() => server.close());
  await once(server.listen(path), 'listening');
  return { path, connections: () => count };
}

test('each request has a connection of its own, because a kept one may be closed meanwhile', async () => {
  const { path, connections } = await listen((_request, response) => response.end('{}'));

  for (let time = 0; time < 2; time += 1) await operationsOf(path, 'arbitrary').stats();

  expect(connections()).toBe(2);
});

test('nobody listens where there is no socket, or where a receiver ends before it responds', async () => {
  const { path } = await listen((request) => request.socket.destroy());

  expect(await isServed(path)).toBe(false);
  expect(await isServed(openSocketAddress(makeFolder()).path)).toBe(false);
});

test.each([
  [503, 'INBOX_WRITE_FAILED', { code: 'INBOX_WRITE_FAILED', message: 'The disk is full.' }],
  [400, 'INBOX_UNUSABLE', { code: 'INVALID_QUERY', message: 'The disk is full.' }],
])('an error of the receiver keeps its message: %s', async (status, code, fault) => {
  const { path } = await listen((_request, response) =>
    response.writeHead(status).end(JSON.stringify(fault)),
  );

  await expect(operationsOf(path, 'arbitrary').count({ state: 'parked' })).rejects.toMatchObject({
    code,
    message: 'The disk is full.',
  });
});

test('an unknown delivery is undefined', async () => {
  const { path } = await listen((_request, response) =>
    response.writeHead(404).end('{"code":"UNKNOWN_DELIVERY","message":"arbitrary"}'),
  );

  expect(await operationsOf(path, 'arbitrary').find(1)).toBeUndefined();
});
