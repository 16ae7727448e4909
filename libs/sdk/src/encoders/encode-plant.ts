import { isUint8Array } from 'node:util/types';
import type { UncheckedSendOptions } from '../new-plant-sender.js';
import type { Encoded } from './encoder.js';
import { encodeFailed } from './encode-failed.js';
import { isMediaType } from './media-type.js';

/** A plant ready to be sent. */
export interface EncodedPlant {
  readonly content: Uint8Array;
  readonly mediaType?: string;
  /** The identifier of the event, where there is one. */
  readonly eventId?: string;
}

/** Encodes a plant that is sent with these options. */
export type EncodePlant<Plant> = (plant: Plant, options: UncheckedSendOptions) => EncodedPlant;

/** An encoder as JavaScript may have written it. */
export type UncheckedEncoder<Plant> = (plant: Plant, event?: unknown) => Partial<Encoded> | undefined;

/** Encodes plants with an encoder, and holds its result to what `Encoded` promises. */
export function encodePlantWith<Plant>(
  encode: UncheckedEncoder<Plant>,
  eventHasFields: boolean,
): EncodePlant<Plant> {
  const call: CallEncoder<Plant> = eventHasFields
    ? (plant, { event }) => encode(plant, event)
    : (plant) => encode(plant);
  return (plant, options) => checked(attempt(call, plant, options));
}

type CallEncoder<Plant> = (plant: Plant, options: UncheckedSendOptions) => Partial<Encoded> | undefined;

function attempt<Plant>(
  call: CallEncoder<Plant>,
  plant: Plant,
  options: UncheckedSendOptions,
): Partial<Encoded> {
  try {
    return call(plant, options) ?? {};
  } catch (cause) {
    throw encodeFailed('`encode` threw.', cause);
  }
}

function checked({ content, mediaType }: Partial<Encoded>): EncodedPlant {
  const encoded = typeof content === 'string' ? Buffer.from(content) : content;
  if (!isUint8Array(encoded)) {
    throw encodeFailed('`encode` must give `{ content }` with text or a Uint8Array.');
  }
  if (encoded.byteLength === 0) {
    throw encodeFailed('`encode` gave empty content, which carries no information about a plant.');
  }
  if (mediaType === undefined) return { content: encoded };
  if (!isMediaType(mediaType)) {
    throw encodeFailed('`encode` gave a `mediaType` that is no media type (RFC 9110 §8.3.1).');
  }
  return { content: encoded, mediaType };
}
