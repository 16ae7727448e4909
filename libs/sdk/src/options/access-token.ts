/** What a function that gives access tokens is called with. */
export interface AccessTokenRequest {
  /** Aborts when the delivery that needs the token is given up. */
  readonly signal: AbortSignal;
}

/**
 * An access token of the `b64token` syntax (RFC 6750 §2.1), or a function that gives one. The function is
 * called once for each attempt, and what it gives is not kept (question token-lifetime).
 */
export type AccessToken = string | ((request: AccessTokenRequest) => string | Promise<string>);
