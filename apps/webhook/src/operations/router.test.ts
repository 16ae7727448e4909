import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ask, post } from '../../test/ask.js';
import { startListener } from '../../test/start-listener.js';
import { ReceiverError } from '../errors.js';
import { MAX_REQUEST_BYTES } from './request-content.js';
import { jsonResponse, textResponse } from './response.js';
import type { Route } from './router.js';

/** Routes that say what has reached them. */
function recordRoutes(): { readonly routes: readonly Route[]; readonly changes: unknown[] } {
  const changes: unknown[] = [];
  return {
    changes,
    routes: [
      { method: 'GET', path: '/', audience: 'page', respond: () => textResponse(200, 'page') },
      { method: 'GET', path: '/data', respond: () => jsonResponse(200, 'data') },
      {
        method: 'POST',
        path: '/data',
        respond({ content }) {
          changes.push(content);
          return jsonResponse(200, 'changed');
        },
      },
      {
        method: 'GET',
        path: '/unusable',
        respond: () => Promise.reject(new ReceiverError('INBOX_UNUSABLE', 'It cannot be read.')),
      },
      {
        method: 'GET',
        path: '/defect',
        respond: () => Promise.reject(new TypeError('arbitrary secret')),
      },
    ],
  };
}

const start = async (): Promise<{
  url: string;
  port: string;
  changes: unknown[];
  log: Awaited<ReturnType<typeof startListener>>['log'];
}> => {
  const { routes, changes } = recordRoutes();
  const { url, log } = await startListener(routes);
  return { url, port: new URL(url).port, changes, log };
};

/** Everything that is sent to a request with these lines, until the connection closes. */
async function responseTo(port: string, ...lines: readonly string[]): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

test.each([
  ['http://localhost:PORT/data', 'HTTP/1.1 200 '],
  ['HTTP://LOCALHOST:PORT/data?a=1', 'HTTP/1.1 200 '],
  ['http://localhost:PORT', 'HTTP/1.1 200 '],
  ['http://localhost:PORT?a=1', 'HTTP/1.1 200 '],
  ['http://localhost:PORT/none', 'HTTP/1.1 404 '],
])('the absolute target %s: %s', async (target, status) => {
  const { port } = await start();
  const line = `GET ${target.replace('PORT', port)} HTTP/1.1`;

  // Host says nothing beside such a target.
  expect(await responseTo(port, line, 'Host: another.example')).toMatch(status);
});

test.each([
  ['several Host fields', ['Host: localhost:PORT', 'Host: localhost:PORT'], '400'],
  ['a Host that is none', ['Host: localhost:PORT.evil.example'], '400'],
  ['an unknown transfer coding', ['Host: localhost:PORT', 'Transfer-Encoding: gzip, chunked'], '501'],
])('%s: a response without content', async (_name, fields, status) => {
  const { port } = await start();
  const response = await responseTo(
    port,
    'GET /data HTTP/1.1',
    ...fields.map((field) => field.replace('PORT', port)),
  );

  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(response).toMatch(/\r\n\r\n$/);
});

describe('DNS rebinding: a page points its own name to this machine, and its browser sends that name', () => {
  const foreign = [
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    '192.0.2.2:PORT',
    'localhost',
    '127.0.0.1:1',
    'localhost.:PORT',
    '[::2]:PORT',
    '0.0.0.0:PORT',
  ];

  test.each(foreign)('Host: %s gets 421, whatever it asks for', async (name) => {
    const { url, port, changes } = await start();
    const host = name.replace('PORT', port);

    for (const { fields, ...asked } of [
      { path: '/' },
      { path: '/data' },
      { path: '/none' },
      post('/data', {}, { origin: `http://${host}` }),
    ]) {
      const { status, json } = await ask(url, { ...asked, fields: { ...fields, host } });
      expect([status, json]).toEqual([
        421,
        { code: 'FOREIGN_HOST', message: expect.stringContaining(`127.0.0.1:${port}`) },
      ]);
    }
    expect(changes).toEqual([]);
  });

  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT'])(
    'Host: %s is this listener',
    async (name) => {
      const { url, port } = await start();
      const host = name.replace('PORT', port);

      expect((await ask(url, { path: '/data', fields: { host } })).status).toBe(200);
      expect((await ask(url, post('/data', {}, { host, origin: `http://${host}` }))).status).toBe(200);
    },
  );

  test('HTTP/1.0 without a Host gets 421', async () => {
    const { port } = await start();

    expect(await responseTo(port, 'GET /data HTTP/1.0')).toMatch('HTTP/1.1 421 ');
  });

  test('an absolute target with a foreign name gets 421, whatever Host says', async () => {
    const { port } = await start();
    const own = `Host: localhost:${port}`;

    for (const name of [`evil.example:${port}`, 'localhost', `a@localhost:${port}`, ''])
      expect(await responseTo(port, `GET http://${name}/data HTTP/1.1`, own)).toMatch('HTTP/1.1 421 ');
  });
});

