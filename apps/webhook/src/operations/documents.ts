import { readFileSync } from 'node:fs';

import { bytesResponse } from './response.js';
import type { Route } from './router.js';

/** A document as it is sent. */
export interface Document {
  readonly mediaType: string;
  readonly content: Buffer;
  /** What a browser may do with it. */
  readonly contentSecurityPolicy: string;
}

/** Documents by the path under which they are served. */
export type Documents = ReadonlyMap<string, Document>;

const PAGE = new URL('../../../../docs/api.html', import.meta.url);
const DOCUMENT = new URL('../../openapi.json', import.meta.url);

const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/**
 * Reads the documents of this receiver from where they are committed. A missing one is left out: somebody may deploy
 * less than the repository.
 */
export function readDocuments(page = PAGE, document = DOCUMENT): Documents {
  const found = new Map<string, Document>();
  const html = read(page);
  const json = read(document);
  if (html !== undefined)
    found.set('/', {
      mediaType: 'text/html; charset=utf-8',
      content: html,
      contentSecurityPolicy: policyOf(html.toString()),
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
export function documentRoutes(documents: Documents): readonly Route[] {
  return [...documents].map(([path, { mediaType, content, contentSecurityPolicy }]) => ({
    method: 'GET',
    path,
    audience: 'page',
    respond: () =>
      bytesResponse(content, {
        'content-type': mediaType,
        'content-security-policy': contentSecurityPolicy,
        'cache-control': 'no-cache',
      }),
  }));
}

function read(file: URL): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The policy in the page, and the directive that only a header field can have. */
function policyOf(html: string): string {
  const [, own] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html) ?? [];
  return own === undefined ? NOTHING : `${own}; frame-ancestors 'none'`;
}
