import { hash, timingSafeEqual } from 'node:crypto';

import type { AccessTokenSource } from './access-token-source.js';

/** Represents an accepted token, and stays the same for as long as the token is accepted. It can't be turned back. */
export type AcceptedToken = Readonly<Uint8Array>;

/** Of a digest, in hexadecimal digits. */
const DIGEST_LENGTH = 64;

/**
 * The access tokens that are accepted now. They are compared by their digests, so that a comparison takes the same time
 * however much a candidate shares with a token.
 */
export class AccessTokens {
  readonly #source: Pick<AccessTokenSource, 'tokens'>;
  /** The list of tokens whose digests these are. */
  #tokens: readonly string[] = [];
  #digests: readonly Buffer[] = [];
  /** The digest of a candidate. A new buffer for each request would cost three times as much as its digest. */
  readonly #candidate = Buffer.alloc(DIGEST_LENGTH);

  constructor(source: Pick<AccessTokenSource, 'tokens'>) {
    this.#source = source;
  }

  /** The accepted token that equals the candidate. Compares with every one of them, in constant time. */
  find(candidate: string): AcceptedToken | undefined {
    if (this.#source.tokens !== this.#tokens) this.#replace(this.#source.tokens);
    this.#candidate.write(digestOf(candidate), 'latin1');
    let found: AcceptedToken | undefined;
    for (const accepted of this.#digests) {
      if (timingSafeEqual(accepted, this.#candidate)) found = accepted;
    }
    return found;
  }

  #replace(tokens: readonly string[]): void {
    const before = new Map(this.#digests.map((digest) => [digest.toString('latin1'), digest]));
    this.#digests = tokens.map((token) => {
      const digest = digestOf(token);
      return before.get(digest) ?? Buffer.from(digest, 'latin1');
    });
    this.#tokens = tokens;
  }
}

/** In hexadecimal digits. */
const digestOf = (token: string): string => hash('sha256', token);
