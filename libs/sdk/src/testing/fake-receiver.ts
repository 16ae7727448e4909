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
 * How a request is answered.
 *
 * - `'acknowledge'`: a response that acknowledges the delivery.
 * - `{ status }`: a response with this status. Whether it acknowledges the delivery is decided as always.
 * - `{ code }`: no response. The attempt fails with this code.
 */
export type FakeAnswer =
  | 'acknowledge'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly content?: string | Uint8Array;
    }
  | {
      readonly code: FakeFailureCode;
      /**
       * `not-sent` fails before the request is sent, `unknown` after that.
       *
       * @default the first outcome that `errorCodes` has for the code
       */
      readonly outcome?: Outcome;
    };

/** A request of a fake sender. */
export interface FakeRequest {
  /** The header fields, with names in lower case and several values joined. The access token is left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
}

/** Answers a request, or says how to answer it. */
export type Answerer = (request: FakeRequest) => FakeAnswer | PromiseLike<FakeAnswer>;

/** What a fake sender sends to: a dispatcher without connections. */
export class FakeReceiver extends Dispatcher {
  readonly requests: FakeRequest[] = [];
  readonly #acknowledgingStatus: number;
  #answer: Answerer = () => 'acknowledge';
  #next: FakeAnswer[] = [];

  constructor(acknowledgingStatus: number) {
    super();
    this.#acknowledgingStatus = acknowledgingStatus;
  }

  answer(answer: FakeAnswer | Answerer): void {
    if (typeof answer === 'function') {
      this.#answer = answer;
    } else {
      check(answer);
      this.#answer = () => answer;
    }
  }

  answerNext(answers: readonly FakeAnswer[]): void {
    answers.forEach(check);
    this.#next.push(...answers);
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
      const answer = this.#next.shift() ?? (await this.#ask(request));
      const { status, headers = {}, content = '' } = this.#responseOf(answer);
      handler.onResponseStart?.(controller, status, withLowerCase(headers));
      if (content.length > 0) handler.onResponseData?.(controller, Buffer.from(content));
      handler.onResponseEnd?.(controller, {});
    } catch (error) {
      handler.onResponseError?.(controller, error as Error);
    }
  }

  /** Throws an error that is not retried if there is no answer, because the test is wrong then. */
  async #ask(request: FakeRequest): Promise<FakeAnswer> {
    try {
      const answer = await this.#answer(request);
      check(answer);
      return answer;
    } catch (cause) {
      const message = 'The `answer` function of the fake sender gave no answer; see `cause`.';
      throw notSent('PLANT_STORE_INVALID_OPTIONS', message, cause);
    }
  }

  /** Throws what the attempt fails with. */
  #responseOf(answer: FakeAnswer): Extract<FakeAnswer, { readonly status: number }> {
    if (answer === 'acknowledge') return { status: this.#acknowledgingStatus };
    if ('status' in answer) return answer;
    const { code, outcome = errorCodes[code].outcomes[0]! } = answer;
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

/** Refuses an answer that no receiver and no connection could give. */
function check(answer: FakeAnswer): void {
  if (answer === 'acknowledge') return;
  if (typeof answer !== 'object' || (answer as unknown) === null) {
    throw new TypeError("An answer must be 'acknowledge', or an object with `status` or with `code`.");
  }
  if ('status' in answer) {
    if (Number.isInteger(answer.status) && answer.status >= 200 && answer.status <= 599) return;
    throw new TypeError(`\`status\` must be a final status from 200 to 599 (got ${answer.status}).`);
  }
  const { code, outcome } = answer;
  if (!failureCodes.includes(code)) {
    throw new TypeError(`\`code\` must be one of ${failureCodes.join(', ')} (got ${code}).`);
  }
  const { outcomes } = errorCodes[code];
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw new TypeError(`\`outcome\` of ${code} must be ${outcomes.join(' or ')} (got ${outcome}).`);
  }
}
