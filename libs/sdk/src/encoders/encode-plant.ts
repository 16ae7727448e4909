import { isUint8Array } from 'node:util/types';
import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { Encoded } from './encoder.js';
import { essenceOf, isMediaType } from './media-type.js';

/** A plant that is ready to be sent. */
export interface EncodedPlant {
  readonly content: Uint8Array;
  readonly mediaType?: string;
  /** The identifier of the event, if event-identity is answered with a header. */
  readonly eventId?: string;
}

/** The options of `send` about the event. They are not checked yet. */
export interface UncheckedEventOptions {
  readonly eventId?: unknown;
  readonly event?: unknown;
}

/** Encodes a plant that is sent with these options. */
export type EncodePlant<Plant> = (plant: Plant, options: UncheckedEventOptions) => EncodedPlant;

/** An encoder from JavaScript, whose types are not checked. */
export type UncheckedEncoder<Plant> = (plant: Plant, event?: unknown) => Partial<Encoded> | undefined;

/** What the answers say about content. `undefined` while the question is open. */
export interface ContentAnswers {
  /** The media type of every delivery, without parameters. */
  readonly mediaType: string | undefined;
  /** The largest content that is sent, in bytes. */
  readonly maxContentBytes: number | undefined;
  /** Whether an event has fields. They are passed to `encode`. */
  readonly eventHasFields: boolean;
  /** Name of the header field with the identifier of the event. */
  readonly eventIdHeader: string | undefined;
}

/** Encodes plants with an encoder, checks its result, and applies the answers. */
export function encodePlantWith<Plant>(
  encode: UncheckedEncoder<Plant>,
  { mediaType, maxContentBytes, eventHasFields, eventIdHeader }: ContentAnswers,
): EncodePlant<Plant> {
  const call: CallEncoder<Plant> = eventHasFields
    ? (plant, { event }) => encode(plant, event)
    : (plant) => encode(plant);
  let encodePlant: EncodePlant<Plant> = (plant, options) => checked(callEncoder(call, plant, options));
  if (mediaType !== undefined) encodePlant = ofMediaType(encodePlant, mediaType);
  if (maxContentBytes !== undefined) encodePlant = noLargerThan(encodePlant, maxContentBytes);
  if (eventIdHeader !== undefined) encodePlant = withEventId(encodePlant);
  return encodePlant;
}

type CallEncoder<Plant> = (plant: Plant, options: UncheckedEventOptions) => Partial<Encoded> | undefined;

function callEncoder<Plant>(
  call: CallEncoder<Plant>,
  plant: Plant,
  options: UncheckedEventOptions,
): Partial<Encoded> {
  try {
    return call(plant, options) ?? {};
  } catch (cause) {
    throw encodeFailed('`encode` threw an error; see `cause`.', cause);
  }
}

function checked({ content, mediaType }: Partial<Encoded>): EncodedPlant {
  const encoded = typeof content === 'string' ? Buffer.from(content) : content;
  if (!isUint8Array(encoded)) {
    throw encodeFailed('`encode` must return `{ content }` with a string or a Uint8Array.');
  }
  if (encoded.byteLength === 0) {
    throw encodeFailed('`encode` returned empty content. A delivery must carry information about a plant.');
  }
  if (mediaType === undefined) return { content: encoded };
  if (!isMediaType(mediaType)) {
    throw encodeFailed('`encode` returned an invalid `mediaType` (RFC 9110 §8.3.1).');
  }
  return { content: encoded, mediaType };
}

function ofMediaType<Plant>(encode: EncodePlant<Plant>, answer: string): EncodePlant<Plant> {
  const expected = essenceOf(answer);
  return (plant, options) => {
    const { content, mediaType = answer } = encode(plant, options);
    if (mediaType === answer || essenceOf(mediaType) === expected) return { content, mediaType };
    throw encodeFailed(
      `\`encode\` returned the media type ${mediaType}. It must be ${answer} (question media-type).`,
    );
  };
}

function noLargerThan<Plant>(encode: EncodePlant<Plant>, maximum: number): EncodePlant<Plant> {
  return (plant, options) => {
    const encoded = encode(plant, options);
    const { byteLength } = encoded.content;
    if (byteLength <= maximum) return encoded;
    const message = `The content has ${byteLength} bytes. The limit is ${maximum} (question size-limits).`;
    throw new PlantStoreError('PLANT_STORE_CONTENT_TOO_LARGE', message, { outcome: 'not-sent' });
  };
}

function withEventId<Plant>(encode: EncodePlant<Plant>): EncodePlant<Plant> {
  return (plant, options) => {
    const eventId = readEventId(options.eventId);
    return { ...encode(plant, options), eventId };
  };
}

/** Visible ASCII, with spaces inside: a header field keeps it unchanged (RFC 9110 §5.5). */
const eventIdPattern = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Checks `eventId`, which each `send` needs once the question event-identity is answered with a header.
 *
 * @throws InvalidOptionsError if it is missing or can't be sent in a header field.
 */
export function readEventId(option: unknown): string {
  if (typeof option === 'string' && eventIdPattern.test(option)) return option;
  const problem =
    option === undefined
      ? 'is missing. Each delivery needs the identifier of its event.'
      : 'must be printable ASCII without a space at the start or the end.';
  throw new InvalidOptionsError([{ option: 'eventId', problem, question: 'event-identity' }]);
}

function encodeFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ENCODE_FAILED', message, { outcome: 'not-sent', cause });
}
