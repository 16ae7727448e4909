import { ACCESS_TOKEN_PATTERN, BEARER } from '@plant-store/contract';
import { PlantStoreError } from '../errors/plant-store-error.js';
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
  if (format === undefined) return { matches: isB64token, description: b64token };
  return {
    matches: (value): value is string => isB64token(value) && format.test(value),
    description: `${b64token}, in the format ${String(format)} (question token-format)`,
  };
}

function isB64token(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_TOKEN_PATTERN.test(value);
}

/** Starts the clocks of an attempt, gets its credentials, and goes on unless the attempt has failed meanwhile. */
export type Authorizer = (attempt: Attempt, proceed: (credentials: string) => void) => void;

/** Makes the authorizer of a sender. */
export function createAuthorizer(accessToken: AccessToken, syntax: TokenSyntax): Authorizer {
  return typeof accessToken === 'string' ? withToken(accessToken) : withTokenFunction(accessToken, syntax);
}

function withToken(accessToken: string): Authorizer {
  const credentials = `${BEARER} ${accessToken}`;
  return (attempt, proceed) => {
    attempt.startAttemptClock();
    proceed(credentials);
  };
}

type TokenFunction = Exclude<AccessToken, string>;

const nextMicrotask = Promise.resolve();

/** Most functions return a token that they keep, so nothing is made for them that they don't need. */
function withTokenFunction(accessToken: TokenFunction, syntax: TokenSyntax): Authorizer {
  return (attempt, proceed) => {
    let isPending = true;
    const use = (token: unknown): void => {
      isPending = false;
      if (attempt.settled) return;
      if (!syntax.matches(token)) return attempt.fail(invalidToken(syntax));
      attempt.startAttemptClock();
      proceed(`${BEARER} ${token}`);
    };
    const fail = (thrown: unknown): void => {
      isPending = false;
      attempt.fail(functionThrew(thrown));
    };
    const started = performance.now();
    try {
      const token: unknown = accessToken(new TokenRequest(attempt));
      attempt.spend(performance.now() - started);
      if (typeof token === 'string') return use(token);
      Promise.resolve(token).then(use, fail);
    } catch (thrown) {
      return fail(thrown);
    }
    // A promise that is resolved already has called back by then.
    void nextMicrotask.then(() => {
      if (isPending) attempt.startTotalClock();
    });
  };
}

class TokenRequest implements AccessTokenRequest {
  readonly #attempt: Attempt;
  #controller: AbortController | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get signal(): AbortSignal {
    this.#controller ??= abortedWith(this.#attempt);
    return this.#controller.signal;
  }
}

function abortedWith(attempt: Attempt): AbortController {
  const controller = new AbortController();
  if (attempt.settled) controller.abort();
  else attempt.onFailed(() => controller.abort());
  return controller;
}

function invalidToken({ description }: TokenSyntax): PlantStoreError {
  return accessTokenFailed(
    `\`accessToken\` returned an invalid access token. It must consist of ${description}.`,
  );
}

function functionThrew(thrown: unknown): PlantStoreError {
  return accessTokenFailed('`accessToken` threw an error; see `cause`.', withoutMessage(thrown));
}

function accessTokenFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ACCESS_TOKEN_FAILED', message, { outcome: 'not-sent', cause });
}
