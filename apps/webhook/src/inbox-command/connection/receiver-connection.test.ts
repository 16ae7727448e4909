import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { inboxOperationsSuite } from '../../../test/inbox-operations.suite.js';
import { copyInbox } from '../../../test/copy-inbox.js';
import { recordLog } from '../../../test/record-log.js';
import type { Inbox } from '../../inbox/inbox.js';
import type { InboxOperations } from '../../inbox/inbox-operations.js';
import { openSqliteInbox } from '../../inbox/sqlite-inbox.js';
import { inboxRoutes } from '../../operations/inbox-routes.js';
import { startOperationsListener } from '../../operations/operations-listener.js';
import { openSocketAddress } from '../../operations/socket-address.js';
import { ReceiverConnection } from './receiver-connection.js';

const OPERATIONS: readonly (keyof InboxOperations)[] = [
  'list',
  'find',
  'read',
  'replay',
  'discard',
  'setPaused',
  'stats',
];

/** An inbox whose operations go through the socket of its receiver. */
async function openBehindSocket(folder: string): Promise<Inbox> {
  const inbox = openSqliteInbox(folder);
  const facts = { startedAt: 0, inbox: inbox.location };
  const listener = await startOperationsListener(
    inboxRoutes(inbox, facts, () => undefined),
    { port: 0, host: undefined, folder, requestTimeout: 30_000 },
    recordLog().logger,
  );
  const connection = new ReceiverConnection(openSocketAddress(folder), folder);
  const close = async (): Promise<void> => {
    connection.close();
    await listener.close();
    await inbox.close();
  };
  return new Proxy(inbox, {
    get(target, name) {
      if (name === 'close') return close;
      const owner = OPERATIONS.includes(name as keyof InboxOperations) ? connection : target;
      const value: unknown = Reflect.get(owner, name, owner);
      return typeof value === 'function' ? (value.bind(owner) as unknown) : value;
    },
  });
}

describe('an inbox behind the socket of its receiver', () => {
  inboxOperationsSuite({ open: openBehindSocket, crash: copyInbox });
});

test('each request has a connection of its own, because a kept one may be closed meanwhile', async () => {
  const address = openSocketAddress(makeFolder());
  let count = 0;
  const server = createServer((_request, response) => void response.end('{"deliveries":[]}'));
  server.on('connection', () => (count += 1)).listen(address.path);
  afterThisTest(() => server.close());
  await once(server, 'listening');
  const connection = new ReceiverConnection(address, 'arbitrary');

  for (let time = 0; time < 2; time += 1) await connection.list({}, { order: 'newest first', limit: 1 });

  connection.close();
  expect(count).toBe(2);
});

test('a receiver that ends before it responds does not listen', async () => {
  const address = openSocketAddress(makeFolder());
  const server = createServer().listen(address.path);
  server.on('connection', (socket) => socket.destroy());
  afterThisTest(() => server.close());
  await once(server, 'listening');
  const connection = new ReceiverConnection(address, 'arbitrary');
  afterThisTest(() => connection.close());

  expect(await connection.isOpen()).toBe(false);
});
