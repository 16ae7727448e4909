import { CONTENT_METHODS, facts } from '@plant-store/contract';
import { bytes, json } from '../src/index.js';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openTestSender, openBoth } from './support/senders.js';

type Sender = ReturnType<typeof openTestSender>;

describe('what goes over the wire', () => {
  test.each(CONTENT_METHODS)(
    '%s: the request has exactly this line, these headers and this content',
    async (method) => {
      const { server, sender } = await openBoth(acknowledge, { method, encode: bytes('text/plain') });

      await sender.send(arbitrary);

      const { line, headers, content } = await server.request(0);
      expect(line).toBe(`${method} ${facts.DELIVERY_PATH} HTTP/1.1`);
      expect(headers).toEqual([
        `host: 127.0.0.1:${server.port}`,
        'connection: keep-alive',
        `authorization: Bearer ${accessToken}`,
        'content-type: text/plain',
        `content-length: ${arbitrary.length}`,
      ]);
      expect(content.toString()).toBe(arbitrary);
    },
  );

  test.each<[string, (sender: Sender) => Promise<unknown>]>([
    ['send', (sender) => sender.send(arbitrary)],
    [
      'sendEncoded',
      (sender) => sender.sendEncoded({ content: Buffer.from(arbitrary), mediaType: 'text/plain' }),
    ],
  ])('%s: every request has these headers, whatever the responses before it had', async (_, send) => {
    const fields = 'Set-Cookie: a=b\r\nETag: "a"\r\nLocation: /a\r\nRetry-After: 0\r\nContent-Length: 0';
    const server = await startRawServer(({ socket }, index) => {
      socket.write(`HTTP/1.1 ${index === 0 ? 503 : 200} Arbitrary\r\n${fields}\r\n\r\n`);
    });
    const retry = { delays: [1], statuses: [503], withoutResponse: false };
    const sender = openTestSender({ baseUrl: server.url, encode: bytes('text/plain'), retry });

    await send(sender);
    await send(sender);

    const want = [
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-type: text/plain',
      `content-length: ${arbitrary.length}`,
    ];
    expect(server.requests.map(({ headers }) => headers)).toEqual([want, want, want]);
  });

  test('every byte of the content arrives unchanged', async () => {
    const server = await startRawServer(acknowledge);
    const content = Uint8Array.from({ length: 2_000_000 }, (_, index) => index % 256);

    await openTestSender({ baseUrl: server.url }).send(content);

    const request = await server.request(0);
    expect(request.content.equals(content)).toBe(true);
    expect(request.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-length: 2000000',
    ]);
  });

  test.each([
    ['at once', 0],
    ['between two attempts', 1],
    ['while the delivery waits for a connection', 2],
  ])('bytes are sent as they were, if the caller changes them %s', async (_, index) => {
    const server = await startRawServer(({ socket }, count) => {
      if (count === index) content.fill('y');
      socket.write(`HTTP/1.1 ${count === 1 ? 503 : 204} Arbitrary\r\nContent-Length: 0\r\n\r\n`);
    });
    const retry = { delays: [1, 1], statuses: 'all', withoutResponse: true } as const;
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1, retry });
    const content = Buffer.alloc(2_000_000, 'x');

    const sent = [sender.send('arbitrary'), sender.send(content)];
    if (index === 0) content.fill('y');
    await Promise.all(sent);

    const received = server.requests.slice(1).map((request) => request.content);
    expect(received).toHaveLength(2);
    for (const bytes of received) expect(bytes.equals(Buffer.alloc(2_000_000, 'x'))).toBe(true);
  });

  test('text is sent as UTF-8, json as JSON', async () => {
    const server = await startRawServer(acknowledge);
    const plant = { arbitrary: 'ä€😀' };

    await openTestSender({ baseUrl: server.url, encode: () => json(plant) }).send(arbitrary);

    const { headers, content } = await server.request(0);
    expect(headers).toContain('content-type: application/json');
    expect(JSON.parse(content.toString('utf8'))).toEqual(plant);
  });

  test.each([
    ['', '/plant/webhook'],
    ['/', '/plant/webhook'],
    ['/a', '/a/plant/webhook'],
    ['/a/', '/a/plant/webhook'],
    ['/a%20b/c', '/a%20b/c/plant/webhook'],
  ])('the delivery path is appended to the base address: %j', async (base, path) => {
    const server = await startRawServer(acknowledge);

    await openTestSender({ baseUrl: server.url + base }).send(arbitrary);

    expect((await server.request(0)).line).toBe(`POST ${path} HTTP/1.1`);
  });

  test('a connection is used again', async () => {
    const { server, sender } = await openBoth(acknowledge, { maxConnections: 1 });

    await sender.send(arbitrary);
    await sender.send(arbitrary);

    expect(server.requests[0]!.socket).toBe(server.requests[1]!.socket);
  });

  test('no more than maxConnections are open', async () => {
    const { server, sender } = await openBoth(acknowledge, { maxConnections: 2 });

    await Promise.all(Array.from({ length: 20 }, () => sender.send(arbitrary)));

    expect(server.requests).toHaveLength(20);
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(2);
  });
});
