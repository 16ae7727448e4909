import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

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
  for (const name of ['inspector.js', 'inspector.css', 'inspector.svg'])
    copyFileSync(new URL(`../../dist/${name}`, import.meta.url), new URL(name, built));
  writeFileSync(new URL('api.html', built), PAGE);
  return startListener((app) => documentRoutes(app, readDocuments(built)));
};

const HTML = 'text/html; charset=utf-8';

test.each([
  { path: '/inspector.js', file: 'apps/webhook/dist/inspector.js', mediaType: 'text/javascript' },
  { path: '/inspector.css', file: 'apps/webhook/dist/inspector.css', mediaType: 'text/css' },
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

test('the script is not sent again until it changes', async () => {
  const url = new URL('inspector.js', (await startWithDocuments()).url);
  const etag = (await fetch(url)).headers.get('etag')!;

  for (const known of [etag, `"a", W/${etag}`, '*']) {
    const again = await fetch(url, { headers: { 'if-none-match': known } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  }
  const changed = await fetch(url, { headers: { 'if-none-match': 'W/"a"' } });
  expect(changed.status).toBe(200);
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

  expect((await fetch(new URL('/inspector.js', url))).status).toBe(404);
  expect((await fetch(new URL('/api', url))).status).toBe(404);
  expect((await fetch(new URL('/openapi.json', url))).status).toBe(200);
});
