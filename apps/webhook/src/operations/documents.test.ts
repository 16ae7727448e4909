import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { makeFolder } from '@plant-store/test-support';

import { startListener } from '../../test/start-listener.js';
import { documentRoutes, readDocuments } from './documents.js';

const committed = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

const PAGE = `<!doctype html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-a'">
<header><h1>Interface</h1></header>
`;

/** With a page of the interface beside the inspector, as a build writes them. */
const startWithDocuments = (): ReturnType<typeof startListener> => {
  const built = pathToFileURL(`${makeFolder()}/`);
  for (const name of ['inspector.html', 'inspector.svg'])
    copyFileSync(new URL(`../../dist/${name}`, import.meta.url), new URL(name, built));
  writeFileSync(new URL('api.html', built), PAGE);
  return startListener((app) => documentRoutes(app, readDocuments(built)));
};

const HTML = 'text/html; charset=utf-8';

test.each([
  { path: '/', file: 'apps/webhook/dist/inspector.html', mediaType: HTML },
  { path: '/?state=parked', file: 'apps/webhook/dist/inspector.html', mediaType: HTML },
  { path: '/inspector.svg', file: 'apps/webhook/dist/inspector.svg', mediaType: 'image/svg+xml' },
  { path: '/openapi.json', file: 'apps/webhook/openapi.json', mediaType: 'application/json' },
  { path: '/openapi.json?version=1', file: 'apps/webhook/openapi.json', mediaType: 'application/json' },
])('GET $path is $file', async ({ path, file, mediaType }) => {
  const { url } = await startWithDocuments();
  const response = await fetch(new URL(path, url));

  expect(response.status).toBe(200);
  expect(await response.text()).toBe(committed(file));
  expect(response.headers.get('content-type')).toBe(mediaType);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.* frame-ancestors 'none'(?:;|$)/,
  );
});

test('the inspector runs its own script, loads its own data, and no text may become HTML', async () => {
  const { url } = await startWithDocuments();
  const response = await fetch(url);
  const html = await response.text();
  const hash = (name: string): string => {
    const [, content = ''] = new RegExp(`<${name}[^>]*>(.*)</${name}>`, 's').exec(html) ?? [];
    return createHash('sha256').update(content).digest('base64');
  };

  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'sha256-${hash('script')}'; style-src 'sha256-${hash('style')}'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  );
});

/** What comes over the wire. */
async function ask(url: string, headers: OutgoingHttpHeaders): Promise<[IncomingMessage, Buffer]> {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  return [response, await buffer(response)];
}

test('the inspector is one response of at most 30 kB, and is not sent again until it changes', async () => {
  const { url } = await startWithDocuments();
  const [first, content] = await ask(url, { 'accept-encoding': 'gzip, deflate, br' });
  const { etag, vary } = first.headers;

  expect(first.headers['content-encoding']).toBe('gzip');
  expect(vary).toBe('accept-encoding');
  expect(gunzipSync(content).toString()).toBe(committed('apps/webhook/dist/inspector.html'));
  expect(content.length).toBeLessThan(30_000);
  for (const known of [`"a", ${etag}`, etag!.replace('W/', '')]) {
    const [again, nothing] = await ask(url, { 'accept-encoding': 'gzip', 'if-none-match': known });
    expect([again.statusCode, again.headers.etag, nothing.length]).toEqual([304, etag, 0]);
  }
  const [changed] = await ask(url, { 'if-none-match': 'W/"a"' });
  expect(changed.statusCode).toBe(200);
});

test.each([
  { accepted: 'gzip', coding: 'gzip' },
  { accepted: 'br, gzip ; q=0.5', coding: 'gzip' },
  { accepted: 'gzip;q=0, br', coding: undefined },
  { accepted: 'gzip; q=0.0', coding: undefined },
  { accepted: 'identity', coding: undefined },
  { accepted: '', coding: undefined },
])('to a client that accepts "$accepted" a page is sent as $coding', async ({ accepted, coding }) => {
  const { url } = await startWithDocuments();
  const [{ headers }] = await ask(url, { 'accept-encoding': accepted });

  expect(headers['content-encoding']).toBe(coding);
});

test('GET /api is the page of the interface, with links to the inspector and to openapi.json', async () => {
  const { url } = await startWithDocuments();
  const response = await fetch(new URL('/api', url));
  const content = await response.text();
  const [links] = /<p><a href="\.\/">.*<\/p>\n(?=<\/header>)/.exec(content)!;

  expect(content.replace(links, '')).toBe(PAGE);
  expect([...links.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual(['./', 'openapi.json']);
  expect(response.headers.get('content-type')).toBe(HTML);
});

test('a missing one is left out', async () => {
  const { url } = await startListener((app) =>
    documentRoutes(app, readDocuments(pathToFileURL(`${makeFolder()}/`))),
  );

  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(new URL('/api', url))).status).toBe(404);
  expect((await fetch(new URL('/openapi.json', url))).status).toBe(200);
});
