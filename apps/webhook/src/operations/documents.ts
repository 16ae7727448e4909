import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

import type { FastifyInstance } from 'fastify';

import { PROTECTION } from './who-may-ask.js';

/** A document as it is sent. */
export interface Document {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly etag: string;
  /** What a browser may do with it. */
  readonly contentSecurityPolicy: string;
}

/** Documents by the path under which they are served. */
export type Documents = ReadonlyMap<string, Document>;

/** What a build writes: script, style and icon of the inspector, and the page of the interface. */
const BUILT = new URL('../../dist/', import.meta.url);
const DOCUMENT = new URL('../../openapi.json', import.meta.url);

const NOTHING: string = PROTECTION['content-security-policy'];
const HTML = 'text/html; charset=utf-8';

/** What the page of the interface links to when it is served here. */
const LINKS = '<p><a href="./">Inspector</a> · <a href="openapi.json">openapi.json</a></p>\n';

/** Reads the documents of this receiver. A missing one is left out: somebody may deploy less than the repository. */
export function readDocuments(built = BUILT, document = DOCUMENT): Documents {
  const found = new Map<string, Document>();
  const add = (path: string, mediaType: string, text = '', contentSecurityPolicy = NOTHING): void => {
    if (text === '') return;
    const content = Buffer.from(text);
    found.set(path, { mediaType, content, etag: `"${hashOf(content)}"`, contentSecurityPolicy });
  };
  const page = read(new URL('api.html', built));
  add('/inspector.js', 'text/javascript', read(new URL('inspector.js', built)));
  add('/inspector.css', 'text/css', read(new URL('inspector.css', built)));
  add('/inspector.svg', 'image/svg+xml', read(new URL('inspector.svg', built)));
  add('/api', HTML, page?.replace('</header>', `${LINKS}$&`), policyOf(page));
  add('/openapi.json', 'application/json', read(document));
  return found;
}

/** A document may be reached by links of other pages, and is sent again only if it has changed. */
export function documentRoutes(app: FastifyInstance, documents: Documents): void {
  for (const [path, { mediaType, content, etag, contentSecurityPolicy }] of documents) {
    const fields = {
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-cache',
      etag,
    };
    app.get(path, { config: { audience: 'page' } }, async (request, reply) => {
      reply.headers(fields);
      // Weak and strong forms are compared alike (RFC 9110 §13.1.2).
      const known = request.headers['if-none-match'];
      if (known === '*' || known?.includes(etag)) return reply.code(304).send();
      return reply.type(mediaType).send(content);
    });
  }
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64');

function read(file: URL): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The policy in the page, and the directive that only a header field can have. */
function policyOf(html = ''): string {
  const [, own] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html) ?? [];
  return own === undefined ? NOTHING : `${own}; frame-ancestors 'none'`;
}
