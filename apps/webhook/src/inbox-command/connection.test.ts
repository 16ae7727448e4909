import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { copyInbox } from '../../test/copy-inbox.js';
import { Claims, openEmbedded, runSql } from '../../test/open-inbox.js';
import { plantInbox } from '../../test/run-plant-inbox.js';
import { fillInbox } from '../../test/serve-inbox.js';
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

test('an inbox that does not exist is not created', async () => {
  const missing = join(makeFolder(), 'inbox');

  expect(await plantInbox('list', '--inbox', missing)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: There is no inbox in ${missing}, or only its owner may read it. Run the command as the user of the receiver, and name its inbox with --inbox or INBOX_URL. [INBOX_UNUSABLE]\n`,
  });
  expect(existsSync(missing)).toBe(false);
});

test('an inbox of the version before is left as it is', async () => {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  await inbox.close();
  runSql(inbox.location, 'PRAGMA user_version = 10');

  expect(await plantInbox('list', '--inbox', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'has tables of version 10, which is too old. Run "plant-inbox export"',
    ) as string,
  });
  expect(readdirSync(folder)).not.toContain('inbox.sqlite.version-10');
});

test('a receiver that starts, stops, or does not listen on its socket', async () => {
  const folder = makeFolder();
  await openEmbedded(folder);

  expect(await plantInbox('list', '--inbox', folder)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-inbox: The inbox in ${folder} is in use, but no receiver responds on operations.sock there: no such file or directory. A receiver is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed. [INBOX_IN_USE]\n`,
  });
});

test('after a crash the inbox is opened, though its socket is there still', async () => {
  const { folder, inbox } = await fillInbox([['content']]);
  await Claims.begin(inbox).claim(1);
  const crashed = copyInbox(folder);
  writeFileSync(join(crashed, 'operations.sock'), '');

  expect(await plantInbox('stats', '--inbox', crashed)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^receiver {3}stopped\n.*\nwaiting {4}0\nrunning {4}1\n/) as string,
  });
});

test('a database that cannot be reached is said in words', async () => {
  expect(await plantInbox('list', '--inbox', 'postgres://127.0.0.1:1/name')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'plant-inbox: The inbox at postgres://127.0.0.1:1/name cannot be used: connection refused (127.0.0.1:1). Check that PostgreSQL runs, and the host and port in INBOX_URL. [INBOX_UNUSABLE]\n',
  });
});
