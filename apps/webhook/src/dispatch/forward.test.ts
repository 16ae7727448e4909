import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';

import { afterThisTest, freePort } from '@plant-store/test-support';
import type { Attempt, Delivery } from '@plant-store/handler';

import { recordLog } from '../../test/record-log.js';
import { errorText } from '../logging/describe-error.js';
import { RunningAttempt } from './attempt.js';
import { forwardTo, TargetResponse } from './forward.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Listens until the test ends. Returns its URL. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function serve(respond: Respond): Promise<string> {
  const server = createServer((request, response) => void respond(request, response));
  afterThisTest(() => server.closeAllConnections());
  return listen(server);
}

/** A target that writes to the sockets itself. */
async function serveRaw(onData: (socket: Socket, head: string) => unknown): Promise<string> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined).on('data', (data) => void onData(socket, data.toString('latin1')));
      afterThisTest(() => socket.destroy());
    }),
  );
}

const KEY = '2f1c6a0e-5d0b-4f43-9a51-0c1f6f0d7b3e';

const deliveryWith = (given: Partial<Delivery> = {}): Delivery => ({
  ...{ id: 7, key: KEY, receivedAt: 1_000, startedAt: 2_000, attempts: 3, method: 'POST', mediaType: null },
  ...{ contentEncoding: null, eventId: null, fields: [], content: Buffer.from('arbitrary') },
  ...given,
});

const newAttempt = (): RunningAttempt =>
  new RunningAttempt({} as Delivery, { handle: () => undefined, logger: recordLog().logger });

/** Forwards one delivery. */
async function forward(
  target: string,
  given?: Partial<Delivery>,
  attempt: Attempt = newAttempt(),
): Promise<void> {
  const { handle, close } = forwardTo(target);
  afterThisTest(close);
  await handle(deliveryWith(given), attempt);
}

/** Forwards one that isn't handled. */
const failureOf = (...given: Parameters<typeof forward>): Promise<unknown> =>
  forward(...given).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a target gets', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'QUERY'])(
    'the bytes and the path of a %s',
    async (method) => {
      const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      let got: unknown[] = [];
      const url = await serve(async (request, response) => {
        got = [request.method, request.url, await buffer(request)];
        response.end();
      });

      await forward(`${url}new?key=a%20b#fragment`, { method, content });

      expect(got).toEqual([method, '/new?key=a%20b', content]);
    },
  );

  test('the header fields as they came, without those of the connection to the receiver, and ours', async () => {
    let fields: string[] = [];
    const url = await serve((request, response) => {
      fields = request.rawHeaders;
      response.writeHead(204).end();
    });
    const latin1 = Buffer.from('Grünland').toString('latin1');

    await forward(url, {
      fields: [
        ['Host', 'plants.example'],
        ['X-Any', 'one'],
        ['Content-Type', 'text/plain; charset=x'],
        ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
        ['x-any', latin1],
        ['Empty', ''],
        ['__proto__', 'a'],
        ['constructor', 'b'],
        ['Content-Length', '3'],
        ['Expect', '100-continue'],
        ['Accept-Encoding', 'gzip'],
        ['inbox-delivery', '1'],
        ['INBOX-ATTEMPT', '1'],
      ],
    });

    const { host } = new URL(url);
    expect(fields).toEqual([
      ...['X-Any', 'one', 'Content-Type', 'text/plain; charset=x'],
      ...[
        'traceparent',
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'x-any',
        latin1,
        'Empty',
        '',
        '__proto__',
        'a',
        'constructor',
        'b',
      ],
      ...['Inbox-Delivery', KEY, 'Inbox-Attempt', '3', 'Inbox-Received-At', '1970-01-01T00:00:01.000Z'],
      ...['Host', host, 'Content-Length', '9', 'Connection', 'keep-alive'],
    ]);
  });

  test('20 deliveries at a time', async () => {
    const waiting: ServerResponse[] = [];
    const url = await serve((_, response) => {
      if (waiting.push(response) === 20) for (const each of waiting) each.end();
    });
    const { handle, close } = forwardTo(url);
    afterThisTest(close);

    await Promise.all(Array.from({ length: 20 }, async () => handle(deliveryWith(), newAttempt())));
  });
});

