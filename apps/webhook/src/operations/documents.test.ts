import { createHash } from 'node:crypto';
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

test('the inspector is one response of at most 90 kB, and is not sent again until it changes', async () => {
  const { url } = await startWithDocuments();
  const first = await fetch(url);
  const etag = first.headers.get('etag')!;
  const content = await first.text();

  expect(content).toBe(committed('apps/webhook/dist/inspector.html'));
  expect(content.length).toBeLessThan(90_000);
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

  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(new URL('/api', url))).status).toBe(404);
  expect((await fetch(new URL('/openapi.json', url))).status).toBe(200);
});
