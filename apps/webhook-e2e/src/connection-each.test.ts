import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { lockInbox, readInbox, transactionsOf } from '../support/inbox.js';
import { delivery, message, POST, RIGHT } from '../support/messages.js';
import { startReceiver } from '../support/receiver.js';

const SENDERS = 60;

test('deliveries on a connection each that arrive during a commit are committed together', async () => {
  const { port, inbox } = await startReceiver();
  const first = await openConnection(port);
  const before = transactionsOf(inbox);

  const unlock = lockInbox(inbox);
  await first.writeAll(Buffer.from(delivery()));
  const connections = await Promise.all(Array.from({ length: SENDERS }, () => openConnection(port)));
  const request = Buffer.from(message(POST, [RIGHT, 'Connection: close']));
  await Promise.all(connections.map((connection) => connection.writeAll(request)));
  unlock();

  for (const connection of connections)
    expectResponse(await connection.response(), { status: 204, closes: true });
  await first.response();
  expect(readInbox(inbox)).toHaveLength(SENDERS + 1);
  expect(transactionsOf(inbox) - before).toBeLessThan(SENDERS / 2);
});