describe('a delivery is handled', () => {
  test.each([200, 202, 204, 299])('by %i', async (status) => {
    await forward(await serve((_, response) => response.writeHead(status).end()));
  });

  test.each([
    ['after 100 that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'],
    [
      'after 102 and 103',
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    ],
    ['of lines that end with LF alone', 'HTTP/1.1 204 No Content\nA: b\n\n'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\narbitrary'],
    ['without a reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
    ['with one large field', `HTTP/1.1 204 No Content\r\nA: ${'a'.repeat(500_000)}\r\n\r\n`],
    ['with many fields', `HTTP/1.1 204 No Content\r\n${'A: arbitrary\r\n'.repeat(20_000)}\r\n`],
    [
      'in chunks with extensions',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a="b"\r\na\r\n0;c\r\nA: b\r\n\r\n',
    ],
  ])('by a response %s, and the request is sent once', async (_name, text) => {
    let requests = 0;
    const url = await serveRaw((socket) => {
      requests += 1;
      socket.end(text);
    });

    await forward(url);

    expect(requests).toBe(1);
  });

  test('by a status of 2xx whose content is large, of which not everything is read', async () => {
    let written = 0;
    let closed: Promise<unknown> | undefined;
    const url = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.on('error', () => undefined).on('close', resolve));
      const write = (): void => {
        written += 1;
        response.write(Buffer.alloc(65_536), (error) => error ?? write());
      };
      write();
    });

    await forward(url);

    await closed;
    expect(written).toBeGreaterThan(0);
  });

  test('by a status of 2xx whose content never ends, and which keeps no connection', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await serve((request, response) => {
      closed = once(request.socket, 'close');
      response.writeHead(200).write('beginning');
    });

    await forward(url);

    await closed;
  });

  test('after the target has closed a connection that was used again', async () => {
    const sockets = new Map<Socket, number>();
    const url = await serveRaw((socket) => {
      sockets.set(socket, (sockets.get(socket) ?? 0) + 1);
      if (sockets.get(socket) === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      else socket.resetAndDestroy();
    });
    const { handle, close } = forwardTo(url);
    afterThisTest(close);

    for (let sent = 0; sent < 3; sent += 1) await handle(deliveryWith(), newAttempt());

    expect([...sockets.values()]).toEqual([2, 2, 1]);
  });
});

test('a connection that is too old is not used again, so that a target that moved is found', async () => {
  const sockets = new Set<Socket>();
  const url = await serve(({ socket }, response) => {
    sockets.add(socket);
    response.writeHead(204).end();
  });
  const { handle, close } = forwardTo(url, undefined, 0);
  afterThisTest(close);

  for (let sent = 0; sent < 2; sent += 1) await handle(deliveryWith(), newAttempt());

  expect(sockets.size).toBe(2);
});

