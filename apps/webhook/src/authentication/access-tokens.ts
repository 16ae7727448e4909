import { hash, timingSafeEqual } from 'node:crypto';

import { ACCESS_TOKEN_PATTERN, type ExecutableAnswers } from '@plant-store/contract';

/** Represents an accepted token, and stays the same for as long as the token is accepted. It can't be turned back. */
export type AcceptedToken = Readonly<Uint8Array>;

/**
 * The access tokens that are accepted now: opaque, several at a time, replaceable while the receiver
 * runs (questions `token-issuance`, `token-format`, `token-lifetime`). Only digests are stored, so that
 * a comparison takes the same time however much a candidate shares with a token.
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

  /** The accepted token that equals the candidate. Compares with every one of them, in constant time. */
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

/** Recognises access tokens. */
export interface TokenMatcher {
  /** Name of the format that is answered; undefined while the question `token-format` is open. */
  readonly format: string | undefined;
  matches(text: string): boolean;
}

/** Matches what RFC 6750 allows as a token, and the format if it is answered (question `token-format`). */
export function createTokenMatcher(format: ExecutableAnswers['token-format'] | undefined): TokenMatcher {
  if (format === undefined) return { format: undefined, matches: (text) => ACCESS_TOKEN_PATTERN.test(text) };
  const pattern = new RegExp(format.pattern);
  return {
    format: format.name,
    matches: (text) => ACCESS_TOKEN_PATTERN.test(text) && pattern.test(text),
  };
}
