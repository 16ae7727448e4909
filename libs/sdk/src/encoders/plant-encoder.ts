import { isNativeError, isPromise, isUint8Array } from 'node:util/types';
import { InvalidOptionsError, type OptionFault, unexpected } from '../errors/invalid-options-error.js';
import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import { type Encoded, essenceOf, isMediaType } from './encoder.js';
import { ignore, isPromiseLike } from './promise-like.js';

/** A plant that is ready to be sent: what `sendEncoded` takes, and what an outbox keeps. */
export interface EncodedPlant {
  /** Not empty. */
  readonly content: Uint8Array;
  /** The value of Content-Type (RFC 9110 §8.3.1), as `encode` returned it. */
  readonly mediaType?: string;
  /** The identifier of the event, if event-identity is answered with a header. */
  readonly eventId?: string;
}

/** The options of `send` about the event. They are not checked yet. */
export interface RawEventOptions {
  readonly eventId?: unknown;
  readonly event?: unknown;
}

/** An encoder from JavaScript, whose types are not checked. */
export type UncheckedEncoder<Plant> = (plant: Plant, event?: unknown) => Partial<Encoded> | undefined;

/** What the answers say about content. Each is absent while its question is open. */
export interface ContentAnswers {
  /** The media type of every delivery, without parameters. */
  readonly mediaType?: string;
  /** The largest content that is sent, in bytes. */
  readonly maxContentBytes?: number;
  /** Whether an event has fields. They are passed to `encode`. */
  readonly eventHasFields?: boolean;
  /** Name of the header field with the identifier of the event. */
  readonly eventIdHeader?: string;
}

/** How a sender encodes plants. */
export type Encoding<Plant> = Pick<PlantEncoder<Plant>, 'encode' | 'check'>;

/** Encodes plants with the encoder of the caller or of the answers, checks its result, and applies the answers. */
export class PlantEncoder<Plant> {
  readonly #encode: UncheckedEncoder<Plant>;
  readonly #answers: ContentAnswers;

  constructor(encode: UncheckedEncoder<Plant>, answers: ContentAnswers) {
    this.#encode = encode;
    this.#answers = answers;
  }

  /** @throws PlantStoreError */
  encode(plant: Plant, { event, eventId }: RawEventOptions): EncodedPlant {
    const { eventHasFields, eventIdHeader } = this.#answers;
    const faults = [
      ...(eventIdHeader === undefined ? [] : eventIdFaults(eventId)),
      ...(eventHasFields ? eventFaults(event) : []),
    ];
    if (faults.length > 0) throw new InvalidOptionsError(faults);
    const encode = this.#encode;
    return this.#apply(
      callEncoder(plant, () => (eventHasFields ? encode(plant, event) : encode(plant))),
      eventId,
    );
  }

  /**
   * Checks a plant that was encoded before, such as one of an outbox. The fields of an event are in its content already.
   *
   * @throws PlantStoreError
   */
  check(encoded: EncodedPlant | undefined): EncodedPlant {
    let eventId: unknown;
    const read = callEncoder(encoded, () => {
      eventId = encoded?.eventId;
      return encoded;
    });
    const faults = this.#answers.eventIdHeader === undefined ? [] : eventIdFaults(eventId);
    if (faults.length > 0) throw new InvalidOptionsError(faults);
    return this.#apply(read, eventId);
  }

  #apply(encoded: ReturnType<typeof callEncoder>, eventId: unknown): EncodedPlant {
    const { eventIdHeader, maxContentBytes = Infinity } = this.#answers;
    const content = copyOf(encoded.content);
    const mediaType = this.#mediaTypeOf(encoded);
    const { byteLength } = content;
    if (byteLength > maxContentBytes) {
      const message = `The content has ${byteLength} bytes. The limit is ${maxContentBytes} (question size-limits).`;
      throw notSent('PLANT_STORE_CONTENT_TOO_LARGE', message);
    }
    return {
      content,
      ...(mediaType !== undefined && { mediaType }),
      ...(eventIdHeader !== undefined && { eventId: eventId as string }),
    };
  }

  #mediaTypeOf({ mediaType }: ReturnType<typeof callEncoder>): string | undefined {
    const { mediaType: answer } = this.#answers;
    const own = checkedMediaType(mediaType);
    if (own === undefined || answer === undefined || essenceOf(own) === essenceOf(answer))
      return own ?? answer;
    throw encodeFailed(
      `The encoded plant has the media type ${own}. It must be ${answer} (question media-type).`,
    );
  }
}

/**
 * Calls an encoder and reads its result, once each: a getter of the result may throw. A plant that is a promise is a
 * mistake, with whatever encoder.
 */
function callEncoder(
  plant: unknown,
  call: () => Partial<Encoded> | undefined,
): Partial<Record<keyof Encoded, unknown>> {
  let encoded: Partial<Encoded> | PromiseLike<unknown> | undefined;
  try {
    encoded = isPromiseLike(plant) ? plant : call();
    if (!isPromiseLike<unknown>(encoded)) return { content: encoded?.content, mediaType: encoded?.mediaType };
  } catch (cause) {
    const reason = isNativeError(cause) ? `: ${cause.message}` : ' a value that is no error; see `cause`.';
    throw encodeFailed(`Encoding the plant threw${reason}`, cause);
  }
  // Some queries of a database, which are no real promises, would begin.
  if (isPromise(encoded)) ignore(encoded);
  throw encodeFailed('The plant, or what `encode` returned, must not be a promise. Await it.');
}

/** Text as UTF-8, or a copy of bytes: the caller may use its buffer again as soon as `send` has returned. */
function copyOf(content: unknown): Uint8Array {
  if ((typeof content === 'string' || isUint8Array(content)) && content.length > 0) {
    return Buffer.from(content as string);
  }
  throw encodeFailed('The encoded plant must be `{ content }` with a string or a Uint8Array, not empty.');
}

function checkedMediaType(mediaType: unknown): string | undefined {
  if (mediaType === undefined || isMediaType(mediaType)) return mediaType;
  throw encodeFailed('The encoded plant has an invalid `mediaType` (RFC 9110 §8.3.1).');
}

/** `event` is needed once the question event-payload-fields is answered. The receiver checks its fields. */
function eventFaults(option: unknown): readonly OptionFault[] {
  if (isObject(option)) return [];
  const question = 'event-payload-fields';
  return unexpected('event', option, 'an object with the fields of the event.', { question }).faults;
}

/** Visible ASCII, with spaces inside: a header field keeps it unchanged (RFC 9110 §5.5). */
const eventIdPattern = /^[!-~](?:[ -~]*[!-~])?$/;

/** `eventId` is needed once the question event-identity is answered with a header. */
function eventIdFaults(option: unknown): readonly OptionFault[] {
  if (typeof option === 'string' && eventIdPattern.test(option)) return [];
  const expected = 'printable ASCII that identifies the event, without a space at the start or the end.';
  return unexpected('eventId', option, expected, { question: 'event-identity' }).faults;
}

function encodeFailed(message: string, cause?: unknown): PlantStoreError {
  return notSent('PLANT_STORE_ENCODE_FAILED', message, cause);
}

/** Whether a value is an object with fields. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
