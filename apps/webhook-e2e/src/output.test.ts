import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';
import { makeFolder } from '@plant-store/test-support';

import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN, CHUNKED, delivery, head, HOST, message, POST, RIGHT } from '../support/messages.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { Load, openSender } from '../support/sender.js';

const HANDLED = 'the handler gets a delivery';

test('no token is logged, even at level trace', async () => {
  const file = join(makeFolder(), 'tokens');
  writeFileSync(file, `${ACCESS_TOKEN}\n`);
  const receiver = await startReceiver({
    maxFileBlocks: 4_096,
    settings: {
      LOG_LEVEL: 'trace',
      ACCESS_TOKENS: '',
      ACCESS_TOKENS_FILE: file,
      REQUEST_TIMEOUT_MS: '500',
      SHUTDOWN_TIMEOUT_MS: '500',
      MAX_CONTENT_BYTES: '200000',
    },
  });
  // Almost the right token.
  const mistyped = `${ACCESS_TOKEN}=`;

  for (const given of [
    delivery(),
    message(POST, [`Authorization: Bearer ${mistyped}`]),
    message(POST, [`Authorization: Basic ${ACCESS_TOKEN}`]),
    message(POST, [`Authorization: Bearer ${ACCESS_TOKEN} ${ACCESS_TOKEN}`]),
    message(POST, [RIGHT, RIGHT]),
    message(`POST ${facts.DELIVERY_PATH}?access_token=${ACCESS_TOKEN} HTTP/1.1`, []),
    message(POST, [], `access_token=${ACCESS_TOKEN}`),
    head(`GET /${ACCESS_TOKEN} HTTP/1.1`, HOST, RIGHT),
    head(`GET /%zz${ACCESS_TOKEN} HTTP/1.1`, HOST, RIGHT),
    head(`DELETE ${facts.DELIVERY_PATH} HTTP/1.1`, HOST, RIGHT),
    head(POST, HOST, RIGHT),
    head(POST, HOST, RIGHT, 'Content-Length: 200001'),
    head(POST, HOST, RIGHT, CHUNKED) + head('zz'),
    head(POST, HOST, RIGHT, 'Content-Length: 10') + 'slow',
    head(RIGHT),
    head(POST, HOST, RIGHT, `a: ${'b'.repeat(20_000)}`),
  ]) {
    await (await send(receiver, given)).response();
  }
  writeFileSync(file, `${ACCESS_TOKEN}\n${ACCESS_TOKEN} ${ACCESS_TOKEN}\n`);
  await receiver.process.logged('access tokens not reloaded; those read last stay');
  const load = new Load();
  await load.send(openSender(receiver), 4, () => load.refused.size < 10);
  await receiver.process.logged('a delivery was not accepted');
  await send(receiver, head(POST, HOST, RIGHT, 'Content-Length: 10'));
  expect(await receiver.process.stop()).toMatchObject({ signal: null });

  expect(receiver.process.entries(HANDLED).length).toBeGreaterThan(0);
  expect(receiver.process.output).not.toContain(ACCESS_TOKEN);
});

test('at the default level no accepted delivery is logged', async () => {
  const receiver = await startReceiver();
  const load = new Load();
  let left = 500;

  await load.send(openSender(receiver), 8, () => left-- > 0);
  await receiver.process.stop();

  expect(load.acknowledged.size).toBe(500);
  expect(receiver.process.entries().map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    'info listening',
    'info stopping',
    'info stopped',
  ]);
  expect(receiver.process.stderr).toBe('');
});

test('at level debug the default handler logs each delivery once', async () => {
  const receiver = await startReceiver({ settings: { LOG_LEVEL: 'debug' } });
  const connection = await openConnection(receiver.port);
  const contents = ['a', 'bb', 'ccc'];

  for (const content of contents) {
    connection.write(message(POST, [RIGHT, 'Content-Type: arbitrary/type'], content));
    expectResponse(await connection.response(), { status: 204 });
  }
  await receiver.process.logged(HANDLED, contents.length);
  await receiver.process.stop();

  expect(receiver.process.entries(HANDLED)).toMatchObject([
    { level: 'debug', delivery: 1, method: 'POST', mediaType: 'arbitrary/type', bytes: 1 },
    { level: 'debug', delivery: 2, method: 'POST', mediaType: 'arbitrary/type', bytes: 2 },
    { level: 'debug', delivery: 3, method: 'POST', mediaType: 'arbitrary/type', bytes: 3 },
  ]);
  expect(readInbox(receiver.inbox).map(({ state }) => state)).toEqual(['handled', 'handled', 'handled']);
});

async function send({ port }: RunningReceiver, given: string): Promise<Connection> {
  const connection = await openConnection(port);
  connection.write(given);
  return connection;
}
