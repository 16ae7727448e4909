import { hash, timingSafeEqual } from 'node:crypto';

/** Stands for an accepted token, and stays the same for as long as the token is accepted. It cannot be turned back. */
export type AcceptedToken = Readonly<Uint8Array>;

/**
 * The access tokens that are accepted now: opaque, several at a time, replaceable while the receiver
 * runs (questions `token-issuance`, `token-format`, `token-lifetime`). Only digests are kept, so that
 * comparing takes the same time whatever a candidate shares with a token.
 */
export class AccessTokens {
  #digests: readonly Buffer[] = [];

  constructor(tokens: readonly string[]) {
    this.replace(tokens);
  }

  /** Accepts exactly these tokens from now on. */
  replace(tokens: readonly string[]): void {
    const before = new Map(this.#digests.map((digest) => [digest.toString('hex'), digest]));
    this.#digests = tokens.map((token) => {
      const digest = digestOf(token);
      return before.get(digest.toString('hex')) ?? digest;
    });
  }

  /** The token that the candidate is, if it is one. Compares with every one of them, in constant time. */
  find(candidate: string): AcceptedToken | undefined {
    const digest = digestOf(candidate);
    let found: AcceptedToken | undefined;
    for (const accepted of this.#digests) {
      if (timingSafeEqual(accepted, digest)) found = accepted;
    }
    return found;
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
