import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The access tokens that are accepted now: opaque, several at a time, replaceable while the receiver
 * runs (questions `token-issuance`, `token-format`, `token-lifetime`). Only digests are kept, so that
 * comparing takes the same time whatever a candidate shares with a token.
 */
export class AccessTokens {
  #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  /** Accepts exactly these tokens from now on. */
  replace(tokens: readonly string[]): void {
    this.#digests = tokens.map(digest);
  }

  /** Whether the candidate is one of the tokens. Compares with every one of them, in constant time. */
  has(candidate: string): boolean {
    const candidateDigest = digest(candidate);
    let found = false;
    for (const accepted of this.#digests) {
      if (timingSafeEqual(accepted, candidateDigest)) found = true;
    }
    return found;
  }
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
