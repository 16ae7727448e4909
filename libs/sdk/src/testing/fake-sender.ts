import { answerValues, type AnswerValues } from '@plant-store/contract';
import { Dispatcher } from 'undici';
import type { AnyPlant } from '../answers/answered-types.js';
import type { Attempt } from '../delivery/attempt.js';
import type { EncodedPlant, Encoding } from '../encoders/plant-encoder.js';
import { type ErrorCode, errorCodes, type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import type { NewPlantSender } from '../new-plant-sender.js';
import { resolveSettings, type Settings } from '../options/resolve-settings.js';
import type { NewPlantSenderOptions, RawOptions } from '../options/sender-options.js';
import { Sender } from '../sender.js';
import { Transport } from '../transport/transport.js';

const failureCodes = [
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_ATTEMPT_TIMEOUT',
  'PLANT_STORE_TOTAL_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
  'PLANT_STORE_RESPONSE_UNREADABLE',
] as const satisfies readonly ErrorCode[];

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
      /** With names in lower case. @default none */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Text is sent as UTF-8. @default none */
      readonly content?: string | Uint8Array | undefined;
    }
  | {
      readonly code: (typeof failureCodes)[number];
      /**
       * `not-sent` fails before the request is sent, `unknown` after that.
       *
       * @default 'not-sent' if the code says that there is no connection, else 'unknown'
       */
      readonly outcome?: Outcome | undefined;
    };

/** A plant that a fake sender has encoded. */
export interface FakeDelivery<Plant> extends EncodedPlant {
  /** Absent if it was sent with `sendEncoded`. */
  readonly plant?: Plant;
}

/** A sender that has no receiver: it keeps what is sent, and replies as it is told. */
export interface FakeSender<Plant> extends NewPlantSender<Plant> {
  /** What was sent, in order: an entry for each plant that could be encoded. */
  readonly deliveries: readonly FakeDelivery<Plant>[];
  /**
   * Sets the reply to all further requests. Without it, they are acknowledged.
   *
   * @throws TypeError if no receiver could reply so.
   */
  reply(reply: FakeReply): void;
  /**
   * Sets the replies to the next requests, one each, in this order. They come before what `reply` has set.
   *
   * @throws TypeError if no receiver could give one of them.
   */
  replyNext(...replies: readonly FakeReply[]): void;
}

/**
 * Creates a sender for tests. It has the options of `createNewPlantSender` and does the same with them: it checks them,
 * encodes plants, calls `accessToken` and `headers`, retries, waits and closes. It makes no connection, and starts no
 * timer but those of the options, so it also works where a test replaces them.
 *
 * @throws InvalidOptionsError with every fault of the options.
 */
export function createFakeSender<Plant extends AnyPlant = AnyPlant>(
  options: NewPlantSenderOptions<Plant>,
): FakeSender<Plant> {
  // The type depends on the answers.
  const sender: unknown = createFakeSenderUnder<Plant>(options, answerValues);
  return sender as FakeSender<Plant>;
}

/** A fake sender under any answers. */
export type FakeSenderUnder<Plant> = Omit<FakeSender<Plant>, keyof NewPlantSender<Plant>> & Sender<Plant>;

/** Creates a sender for tests under other answers than the published ones. */
export function createFakeSenderUnder<Plant>(
  options: RawOptions,
  answers: AnswerValues,
): FakeSenderUnder<Plant> {
  const settings = resolveSettings<Plant>(answers, options);
  const transport = new FakeTransport(settings);
  const deliveries: FakeDelivery<Plant>[] = [];
  const encoder: Encoding<Plant> = {
    encode(plant, event) {
      const encoded = settings.encoder.encode(plant, event);
      deliveries.push(Object.freeze({ plant, ...encoded }));
      return encoded;
    },
    check(before) {
      const encoded = settings.encoder.check(before);
      deliveries.push(Object.freeze({ ...encoded }));
      return encoded;
    },
  };
  return Object.assign(new Sender({ ...settings, encoder }, transport), {
    deliveries,
    reply: (reply: FakeReply) => transport.reply(reply),
    replyNext: (...next: readonly FakeReply[]) => transport.replyNext(next),
  });
}

/** Replies instead of a receiver. It has no connections. */
class FakeTransport extends Transport {
  readonly #acknowledgingStatus: number;
  #reply: FakeReply = 'acknowledge';
  #next: FakeReply[] = [];

  constructor(settings: Settings<never>) {
    super({ ...settings, dispatcher: new Dispatcher() });
    this.#acknowledgingStatus = settings.answered.acknowledgedStatus ?? 204;
  }

  reply(reply: FakeReply): void {
    check(reply);
    this.#reply = reply;
  }

  replyNext(replies: readonly FakeReply[]): void {
    replies.forEach(check);
    this.#next.push(...replies);
  }

  /** It uses no timer: a test may have replaced those. As with a connection, `send` returns before. */
  override send(attempt: Attempt): void {
    void Promise.resolve().then(() => this.#respond(attempt));
  }

  #respond(attempt: Attempt): void {
    if (attempt.settled) return;
    const reply = this.#next.shift() ?? this.#reply;
    if (typeof reply === 'object' && 'code' in reply) {
      const { code, outcome = errorCodes[code].outcomes.at(-1)! } = reply;
      const message = `The fake sender was told to fail with ${code}.`;
      return attempt.fail(new PlantStoreError(code, message, { outcome }));
    }
    const response = reply === 'acknowledge' ? { status: this.#acknowledgingStatus } : reply;
    const { status, headers = {}, content = '' } = response;
    attempt.onRequestStart(controller);
    attempt.onResponseStart(controller, status, headers);
    if (content.length > 0) attempt.onResponseData(controller, Buffer.from(content as string));
    attempt.onResponseEnd();
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

/** Refuses a reply that no receiver and no connection could give. */
function check(reply: FakeReply): void {
  const { status, code, outcome } = Object(reply) as Partial<Record<string, unknown>>;
  const isStatus = Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599;
  const isFailure =
    failureCodes.includes(code as never) &&
    (outcome === undefined || errorCodes[code as ErrorCode].outcomes.includes(outcome as never));
  if (reply === 'acknowledge' || isStatus || isFailure) return;
  throw new TypeError(
    "A reply must be 'acknowledge', { status } with a final status from 200 to 599, or { code } with the code of a " +
      'request that failed, and an outcome that it can have.',
  );
}
