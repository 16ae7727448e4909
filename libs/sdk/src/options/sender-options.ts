import type { Dispatcher } from 'undici';
import type { AnsweredOptions, GivenAnswers, SigningKeyOption } from '../answers/answered-types.js';
import type { AccessToken } from '../delivery/access-token.js';
import type { HeaderHook } from '../delivery/headers.js';
import type { RetryOptions } from '../delivery/retry.js';
import type { SenderLimits } from './limits.js';
import type { TlsOptions } from './tls.js';

/** The options that are the same whatever is answered. */
export interface OrdinaryOptions extends TlsOptions, SenderLimits {
  /**
   * The bearer token, or a function that returns one for each attempt (questions token-issuance, token-lifetime).
   * `undefined` is a fault at run time that names the option.
   */
  readonly accessToken: AccessToken | undefined;
  /**
   * Returns header fields to add to each attempt, for example a signature (question signing). It must not return
   * fields that frame or describe the request, or that other options or answers set.
   *
   * @default no fields are added
   */
  readonly headers?: HeaderHook | undefined;
  /**
   * When a delivery that was not acknowledged is sent again (question retry). It replaces an answered policy, and
   * `false` switches that off.
   *
   * @default the answer to the question retry; no retries while it is open
   */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Sends the requests instead of connections of the sender's own: a proxy, a mock, or connections that are shared. It
   * replaces `ca`, `cert`, `key` and `connectTimeout`, and `close` doesn't close it. What it does with a request is
   * its own: if it repeats or redirects one, an `outcome` says less.
   *
   * @default connections of the sender's own
   */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * Options of a sender. While a question is open, the option that it decides is required and has no default. Once the
 * question is answered, the option is optional. An answer may add options.
 */
export interface NewPlantSenderOptions<Plant> extends AnsweredOptions<Plant, GivenAnswers>, OrdinaryOptions {}

/** Every option by name, of any type: what JavaScript and the command line may pass. */
export type RawOptions = {
  readonly [
    Name in keyof (AnsweredOptions<unknown, Record<never, never>> & OrdinaryOptions & SigningKeyOption)
  ]?: unknown;
};
