import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN, message, POST, RIGHT } from '../support/messages.js';
import { ask } from '../support/operations.js';
import { plantInbox } from '../support/plant-inbox.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { spawnReceiver, startReceiver } from '../support/receiver.js';

/** Serves a target until the test ends. Returns its URL, with a query that has a secret. */
async function serve(
  respond: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/new?key=s3cret`;
}

describe('HANDLER is a module', () => {
  test('which runs without a build', async () => {
    const folder = makeFolder();
    const path = join(folder, 'handler.cjs');
    writeFileSync(
      path,
      `exports.default = ({ id }) => console.log('{"msg":"handled by CommonJS","id":' + id + '}');`,
    );
    const receiver = await startReceiver({ folder, settings: { HANDLER: pathToFileURL(path).href } });

    await sendAll(receiver, ['arbitrary']);

    expect(await receiver.process.logged('handled by CommonJS')).toMatchObject({ id: 1 });
  });

  // Node.js has the line only for an error that ends the process.
  test('which cannot be parsed: the receiver does not start, and says what shows the line', async () => {
    const path = join(makeFolder(), 'a handler.mjs');
    writeFileSync(path, 'export defautl () => {};');
    const HANDLER = pathToFileURL(path).href;
    const receiver = spawnReceiver({ settings: { HANDLER } });

    expect(await receiver.exit).toEqual({ code: 1, signal: null });
    expect(receiver.stderr).toMatch(/^The handler cannot start: Unexpected .+ \[HANDLER_UNUSABLE\]\n/);
    expect(receiver.stderr).toContain(`. Fix ${HANDLER}, or what it imports. [`);
    const [, command] = /^ {2}For the line: (.+)$/m.exec(receiver.stderr) ?? [];
    expect(spawnSync(command!, { shell: true, encoding: 'utf8' }).stderr).toContain(`${HANDLER}:1`);
  });
});

describe('HANDLER is a URL', () => {
  test('to which each delivery is forwarded as it came, without credentials', async () => {
    const got: { fields: string[]; content: Buffer }[] = [];
    const HANDLER = await serve(async (request, response) => {
      got.push({ fields: request.rawHeaders, content: await buffer(request) });
      response.writeHead(202).end();
    });
    const receiver = await startReceiver({ settings: { HANDLER } });
    const secrets = [
      'Cookie: a=secret',
      'Proxy-Authorization: Basic secret',
      'Connection: X-Secret',
      'X-Secret: 1',
    ];
    const content = '\0\xff{"a":1}';
    const connection = await openConnection(receiver.port);
    connection.write(message(POST, [RIGHT, ...secrets, 'Content-Type: text/plain', 'X-Any: \xfc'], content));
    expectResponse(await connection.response(), { status: 204 });
    await untilNothingWaits(receiver.inbox);
    await receiver.process.stop();

    const [{ fields, content: received }] = got as [(typeof got)[0]];
    expect(received.toString('latin1')).toBe(content);
    expect(fields.slice(0, 4)).toEqual(['Content-Type', 'text/plain', 'X-Any', '\xfc']);
    expect(fields.join()).not.toMatch(/secret/i);
    expect(fields.join()).not.toContain(ACCESS_TOKEN);
    expect(got).toHaveLength(1);
    // What the operator's URL has in its query may be a secret, too.
    expect(receiver.process.entries('listening')).toMatchObject([
      { handler: HANDLER.replace('?key=s3cret', '') },
    ]);
    expect(receiver.process.output).not.toContain('s3cret');
  });

  test('whose status stands in the history of the delivery, and nothing else that it responds', async () => {
    const HANDLER = await serve(({ url, rawHeaders }, response) =>
      response.writeHead(500).end(JSON.stringify([url, rawHeaders])),
    );
    const receiver = await startReceiver({ settings: { HANDLER, HANDLER_MAX_ATTEMPTS: '1' } });
    await sendAll(receiver, ['arbitrary']);
    await untilNothingWaits(receiver.inbox);

    const error = 'TargetResponse: the target responded with 500 Internal Server Error';
    expect(readInbox(receiver.inbox)).toMatchObject([{ state: 'parked', error }]);
    const { content } = await ask(receiver.inbox, '/deliveries/1');
    const { stdout } = await plantInbox('show', '1', '--inbox', receiver.inbox);
    expect(stdout).toContain(error);
    expect(content + stdout + receiver.process.output).not.toContain('s3cret');
  });

  test('that hangs, until the attempt takes too long or the receiver stops', async () => {
    const closed: Promise<unknown>[] = [];
    const requests = new EventEmitter();
    const HANDLER = await serve(({ socket }) => {
      closed.push(once(socket, 'close'));
      requests.emit(`request ${closed.length}`);
    });
    const settings = {
      HANDLER,
      HANDLER_TIMEOUT_MS: '300',
      HANDLER_BACKOFF_MS: '1',
      SHUTDOWN_TIMEOUT_MS: '50',
    };
    const receiver = await startReceiver({ settings });
    const second = once(requests, 'request 2');
    await sendAll(receiver, ['arbitrary']);
    const { err } = await receiver.process.logged('attempt 1 of 12 failed; the delivery comes again');
    await second;
    await receiver.process.stop();

    expect(err).toMatchObject({ message: 'the handler took longer than 300 ms' });
    await Promise.all(closed);
  });
});
