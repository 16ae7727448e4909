import { Dispatcher } from 'undici';
import type { Attempt } from '../delivery/attempt.js';
import {
  type ErrorCode,
  errorCodes,
  notSent,
  type Outcome,
  PlantStoreError,
} from '../errors/plant-store-error.js';
import { isPlantStoreError } from '../errors/sender-error.js';
import type { Settings } from '../options/resolve-settings.js';
import { Transport } from '../transport/transport.js';

const failureCodes = [
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_ATTEMPT_TIMEOUT',
  'PLANT_STORE_TOTAL_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
  'PLANT_STORE_RESPONSE_UNREADABLE',
] as const satisfies readonly ErrorCode[];

/** The failures of a request that a fake sender can be told. The sender itself causes the others. */
export type FakeFailureCode = (typeof failureCodes)[number];

/**
 * What a fake sender gets for a request.
 *
 * - `'acknowledge'`: a response that acknowledges the delivery.
 * - `{ status }`: a response with this status. Whether it acknowledges the delivery is decided as always.
 * - `{ code }`: no response. The attempt fails with this code.
 */
export type FakeReply =
  | 'acknowledge'
  | {
      /** A final status, from 200 to 599. */
      readonly status: number;
      /** @default none */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /**
       * Text is sent as UTF-8.
       *
       * @default none
       */
      readonly content?: string | Uint8Array | undefined;
    }
  | {
      readonly code: FakeFailureCode;
      /**
       * `not-sent` fails before the request is sent, `unknown` after that.
       *
       * @default 'not-sent' if the code says that there is no connection, else 'unknown'
       */
      readonly outcome?: Outcome | undefined;
    };

/** A request of a fake sender. */
export interface FakeRequest {
  /** The header fields, with names in lower case and several values joined. The access token is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were sent. */
  readonly content: Uint8Array;
}

/** Returns the reply to a request. */
export type Replier = (request: FakeRequest) => FakeReply | PromiseLike<FakeReply>;

/** What a fake sender sends to. It has no connections. */
export class FakeReceiver extends Transport {
  readonly requests: FakeRequest[] = [];
  readonly #acknowledgingStatus: number;
  #reply: Replier = () => 'acknowledge';
  #next: FakeReply[] = [];

  constructor(settings: Settings<never>) {
    super({ ...settings, dispatcher: new Dispatcher() });
    this.#acknowledgingStatus = settings.answered.acknowledgedStatus ?? 204;
  }

  reply(reply: FakeReply | Replier): void {
    if (typeof reply === 'function') {
      this.#reply = reply;
    } else {
      check(reply);
      this.#reply = () => reply;
    }
  }

  replyNext(replies: readonly FakeReply[]): void {
    replies.forEach(check);
    this.#next.push(...replies);
  }

  /** It uses no timer: a test may have replaced those. As with a connection, `send` returns before. */
  override send(attempt: Attempt, headers: readonly string[], content: Uint8Array): void {
    void Promise.resolve().then(() => this.#receive(attempt, headers, content));
  }

  async #receive(attempt: Attempt, headers: readonly string[], content: Uint8Array): Promise<void> {
    if (attempt.settled) return;
    attempt.onRequestStart(controller);
    const request = requestOf(headers, content);
    this.requests.push(request);
    try {
      const reply = this.#next.shift() ?? (await this.#ask(request));
      const response = this.#responseOf(reply);
      attempt.onResponseStart(controller, response.status, joined(Object.entries(response.headers ?? {})));
      if (response.content?.length) attempt.onResponseData(controller, Buffer.from(response.content));
      attempt.onResponseEnd();
    } catch (error) {
      if (isPlantStoreError(error) && error.outcome === 'not-sent') this.#forget(request);
      attempt.onResponseError(controller, error);
    }
  }

  /** Takes back a request that turns out not to be sent. */
  #forget(request: FakeRequest): void {
    this.requests.splice(this.requests.indexOf(request), 1);
  }

  /** Throws an error that is not retried if there is no reply, because the test is wrong then. */
  async #ask(request: FakeRequest): Promise<FakeReply> {
    try {
      const reply = await this.#reply(request);
      check(reply);
      return reply;
    } catch (cause) {
      const message = 'The `reply` function of the fake sender returned no reply; see `cause`.';
      throw notSent('PLANT_STORE_INVALID_OPTIONS', message, cause);
    }
  }

  /** Throws what the attempt fails with. */
  #responseOf(reply: FakeReply): Extract<FakeReply, { readonly status: number }> {
    if (reply === 'acknowledge') return { status: this.#acknowledgingStatus };
    if ('status' in reply) return reply;
    const { code, outcome = errorCodes[code].outcomes.at(-1)! } = reply;
    throw new PlantStoreError(code, `The fake sender was told to fail with ${code}.`, { outcome });
  }
}

/** There is no connection that could be closed. */
const controller: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

/** Header fields with names in lower case. The values of a field that is there several times are one (RFC 9110 §5.3). */
function joined(fields: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    values.set(key, values.has(key) ? `${values.get(key)}, ${value}` : value);
  }
  return Object.fromEntries(values);
}

function requestOf(list: readonly string[], content: Uint8Array): FakeRequest {
  const pairs = list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]!] as const] : []));
  const headers = joined(pairs);
  delete headers['authorization'];
  return Object.freeze({ headers: Object.freeze(headers), content });
}

/** Refuses a reply that no receiver and no connection could give. */
function check(reply: FakeReply): void {
  if (reply === 'acknowledge') return;
  if (typeof reply !== 'object' || (reply as unknown) === null) {
    throw new TypeError("A reply must be 'acknowledge', or an object with `status` or with `code`.");
  }
  if ('status' in reply) {
    if (Number.isInteger(reply.status) && reply.status >= 200 && reply.status <= 599) return;
    throw new TypeError(`\`status\` must be a final status from 200 to 599 (got ${reply.status}).`);
  }
  const { code, outcome } = reply;
  if (!failureCodes.includes(code)) {
    throw new TypeError(`\`code\` must be one of ${failureCodes.join(', ')} (got ${code}).`);
  }
  const { outcomes } = errorCodes[code];
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw new TypeError(`\`outcome\` of ${code} must be ${outcomes.join(' or ')} (got ${outcome}).`);
  }
}
