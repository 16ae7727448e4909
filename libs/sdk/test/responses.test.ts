import type { Socket } from 'node:net';
import { ResponseReader } from '../src/delivery/response.js';
import { NotAcknowledgedError } from '../src/index.js';
import { useClocks } from './support/clocks.js';
import { respondWith, closing, startRawServer } from './support/raw-server.js';
import { responseHeads } from './support/response-heads.js';
import { accessToken, arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

const response = (status: number, content = ''): string =>
  `HTTP/1.1 ${status} Arbitrary\r\nX-Twice: a\r\nX-Twice: b\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

/** Writes each piece once the one before it was written. */
function writePieces(socket: Socket, [piece, ...others]: readonly string[]): void {
  if (piece !== undefined) socket.write(piece, () => setImmediate(() => writePieces(socket, others)));
}

describe('a response', () => {
  test('acknowledges the delivery with every 2xx, and with no other status', () => {
    const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
    const reader = new ResponseReader({});
    expect(statuses.filter((status) => reader.acknowledges(status))).toEqual(statuses.slice(0, 100));
  });

  test.each([200, 299])('with %i acknowledges the delivery', async (status) => {
    const { url } = await startRawServer(respondWith(response(status, 'thanks')));

    expect(await openTestSender({ baseUrl: url }).send(arbitrary)).toEqual({
      status,
      headers: { 'x-twice': ['a', 'b'], 'content-length': '6' },
      content: new Uint8Array(Buffer.from('thanks')),
      truncated: false,
    });
  });

  test.each([
    ['alone', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['with header fields', 'HTTP/1.1 100 Continue\r\nX-A: 100\r\n\r\n'],
    ['after another interim one', 'HTTP/1.1 103 x\r\n\r\nHTTP/1.1 100 x\r\n\r\n'],
    ['in one piece with a final one', `HTTP/1.1 100 Continue\r\n\r\n${response(201)}`],
  ])('100 Continue that nobody asked for leaves unknown what became of it: %s', async (_, text) => {
    const { sender } = await openBoth(respondWith(text));

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_RESPONSE_UNREADABLE', outcome: 'unknown' });
    expect(error.message).toContain('responded with 100 Continue');
  });

  test.each([
    ['HTTP/0.9', ['HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n']],
    ['HTTP/2.0', ['HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n']],
    ['RTSP', ['RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n']],
    ['HTTP/2.0 after an empty line', ['\r\nHTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n']],
    ['HTTP/2.0, byte by byte', 'HTTP/2.0 204 x\r\n\r\n'.split('')],
    ['HTTP/2.0 after an interim one', [`HTTP/1.1 103 x\r\nX-A: b\r\n\r\nHTTP/2.0 204 x\r\n\r\n`]],
    [
      'HTTP/2.0 after an interim one, in pieces',
      ['HTTP/1.1 103 x\r\nX-A: b\r', '\n\r', '\nHTTP', '/2.0 204 x\r\n\r\n'],
    ],
  ])('a response of %s acknowledges nothing', async (_, pieces) => {
    const { sender } = await openBoth(({ socket }) => writePieces(socket, pieces));

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_RESPONSE_UNREADABLE',
      outcome: 'unknown',
    });
  });

  test.each([
    ['HTTP/1.0', ['HTTP/1.0 204 x\r\n\r\n']],
    ['HTTP/1.1, byte by byte', 'HTTP/1.1 103 x\r\nX-A: b\r\n\r\nHTTP/1.1 204 x\r\n\r\n'.split('')],
    ['HTTP/1.1 after an empty line', ['\r\nHTTP/1.1 204 x\r\n\r\n']],
  ])('a response of %s acknowledges the delivery', async (_, pieces) => {
    const { sender } = await openBoth(({ socket }) => writePieces(socket, pieces));

    expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
  });

  test.each([300, 304, 400, 599])('with %i does not acknowledge the delivery', async (status) => {
    const content = status === 304 ? '' : 'no thanks';
    const { url } = await startRawServer(respondWith(response(status, content)));

    const error = await rejection(openTestSender({ baseUrl: url }).send(arbitrary));

    expect(error).toBeInstanceOf(NotAcknowledgedError);
    expect(error).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'responded',
      status,
      truncated: false,
    });
    const { headers, content: received } = error as NotAcknowledgedError;
    expect(headers['x-twice']).toEqual(['a', 'b']);
    expect(Buffer.from(received).toString()).toBe(content);
  });

  test.each([502, 504])('of a gateway, with %i, leaves unknown whether it was accepted', async (status) => {
    const { url } = await startRawServer(respondWith(response(status, 'no answer')));

    const error = await rejection(openTestSender({ baseUrl: url }).send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_NOT_ACKNOWLEDGED', outcome: 'unknown', status });
    expect(Buffer.from((error as NotAcknowledgedError).content).toString()).toBe('no answer');
  });

  test.each([
    [405, 'Allow: PUT, PATCH', '405 (Allow: PUT, PATCH)'],
    [405, 'Allow: PUT\r\nALLOW: PATCH', '405 (Allow: PUT, PATCH)'],
    [405, 'Allow:', '405'],
    [
      401,
      'WWW-Authenticate: Bearer error="invalid_token"',
      '401 (WWW-Authenticate: Bearer error="invalid_token")',
    ],
    [407, 'Proxy-Authenticate: Basic realm="a"', '407 (Proxy-Authenticate: Basic realm="a")'],
    [
      415,
      'Accept-Encoding: identity\r\nAccept: text/csv',
      '415 (Accept: text/csv; Accept-Encoding: identity)',
    ],
    [415, 'Accept-Post: text/csv\r\nAccept-Patch: a/b', '415 (Accept-Patch: a/b; Accept-Post: text/csv)'],
    [429, 'Retry-After: 120', '429 (Retry-After: 120)'],
    [503, 'Retry-After: Tue, 24 Nov 2026 09:30:00 GMT', '503 (Retry-After: Tue, 24 Nov 2026 09:30:00 GMT)'],
    [308, 'Location: https://example.com/a', '308 (Location: https://example.com/a)'],
    [307, 'Location: https://user:a@b@example.com/a?code=b#c', '307 (Location: https://example.com/a)'],
    [302, 'Location: /a;b?code=c', '302 (Location: /a;b)'],
    [
      302,
      `Location: /a/${encodeURIComponent(accessToken)}/${Buffer.from(accessToken).toString('base64')}`,
      '302 (Location: /a/<ACCESS_TOKEN>/<ACCESS_TOKEN>)',
    ],
    [426, 'Upgrade: TLS/1.3', '426 (Upgrade: TLS/1.3)'],
    [404, 'Upgrade: h2c\r\nServer: arbitrary', '404'],
    [
      401,
      `WWW-Authenticate: Bearer realm="${accessToken}"`,
      '401 (WWW-Authenticate: Bearer realm="<ACCESS_TOKEN>")',
    ],
    [405, `Allow: ${accessToken.repeat(2)}`, '405 (Allow: <ACCESS_TOKEN><ACCESS_TOKEN>)'],
    [405, 'Allow: A\tB\u00ad', String.raw`405 (Allow: A\u0009B\u00ad)`],
    [405, `Allow: ${'A'.repeat(300)}`, `405 (Allow: ${'A'.repeat(200)}…)`],
  ])('with %i says in the message what to do: %s', async (status, fields, told) => {
    const text = `HTTP/1.1 ${status} Arbitrary\r\n${fields}\r\nContent-Length: 0\r\n\r\n`;
    const { url } = await startRawServer(({ socket }) => socket.end(text, 'latin1'));

    const error = await rejection(openTestSender({ baseUrl: url }).send(arbitrary));

    expect(error.message).toBe(
      `${url}/plant/webhook responded with ${told}, which does not acknowledge the delivery.`,
    );
  });

  test.each([302, 308])('with %i and a Location is not followed', async (status) => {
    const redirection = `HTTP/1.1 ${status} Arbitrary\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n`;
    const server = await startRawServer(respondWith(redirection));

    const error = await rejection(openTestSender({ baseUrl: server.url }).send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_NOT_ACKNOWLEDGED', status });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['102', ['HTTP/1.1 102 Processing\r\n\r\n']],
  ['103, twice', Array(2).fill('HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n')],
  ['110', ['HTTP/1.1 110 Arbitrary\r\n\r\n']],
])('an interim response is skipped (RFC 9110 §15.2): %s', async (_, interim) => {
  const { server, sender } = await openBoth(respondWith(interim.join('') + response(200, 'thanks')), {
    maxConnections: 1,
  });

  for (const { headers, content } of [await sender.send(arbitrary), await sender.send(arbitrary)]) {
    expect(headers).toEqual({ 'x-twice': ['a', 'b'], 'content-length': '6' });
    expect(Buffer.from(content).toString()).toBe('thanks');
  }
  expect(server.requests[1]!.socket).toBe(server.requests[0]!.socket);
});

describe('the limit on a response', () => {
  test.each([
    { maxResponseBytes: 6, content: 'thanks', kept: 'thanks', truncated: false },
    { maxResponseBytes: 5, content: 'thanks', kept: 'thank', truncated: true },
    { maxResponseBytes: 0, content: 'thanks', kept: '', truncated: true },
    { maxResponseBytes: 0, content: '', kept: '', truncated: false },
  ])('$maxResponseBytes of $content keeps $kept', async ({ maxResponseBytes, content, kept, truncated }) => {
    const { url } = await startRawServer(respondWith(response(200, content)));

    const acknowledgement = await openTestSender({ baseUrl: url, maxResponseBytes }).send(arbitrary);

    expect(Buffer.from(acknowledgement.content).toString()).toBe(kept);
    expect(acknowledgement.truncated).toBe(truncated);
  });

  test('is 64 KiB by default; the connection of a receiver that sends more is closed', async () => {
    const server = await startRawServer(({ socket }) => {
      socket.write('HTTP/1.1 500 Arbitrary\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
      const goOn = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', goOn);
      goOn();
    });

    const sent = rejection(openTestSender({ baseUrl: server.url }).send(arbitrary));
    const { socket } = await server.request(0);
    const closed = closing(socket);

    const error = (await sent) as NotAcknowledgedError;
    expect(error).toMatchObject({ outcome: 'responded', status: 500, truncated: true });
    expect(error.content).toHaveLength(65_536);
    await closed;
  });
});

describe('once status and header fields have arrived, the status decides', () => {
  const begun = (status: number): string =>
    `HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 100\r\n\r\nonly the beginning`;

  test('if the connection closes in the content of a 2xx', async () => {
    const { url } = await startRawServer(({ socket }) => socket.end(begun(200)));

    const acknowledgement = await openTestSender({ baseUrl: url }).send(arbitrary);

    expect(acknowledgement).toMatchObject({ status: 200, truncated: true });
    expect(Buffer.from(acknowledgement.content).toString()).toBe('only the beginning');
  });

  test('if the connection closes in the content of another status', async () => {
    const { url } = await startRawServer(({ socket }) => socket.end(begun(500)));

    expect(await rejection(openTestSender({ baseUrl: url }).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'responded',
      status: 500,
      truncated: true,
    });
  });

  test('if a connection is reset in content without length', async () => {
    const { server, sender } = await openBoth(
      ({ socket }, index) => {
        if (index === 0) socket.write('HTTP/1.1 200 Arbitrary\r\n\r\nhalf');
        else socket.end('HTTP/1.1 200 Arbitrary\r\n\r\nwhole');
      },
      { maxConnections: 1 },
    );

    const sent = sender.send(arbitrary);
    await responseHeads();
    server.requests[0]!.socket.resetAndDestroy();

    expect(await sent).toMatchObject({ status: 200, truncated: true });
    expect(Buffer.from((await sent).content).toString()).toBe('half');
    expect(await sender.send(arbitrary)).toMatchObject({ truncated: false });
  });

  test('content without length ends with the connection', async () => {
    const { url } = await startRawServer(({ socket }) => socket.end('HTTP/1.1 200 Arbitrary\r\n\r\nwhole'));

    expect(await openTestSender({ baseUrl: url }).send(arbitrary)).toMatchObject({
      content: new Uint8Array(Buffer.from('whole')),
      truncated: false,
    });
  });

  test.each(['attemptTimeout', 'totalTimeout'])('if %s runs out in the content', async (clock) => {
    const { sender } = await openBoth(({ socket }, index) => socket.write(begun(index === 0 ? 200 : 500)), {
      [clock]: 10_000,
    });
    const { runOut } = useClocks(10_000);

    for (const status of [200, 500]) {
      const sent = sender.send(arbitrary).catch((error: unknown) => error);
      await responseHeads();
      runOut();
      expect(await sent).toMatchObject({ status, truncated: true });
    }
  });
});
