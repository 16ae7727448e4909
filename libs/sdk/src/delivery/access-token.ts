import { ACCESS_TOKEN_PATTERN, BEARER } from '@plant-store/contract';
import { callAndRead } from '../encoders/promise-like.js';
import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import { withoutMessage } from '../errors/without-message.js';
import type { Attempt } from './attempt.js';

/** The argument of an `accessToken` function. */
export interface AccessTokenRequest {
  /** Is aborted when the attempt that needs the token fails. It is made when it is first read. */
  readonly signal: AbortSignal;
}

/**
 * An access token of the `b64token` syntax (RFC 6750 §2.1), or a function that returns one. The function is called
 * once for each attempt, when a connection is free for it. Its result is not cached (question token-lifetime). If it
 * throws, the message and the properties of its error appear nowhere, because they may contain a token.
 */
export type AccessToken = string | ((request: AccessTokenRequest) => string | Promise<string>);

/** The syntax of an access token. */
export interface TokenSyntax {
  /** Whether a value is one complete access token. */
  readonly matches: (value: unknown) => value is string;
  /** What a token consists of, for messages. */
  readonly description: string;
}

const b64token = 'letters, digits and - . _ ~ + /, then any number of = (b64token, RFC 6750 §2.1)';

/** The syntax of RFC 6750, and the answered format if there is one (question token-format). */
export function tokenSyntax(format: RegExp | undefined): TokenSyntax {
  return {
    matches: (value): value is string =>
      typeof value === 'string' && ACCESS_TOKEN_PATTERN.test(value) && format?.test(value) !== false,
    description: format ? `${b64token}, in the format ${String(format)} (question token-format)` : b64token,
  };
}

interface TokenSettings {
  readonly accessToken: AccessToken;
  readonly syntax: TokenSyntax;
}

/** Makes the credentials of the attempts of one sender. */
export class Credentials {
  readonly #accessToken: Exclude<AccessToken, string>;
  readonly #syntax: TokenSyntax;
  /** `undefined` if the caller passes a function. */
  readonly #fixed: string | undefined;

  constructor({ accessToken, syntax }: TokenSettings) {
    const isFixed = typeof accessToken === 'string';
    this.#accessToken = isFixed ? () => accessToken : accessToken;
    this.#syntax = syntax;
    this.#fixed = isFixed ? `${BEARER} ${accessToken}` : undefined;
  }

  /**
   * The credentials of an attempt. They are a promise only if the `accessToken` function returns one.
   *
   * @throws PlantStoreError
   */
  make(attempt: Attempt): string | Promise<string> {
    return (
      this.#fixed ?? callAndRead(this.#accessToken, new TokenRequest(attempt), this.#read, functionThrew)
    );
  }

  readonly #read = (token: unknown): string => {
    if (this.#syntax.matches(token)) return `${BEARER} ${token}`;
    const expected = this.#syntax.description;
    throw accessTokenFailed(`returned an invalid access token. It must consist of ${expected}.`);
  };
}

/** A class, because an object with a getter costs a delivery a quarter of its time. */
class TokenRequest implements AccessTokenRequest {
  readonly #attempt: Attempt;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
}

function functionThrew(thrown: unknown): PlantStoreError {
  return accessTokenFailed('threw an error; see `cause`.', withoutMessage(thrown));
}

function accessTokenFailed(problem: string, cause?: unknown): PlantStoreError {
  return notSent('PLANT_STORE_ACCESS_TOKEN_FAILED', `\`accessToken\` ${problem}`, cause);
}
