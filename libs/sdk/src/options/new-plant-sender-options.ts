import type { Answers, answers } from '@plant-store/contract';
import type { Column, OptionTable, SigningKeyOption } from '../answers/option-table.js';
import type { AccessToken } from './access-token.js';
import type { HeaderHook } from './header-hook.js';

interface AccessTokenOption {
  /** The bearer token, or a function that gives one for each attempt (questions token-issuance, token-lifetime). */
  readonly accessToken: AccessToken;
}

/** Limits with which a sender protects its own process. Times are whole milliseconds, at least 1. */
export interface SenderGuards {
  /**
   * How long making one connection may take, TLS included.
   *
   * @default 5000
   */
  readonly connectTimeout?: number;
  /**
   * How long an attempt may take, from its dispatch to the end of the answer; waiting for one of
   * `maxConnections` and connecting are part of it. Once the question time-outs is answered, the answer is the
   * default.
   *
   * @default 15000
   */
  readonly attemptTimeout?: number;
  /**
   * How long a whole `send` may take: `encode`, the wait that a rate limit asks for, the access token, every attempt
   * and the waits between them. The default is never below an answered time-out, and grows with a retry policy: by
   * all its delays, and by `attemptTimeout` for each further attempt.
   *
   * @default 30000
   */
  readonly totalTimeout?: number;
  /**
   * How many bytes of an answer's content are kept. Beyond them the content is cut and the connection
   * dropped; the status counts all the same. 0 keeps none.
   *
   * @default 65536
   */
  readonly maxAnswerBytes?: number;
  /**
   * How many connections there may be at a time, each with one delivery in flight. Further deliveries
   * wait, and their clocks run.
   *
   * @default 64
   */
  readonly maxConnections?: number;
  /**
   * Whether the access token may be sent over plain HTTP to an address that is not loopback, against
   * RFC 6750 §5.3 (question transport-security).
   *
   * @default false
   */
  readonly allowInsecureTransport?: boolean;
}

interface HeadersOption {
  /**
   * Gives header fields to add to each attempt, as for a signature (question signing). It cannot set
   * those that frame the message or that the other options or answers settle.
   *
   * @default none are added
   */
  readonly headers?: HeaderHook;
}

/**
 * Options of a sender under the answers given so far. What an open question leaves undecided is required
 * and has no default; once the question is answered, the option may be left out. An answer may ask for options
 * of its own.
 */
export type NewPlantSenderOptions<Plant, Given extends Answers = typeof answers> = Column<
  OptionTable<Plant, Given>,
  'options'
> &
  AccessTokenOption &
  SenderGuards &
  HeadersOption;

/** Every option by name, none of them certain: what arrives from JavaScript and from the command line. */
export type UncheckedOptions<Plant> = {
  readonly [Name in keyof (NewPlantSenderOptions<Plant, Record<never, never>> & SigningKeyOption)]?: unknown;
};
