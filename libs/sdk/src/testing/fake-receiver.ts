import { Dispatcher } from 'undici';
import {
  type ErrorCode,
  errorCodes,
  notSent,
  type Outcome,
  PlantStoreError,
} from '../errors/plant-store-error.js';

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

/** What a fake sender sends to: a dispatcher without connections. */
export class FakeReceiver extends Dispatcher {
  readonly requests: FakeRequest[] = [];
  readonly #acknowledgingStatus: number;
  #reply: Replier = () => 'acknowledge';
  #next: FakeReply[] = [];

  constructor(acknowledgingStatus: number) {
    super();
    this.#acknowledgingStatus = acknowledgingStatus;
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

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new FakeController();
    handler.onRequestStart?.(controller, {});
    const request = requestOf(options);
    this.requests.push(request);
    void this.#respond(request, handler, controller);
    return true;
  }

  async #respond(
    request: FakeRequest,
    handler: Dispatcher.DispatchHandler,
    controller: FakeController,
  ): Promise<void> {
    try {
      const reply = this.#next.shift() ?? (await this.#ask(request));
      const { status, headers = {}, content = '' } = this.#responseOf(reply);
      handler.onResponseStart?.(controller, status, withLowerCase(headers));
      if (content.length > 0) handler.onResponseData?.(controller, Buffer.from(content));
      handler.onResponseEnd?.(controller, {});
    } catch (error) {
      if (error instanceof PlantStoreError && error.outcome === 'not-sent') this.#forget(request);
      handler.onResponseError?.(controller, error as Error);
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

/** Lets the sender abort a request. */
class FakeController implements Dispatcher.DispatchController {
  readonly paused = false;
  reason: Error | null = null;

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    this.reason = reason;
  }

  pause(): void {}

  resume(): void {}
}

function requestOf({ headers, body }: Dispatcher.DispatchOptions): FakeRequest {
  const sent = withLowerCase(headers as Record<string, string | string[]>);
  delete sent['authorization'];
  return Object.freeze({ headers: Object.freeze(sent), content: body as Uint8Array });
}

/** Header fields with names in lower case. The values of a field that is there several times are one (RFC 9110 §5.3). */
function withLowerCase(headers: Readonly<Record<string, string | string[]>>): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    fields.set(key, [fields.get(key) ?? [], value].flat().join(', '));
  }
  return Object.fromEntries(fields);
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
