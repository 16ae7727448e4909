import type { AnswerValues } from '@plant-store/contract';
import type { AnyPlant, GivenAnswers, PlantOf } from '../answers/answered-types.js';
import type { EncodedPlant, Encoding, RawEventOptions } from '../encoders/plant-encoder.js';
import { type Contract, type NewPlantSender, published } from '../new-plant-sender.js';
import { resolveSettings } from '../options/resolve-settings.js';
import type { NewPlantSenderOptions, RawOptions } from '../options/sender-options.js';
import { Sender } from '../sender.js';
import { type FakeReply, FakeReceiver, type FakeRequest, type Replier } from './fake-receiver.js';

/** A plant that a fake sender has encoded. */
export interface FakeDelivery<Plant> extends EncodedPlant {
  /** Absent if it was sent with `sendEncoded`. */
  readonly plant?: Plant;
}

/** A sender that has no receiver: it keeps what is sent, and replies as it is told. */
export interface FakeSender<Plant, Given extends AnswerValues = GivenAnswers> extends NewPlantSender<
  Plant,
  Given
> {
  /** What was sent, in order: an entry for each plant that could be encoded. */
  readonly deliveries: readonly FakeDelivery<Plant>[];
  /** The requests that were sent, in order: an entry for each attempt, but those that failed as `not-sent`. */
  readonly requests: readonly FakeRequest[];
  /**
   * Sets the reply to all further requests, or a function that returns it for each. Without it, requests are
   * acknowledged.
   *
   * @throws TypeError if no receiver could reply so.
   */
  reply(reply: FakeReply | Replier): void;
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
): FakeSender<Plant>;
/** Creates a sender for tests under other answers than the published ones. */
export function createFakeSender<
  const Given extends AnswerValues,
  Plant extends PlantOf<Given> = PlantOf<Given>,
>(options: NewPlantSenderOptions<Plant, Given>, contract: Contract<Given>): FakeSender<Plant, Given>;
export function createFakeSender(options: RawOptions, contract = published): unknown {
  const settings = resolveSettings(contract.answers, options);
  const receiver = new FakeReceiver(settings);
  const encoder = new RecordingEncoder(settings.encoder);
  const sender = new Sender({ ...settings, encoder }, receiver);
  const { send, sendEncoded, sendAll, close, [Symbol.asyncDispose]: dispose } = sender;
  return Object.freeze({
    ...{ send, sendEncoded, sendAll, close, [Symbol.asyncDispose]: dispose },
    deliveries: encoder.deliveries,
    requests: receiver.requests,
    reply: (reply: FakeReply | Replier) => receiver.reply(reply),
    replyNext: (...next: readonly FakeReply[]) => receiver.replyNext(next),
  });
}

/** Keeps what another encoder has encoded. */
class RecordingEncoder<Plant> implements Encoding<Plant> {
  readonly deliveries: FakeDelivery<Plant>[] = [];
  readonly #encoder: Encoding<Plant>;

  constructor(encoder: Encoding<Plant>) {
    this.#encoder = encoder;
  }

  encode(plant: Plant, options: RawEventOptions): EncodedPlant {
    const encoded = this.#encoder.encode(plant, options);
    this.deliveries.push(Object.freeze({ plant, ...encoded }));
    return encoded;
  }

  check(before: EncodedPlant | undefined): EncodedPlant {
    const encoded = this.#encoder.check(before);
    this.deliveries.push(Object.freeze({ ...encoded }));
    return encoded;
  }
}