describe('a page of another site', () => {
  test.each([
    'http://evil.example',
    'https://evil.example',
    'null',
    'http://localhost:1',
    'http://127.0.0.1',
    'file://',
    '',
  ])('POST with Origin %j gets 403 and changes nothing', async (origin) => {
    const { url, changes } = await start();
    const { status, json } = await ask(url, post('/data', {}, { origin }));

    expect([status, json]).toEqual([403, { code: 'FOREIGN_ORIGIN', message: expect.any(String) }]);
    expect(changes).toEqual([]);
  });

  test('its GET of data gets 403 too, and no response allows it to read', async () => {
    const { url, port } = await start();

    for (const fields of [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as const) {
      const response = await ask(url, { path: '/data', fields });
      expect(response.status).toBe(403);
      expect(response.fields['cross-origin-resource-policy']).toBe('same-origin');
      expect(response.fields).not.toHaveProperty('access-control-allow-origin');
    }
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    const response = await ask(url, { path: '/data', fields: own });
    expect(response.status).toBe(200);
    expect(response.fields).not.toHaveProperty('access-control-allow-origin');
  });

  test('its preflight is refused', async () => {
    const { url } = await start();
    const fields = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };

    expect((await ask(url, { method: 'OPTIONS', path: '/data', fields })).status).toBe(403);
  });

  test('its link to a page works', async () => {
    const { url } = await start();

    expect((await ask(url, { fields: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'application/jsonp',
    'text/plain; application/json',
    '',
  ])('what a form can send, %j, gets 415 and changes nothing', async (type) => {
    const { url, changes } = await start();
    const { status, json } = await ask(url, post('/data', {}, { 'content-type': type }));

    expect([status, json]).toEqual([
      415,
      { code: 'CONTENT_NOT_JSON', message: 'Content-Type must be application/json.' },
    ]);
    expect(changes).toEqual([]);
  });
});

describe('content', () => {
  test.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['Application/JSON; charset=utf-8', '{"a":"\u{1f333}"}', { a: '\u{1f333}' }],
    ['application/json', '', {}],
  ])('%s %j', async (type, content, want) => {
    const { url, changes } = await start();
    const asked = { method: 'POST', path: '/data', fields: { 'content-type': type }, content };

    expect((await ask(url, asked)).status).toBe(200);
    expect(changes).toEqual([want]);
  });

  test.each([
    ['not JSON', 'arbitrary', 400, 'INVALID_CONTENT'],
    ['not UTF-8', Buffer.from('"\u00e4"', 'latin1'), 400, 'INVALID_CONTENT'],
    ['too large', `"${'a'.repeat(MAX_REQUEST_BYTES)}"`, 413, 'CONTENT_TOO_LARGE'],
  ])('%s', async (_name, content, status, code) => {
    const { url, changes } = await start();
    const asked = { method: 'POST', path: '/data', fields: { 'content-type': 'application/json' }, content };
    const response = await ask(url, asked);

    expect([response.status, response.json]).toEqual([status, { code, message: expect.any(String) }]);
    expect(changes).toEqual([]);
  });

  test('without a length, and too large', async () => {
    const { url, changes } = await start();
    const fields = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const content = `"${'a'.repeat(MAX_REQUEST_BYTES)}"`;

    expect((await ask(url, { method: 'POST', path: '/data', fields, content })).status).toBe(413);
    expect(changes).toEqual([]);
  });

  test('that never arrives whole', async () => {
    const { url, port, changes } = await start();
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST /data HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n`);
    socket.end('Content-Length: 10\r\n\r\n{}');
    await once(socket.resume(), 'close');

    expect((await ask(url, '/data')).status).toBe(200);
    expect(changes).toEqual([]);
  });
});

test('a HEAD changes nothing and responds as GET does', async () => {
  const { url, changes } = await start();

  expect((await ask(url, { method: 'HEAD', path: '/data' })).status).toBe(200);
  expect(changes).toEqual([]);
});

describe('a failure', () => {
  test('of the inbox: 503 with its code, and a line in the log', async () => {
    const { url, log } = await start();
    const { status, json } = await ask(url, '/unusable');

    expect([status, json]).toEqual([503, { code: 'INBOX_UNUSABLE', message: 'It cannot be read.' }]);
    expect(await log.line('a request of an operator failed')).toMatchObject({ url: '/unusable' });
  });

  test('of any other kind: 500 without details, which the log has', async () => {
    const { url, log } = await start();
    const { status, json, content } = await ask(url, '/defect');

    expect([status, json]).toEqual([500, { code: 'RECEIVER_FAILED', message: expect.any(String) }]);
    expect(content).not.toContain('secret');
    expect(await log.line('a request of an operator failed')).toMatchObject({
      err: { message: 'arbitrary secret' },
    });
  });
});

test('on the Unix socket any Host will do, and only its own Origin', async () => {
  const { routes, changes } = recordRoutes();
  const { socket } = await startListener(routes, { folder: makeFolder() });

  expect((await ask(socket!, { path: '/data', fields: { host: 'arbitrary' } })).status).toBe(200);
  expect((await ask(socket!, post('/data', {}, { host: 'arbitrary' }))).status).toBe(200);
  expect(
    (await ask(socket!, post('/data', {}, { host: 'arbitrary', origin: 'http://arbitrary' }))).status,
  ).toBe(200);
  expect((await ask(socket!, post('/data', {}, { host: 'arbitrary', origin: 'http://other' }))).status).toBe(
    403,
  );
  expect(changes).toHaveLength(2);
});
