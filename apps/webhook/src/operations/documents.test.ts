import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
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

/** With a page of the interface, as a build writes it. */
const startWithDocuments = (): ReturnType<typeof startListener> => {
  const file = `${makeFolder()}/api.html`;
  writeFileSync(file, PAGE);
  return startListener((app) => documentRoutes(app, readDocuments(pathToFileURL(file))));
};

const HTML = 'text/html; charset=utf-8';

test.each([
  { path: '/', file: 'apps/webhook/inspector/index.html', mediaType: HTML },
  { path: '/?state=parked', file: 'apps/webhook/inspector/index.html', mediaType: HTML },
  {
    path: '/inspector/inspector.mjs',
    file: 'apps/webhook/inspector/inspector.mjs',
    mediaType: 'text/javascript; charset=utf-8',
  },
  {
    path: '/inspector/style.css',
    file: 'apps/webhook/inspector/style.css',
    mediaType: 'text/css; charset=utf-8',
  },
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

test('the inspector may load its own files and data, and no text may become HTML', async () => {
  const { url } = await startWithDocuments();
  const response = await fetch(url);
  const [, imports = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(await response.text()) ?? [];
  const hash = createHash('sha256').update(imports).digest('base64');

  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  );
  for (const path of Object.values((JSON.parse(imports) as { imports: Record<string, string> }).imports)) {
    const module = await fetch(new URL(path, url));
    expect([path, module.status]).toEqual([path, 200]);
    expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  }
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

test.each(['/inspector/', '/inspector/tsconfig.json', '/inspector/place.test.ts', '/inspector/index.html'])(
  'GET %s: there is nothing',
  async (path) => {
    const { url } = await startWithDocuments();
    expect((await fetch(new URL(path, url))).status).toBe(404);
  },
);

test('a missing one is left out', async () => {
  const missing = pathToFileURL(`${makeFolder()}/none`);
  const { url } = await startListener((app) =>
    documentRoutes(app, readDocuments(missing, undefined, missing)),
  );

  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(new URL('/api', url))).status).toBe(404);
  expect((await fetch(new URL('/openapi.json', url))).status).toBe(200);
});
