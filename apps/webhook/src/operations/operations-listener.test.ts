import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { rejection } from '../../test/rejection.js';
import { readDocuments } from './documents.js';
import { type OperationsListener, startOperationsListener } from './operations-listener.js';

async function start(documents = readDocuments(), port = 0): Promise<OperationsListener> {
  const listener = await startOperationsListener(documents, port);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= listener.close());
  afterThisTest(close);
  return { url: listener.url, close };
}

const committed = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

test.each([
  { path: '/', file: 'docs/api.html', mediaType: 'text/html; charset=utf-8' },
  { path: '/openapi.json', file: 'apps/webhook/openapi.json', mediaType: 'application/json' },
  { path: '/openapi.json?version=1', file: 'apps/webhook/openapi.json', mediaType: 'application/json' },
])('GET $path is $file', async ({ path, file, mediaType }) => {
  const { url } = await start();
  const response = await fetch(new URL(path, url));

  expect(response.status).toBe(200);
  expect(await response.text()).toBe(committed(file));
  expect(response.headers.get('content-type')).toBe(mediaType);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; (?:style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; )?frame-ancestors 'none'$/,
  );
});

test('the policy of the page allows its own style', async () => {
  const { url } = await start();
  const response = await fetch(url);
  const [, style] = /style-src ('sha256-[^']+')/.exec(response.headers.get('content-security-policy')!)!;
  expect(await response.text()).toContain(`style-src ${style!};`);
});

test('HEAD gets the response to GET without content', async () => {
  const { url } = await start();
  const [head, get] = await Promise.all([fetch(url, { method: 'HEAD' }), fetch(url)]);
  const fields = ({ headers }: Response): unknown =>
    [...headers].filter(([name]) => name !== 'date' && name !== 'connection' && name !== 'keep-alive');

  expect(await head.text()).toBe('');
  expect(fields(head)).toEqual(fields(get));
  expect(Number(head.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength);
});

test.each([
  ['POST', '/', 405, 'GET, HEAD'],
  ['DELETE', '/openapi.json', 405, 'GET, HEAD'],
  ['GET', '/plant/webhook', 404, null],
  ['POST', '/plant/webhook', 404, null],
  ['GET', '//', 404, null],
  ['GET', '/%2e%2e/package.json', 404, null],
])('%s %s: %d without content', async (method, path, status, allow) => {
  const { url } = await start();
  const response = await fetch(`${url.slice(0, -1)}${path}`, { method });

  expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([
    status,
    allow,
    '',
  ]);
});

test('a missing document is left out', async () => {
  const missing = pathToFileURL(`${makeFolder()}/none`);
  const { url } = await start(readDocuments(missing));

  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(new URL('/openapi.json', url))).status).toBe(200);
});

test('a port that is taken is an error that names the setting', async () => {
  const { url } = await start();
  const error = await rejection(startOperationsListener(new Map(), Number(new URL(url).port)));

  expect(error).toMatchObject({ code: 'ADDRESS_UNAVAILABLE', cause: { code: 'EADDRINUSE' } });
  expect((error as Error).message).toContain('Set OPERATIONS_PORT to a free port');
});

test('closes at once, whoever is connected', async () => {
  const { url, close } = await start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket
    .resume()
    .on('error', () => undefined)
    .write('GET / HTTP/1.1\r\n');

  await close();
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});
