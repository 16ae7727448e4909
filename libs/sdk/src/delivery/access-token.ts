import { ACCESS_TOKEN_PATTERN, BEARER } from '@plant-store/contract';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { Attempt } from './attempt.js';

/** The argument of an `accessToken` function. */
export interface AccessTokenRequest {
  /** Is aborted when the attempt that needs the token fails. */
  readonly signal: AbortSignal;
}

/**
 * An access token of the `b64token` syntax (RFC 6750 §2.1), or a function that returns one. The function is called
 * once for each attempt. Its result is not cached (question token-lifetime).
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

function withTokenFunction(accessToken: TokenFunction, syntax: TokenSyntax): Authorizer {
  return (attempt, proceed) => {
    attempt.startTotalClock();
    obtain(accessToken, syntax, attempt).then(
      (token) => {
        if (attempt.settled) return;
        attempt.startAttemptClock();
        proceed(`${BEARER} ${token}`);
      },
      (error: unknown) => attempt.fail(error as Error),
    );
  };
}

async function obtain(accessToken: TokenFunction, syntax: TokenSyntax, attempt: Attempt): Promise<string> {
  const controller = new AbortController();
  attempt.onFailed(() => controller.abort());
  const token: unknown = await call(accessToken, controller.signal);
  if (syntax.matches(token)) return token;
  throw accessTokenFailed(
    `\`accessToken\` returned an invalid access token. It must consist of ${syntax.description}.`,
  );
}

async function call(accessToken: TokenFunction, signal: AbortSignal): Promise<unknown> {
  try {
    return await accessToken({ signal });
  } catch (cause) {
    throw accessTokenFailed('`accessToken` threw an error; see `cause`.', cause);
  }
}

function accessTokenFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ACCESS_TOKEN_FAILED', message, { outcome: 'not-sent', cause });
}