describe('an attempt has failed', () => {
  test.each([
    [301, 'TargetResponse: the target responded with 301 Moved Permanently'],
    [404, 'TargetResponse: the target responded with 404 Not Found'],
    [599, 'TargetResponse: the target responded with 599'],
  ])('by %i, and no redirect is followed', async (status, text) => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(status, { location: '/other' }).end();
    });

    const error = await failureOf(url);

    expect(errorText(error)).toBe(text);
    expect(requests).toBe(1);
  });

  test('by a status, and nothing is kept of a response that quotes the request', async () => {
    const secret = 's3cret';
    const url = await serve(async (request, response) => {
      const quoted = JSON.stringify([request.url, request.rawHeaders, String(await buffer(request))]);
      response.writeHead(500, quoted, { 'content-type': `text/${secret}`, location: quoted }).end(quoted);
    });

    const error = await failureOf(`${url}?key=${secret}`, {
      fields: [['X-Any', secret]],
      content: Buffer.from(secret),
    });

    const log = recordLog();
    log.logger.error({ err: error }, 'arbitrary');
    expect(log.text() + inspect(error, { depth: Infinity, showHidden: true })).not.toContain(secret);
  });

  test.each([
    ['is cut', 'HTTP/1.1 204 No Content\r\nA: b\r\n'],
    ['is none', '204 s3cret\r\n\r\n'],
    ['is of no known version', 'HTTP/5.6 204 s3cret\r\n\r\n'],
    ['has a line without a colon', 'HTTP/1.1 204 No Content\r\ns3cret\r\n\r\n'],
    ['switches protocols', 'HTTP/1.1 101 s3cret\r\nConnection: upgrade\r\nUpgrade: s3cret\r\n\r\n'],
    ['is informational', 'HTTP/1.1 103 s3cret\r\n\r\n'],
  ])('by a response whose head %s, and nothing is kept of it', async (_name, head) => {
    const url = await serveRaw((socket) => socket.end(head));

    const error = await failureOf(url);

    const log = recordLog();
    log.logger.error({ err: error }, 'arbitrary');
    expect(error).toBeDefined();
    expect(log.text()).not.toContain('s3cret');
  });

  test.each([
    ['stops', (response: ServerResponse) => response.writeHead(503, { 'retry-after': '7' }).write('busy')],
    [
      'breaks off',
      (response: ServerResponse) =>
        response
          .writeHead(503, { 'retry-after': '7', 'content-length': 9 })
          .write('busy', () => response.destroy()),
    ],
  ])('by a status with a content that %s', async (_name, respond) => {
    const error = await failureOf(await serve((_request, response) => respond(response)));

    expect(errorText(error)).toBe('TargetResponse: the target responded with 503 Service Unavailable');
    expect(TargetResponse.retryAfter(error)).toBe(7_000);
  });

  test('if nobody listens at any address of the name', async () => {
    expect(errorText(await failureOf(`http://localhost:${await freePort()}`))).toContain(
      'connect ECONNREFUSED',
    );
  });

  test('if the target closes each connection', async () => {
    let connections = 0;
    const url = await serveRaw((socket) => {
      connections += 1;
      socket.destroy();
    });

    expect(errorText(await failureOf(url))).toBe('Error: socket hang up');
    expect(connections).toBe(2);
  });

  test('if the target speaks no TLS, or no HTTP', async () => {
    const url = await serveRaw((socket) => socket.end('arbitrary\r\n'));

    expect(errorText(await failureOf(url.replace('http:', 'https:')))).toMatch(/^Error: .*(?:SSL|TLS|tls)/);
    expect(errorText(await failureOf(url))).toMatch(/^Error: Parse Error: /);
  });

  test('if it is aborted while the target hangs, with the reason', async () => {
    const attempt = newAttempt();
    const closed: Promise<unknown>[] = [];
    const url = await serve((request) => {
      closed.push(once(request.socket, 'close'));
      attempt.abort('the handler took longer than 1 ms');
    });

    expect(errorText(await failureOf(url, {}, attempt))).toBe('Error: the handler took longer than 1 ms');
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });
});

test('the fields of a trace are put into those of the delivery', async () => {
  let fields: string[] = [];
  const url = await serve((request, response) => {
    fields = request.rawHeaders;
    response.end();
  });
  const { handle, close } = forwardTo(url, (given) => [['traceparent', 'arbitrary'], ...given.slice(1)]);
  afterThisTest(close);
  await handle(deliveryWith({ fields: [['traceparent', 'of the sender']] }), newAttempt());

  expect(fields.slice(0, 3)).toEqual(['traceparent', 'arbitrary', 'Inbox-Delivery']);
});

test('a second response to one request does not count for the next', async () => {
  const url = await serveRaw((socket, head) =>
    socket.write(
      head.startsWith('PUT')
        ? 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'
        : 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
    ),
  );
  const { handle, close } = forwardTo(url);
  afterThisTest(close);
  await handle(deliveryWith({ method: 'PUT' }), newAttempt());

  await expect(handle(deliveryWith(), newAttempt())).rejects.toThrow('500');
});
