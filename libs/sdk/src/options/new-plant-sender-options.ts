import type { Answers, answers, ContentMethod, RequiredWhileOpen } from '@plant-store/contract';
import type { EncodableMediaType } from '../encoders/encoder-for.js';
import type { Encoder } from '../encoders/encoder.js';
import type { AccessToken } from './access-token.js';
import type { HeaderHook } from './header-hook.js';

interface BaseUrlOption {
  /**
   * The address to which the delivery path is appended (questions base-address, delivery-target): an
   * absolute http or https URL without user information, query and fragment.
   */
  readonly baseUrl: string | URL;
}

interface MethodOption {
  /** The HTTP method of a delivery (question http-method): one that carries content and changes state. */
  readonly method: ContentMethod;
}

interface EncodeOption<Plant> {
  /** Turns a plant into what is sent (questions payload, media-type). */
  readonly encode: Encoder<Plant>;
}

interface AccessTokenOption {
  /** The bearer token, or a function that gives one for each delivery (questions token-issuance, token-lifetime). */
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
   * `maxConnections` and connecting are part of it.
   *
   * @default 15000
   */
  readonly attemptTimeout?: number;
  /**
   * How long a whole `send` may take; `encode`, the access token and the attempt are part of it.
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
   * Gives header fields to add to each delivery, as for a signature (question signing). It cannot set
   * those that frame the message or that the other options settle.
   *
   * @default none are added
   */
  readonly headers?: HeaderHook;
}

type EncodeWhileOpen<Plant, Given extends Answers> = Given extends {
  readonly 'media-type': EncodableMediaType;
}
  ? RequiredWhileOpen<Given, 'media-type', EncodeOption<Plant>>
  : EncodeOption<Plant>;

/**
 * Options of a sender under the answers given so far. What an open question leaves undecided is required
 * and has no default; once the question is answered, the option may be left out.
 */
export type NewPlantSenderOptions<Plant, Given extends Answers = typeof answers> = RequiredWhileOpen<
  Given,
  'base-address',
  BaseUrlOption
> &
  RequiredWhileOpen<Given, 'http-method', MethodOption> &
  EncodeWhileOpen<Plant, Given> &
  AccessTokenOption &
  SenderGuards &
  HeadersOption;

/** Every option by name, none of them certain: what arrives from JavaScript and from the command line. */
export type UncheckedOptions<Plant> = {
  readonly [Name in keyof Required<NewPlantSenderOptions<Plant, Record<never, never>>>]?: unknown;
};
