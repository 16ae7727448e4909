import { accepts, type Accepts, answers, type Answers } from '@plant-store/contract';
import type { AnyPlant, GivenAnswers, PlantOf } from '../answers/answered-types.js';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import { type NewPlantSender, openSender } from '../new-plant-sender.js';
import { resolveSettings } from '../options/resolve-settings.js';
import type { NewPlantSenderOptions } from '../options/sender-options.js';
import { type Replier, type FakeReply, FakeReceiver, type FakeRequest } from './fake-receiver.js';

/** A plant that a fake sender has encoded. */
export interface FakeDelivery<Plant> extends EncodedPlant {
  /** Absent if it was sent with `sendEncoded`. */
  readonly plant?: Plant;
}

/** A sender that has no receiver: it keeps what is sent, and replies as it is told. */
export interface FakeSender<Plant, Given extends Answers = GivenAnswers> extends NewPlantSender<
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
 * encodes plants, calls `accessToken` and `headers`, retries, waits and closes. It makes no connection.
 *
 * @throws InvalidOptionsError with every fault of the options.
 */
export function createFakeSender<Plant extends AnyPlant = AnyPlant>(
  options: NewPlantSenderOptions<Plant>,
): FakeSender<Plant> {
  return createFakeSenderUnder<GivenAnswers, Plant>(answers, options, accepts);
}

/** Creates a sender for tests under a set of answers. */
export function createFakeSenderUnder<
  const Given extends Answers,
  Plant extends PlantOf<Given> = PlantOf<Given>,
>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
  accepted: Accepts = {},
): FakeSender<Plant, Given> {
  const settings = resolveSettings<Plant>(given, options, accepted);
  const receiver = new FakeReceiver(settings.answered.acknowledgedStatuses?.[0] ?? 204);
  const deliveries: FakeDelivery<Plant>[] = [];
  const sender = openSender<Plant>({
    ...settings,
    dispatcher: receiver,
    encode(plant, sendOptions) {
      const encoded = settings.encode(plant, sendOptions);
      deliveries.push(Object.freeze({ plant, ...encoded }));
      return encoded;
    },
    checkEncoded(before, sendOptions) {
      const encoded = settings.checkEncoded(before, sendOptions);
      deliveries.push(Object.freeze({ ...encoded }));
      return encoded;
    },
  });
  return Object.freeze({
    ...sender,
    deliveries,
    requests: receiver.requests,
    reply: (reply: FakeReply | Replier) => receiver.reply(reply),
    replyNext: (...next: readonly FakeReply[]) => receiver.replyNext(next),
  }) as unknown as FakeSender<Plant, Given>;
}
