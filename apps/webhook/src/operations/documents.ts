import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { PROTECTION } from './who-may-ask.js';

/** A document as it is sent. */
export interface Document {
  readonly mediaType: string;
  readonly content: Buffer;
  /** What a browser may do with it. */
  readonly contentSecurityPolicy: string;
}

/** Documents by the path under which they are served. */
export type Documents = ReadonlyMap<string, Document>;

const PAGE = new URL('../../dist/api.html', import.meta.url);
const DOCUMENT = new URL('../../openapi.json', import.meta.url);
const INSPECTOR = new URL('../../inspector/', import.meta.url);

const NOTHING = PROTECTION['content-security-policy'];

/** The modules of packages that the inspector imports, by the package. The import map of its page leads to them. */
const PACKAGES = { htm: 'htm.mjs', preact: 'preact.mjs', 'preact/hooks': 'hooks.mjs' };

/**
 * The inspector loads its own files and the receiver's data, and nothing else. The only script in it is its import map.
 * No text can become HTML or a script (Trusted Types).
 */
function policyOfInspector(html: string): string {
  const [, imports = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(imports).digest('base64');
  return `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
}

/** The files of the inspector that are served, by the end of their name. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
};

/** What the page of the interface links to when it is served here. */
const LINKS = '<p><a href="./">Inspector</a> · <a href="openapi.json">openapi.json</a></p>\n';

/**
 * Reads the documents of this receiver: the inspector, openapi.json, and the page of the interface, which
 * `nx run webhook:api-html` writes. A missing one is left out: somebody may deploy less than the repository.
 */
export function readDocuments(page = PAGE, document = DOCUMENT, inspector = INSPECTOR): Documents {
  const found = new Map<string, Document>(readInspector(inspector));
  const html = read(page)?.toString();
  const json = read(document);
  if (html !== undefined)
    found.set('/api', {
      mediaType: 'text/html; charset=utf-8',
      content: Buffer.from(html.replace('</header>', `${LINKS}$&`)),
      contentSecurityPolicy: policyOf(html),
    });
  if (json !== undefined)
    found.set('/openapi.json', {
      mediaType: 'application/json',
      content: json,
      contentSecurityPolicy: NOTHING,
    });
  return found;
}

/** A document may be reached by links of other pages, and is fetched again only if it has changed. */
export function documentRoutes(app: FastifyInstance, documents: Documents): void {
  for (const [path, { mediaType, content, contentSecurityPolicy }] of documents) {
    const fields = {
      'content-type': mediaType,
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-cache',
    };
    app.get(path, { config: { audience: 'page' } }, async (_request, reply) =>
      reply.headers(fields).send(content),
    );
  }
}

function readInspector(folder: URL): [path: string, document: Document][] {
  if (!existsSync(folder)) return [];
  const { resolve } = createRequire(import.meta.url);
  const packages = Object.entries(PACKAGES).map(([name, file]): [string, Document] => {
    const content = readFileSync(join(dirname(resolve(name)), file));
    return [
      `/inspector/packages/${file}`,
      { mediaType: MEDIA_TYPES['.mjs']!, content, contentSecurityPolicy: NOTHING },
    ];
  });
  const files = readdirSync(folder).flatMap((name): [path: string, document: Document][] => {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) return [];
    const content = readFileSync(new URL(name, folder));
    return name === 'index.html'
      ? [['/', { mediaType, content, contentSecurityPolicy: policyOfInspector(content.toString()) }]]
      : [[`/inspector/${name}`, { mediaType, content, contentSecurityPolicy: NOTHING }]];
  });
  // What the inspector shares with the command, where it imports that from.
  const shared = read(new URL('../inbox/due.js', import.meta.url));
  if (shared !== undefined)
    packages.push([
      '/src/inbox/due.js',
      { mediaType: MEDIA_TYPES['.mjs']!, content: shared, contentSecurityPolicy: NOTHING },
    ]);
  return [...files, ...packages];
}

function read(file: URL): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** The policy in the page, and the directive that only a header field can have. */
function policyOf(html: string): string {
  const [, own] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html) ?? [];
  return own === undefined ? NOTHING : `${own}; frame-ancestors 'none'`;
}
