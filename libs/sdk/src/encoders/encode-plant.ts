import { isUint8Array } from 'node:util/types';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { Encoded } from './encoder.js';
import { isMediaType } from './media-type.js';

/** A plant ready to be sent. */
export interface EncodedPlant {
  readonly content: Uint8Array;
  readonly mediaType?: string;
}

/** An encoder as JavaScript may have written it. */
type UncheckedEncoder<Plant> = (plant: Plant) => Partial<Encoded> | undefined;

/** Encodes a plant and holds the result to what `Encoded` promises. */
export function encodePlant<Plant>(encode: UncheckedEncoder<Plant>, plant: Plant): EncodedPlant {
  const { content, mediaType } = callEncoder(encode, plant);
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

function callEncoder<Plant>(encode: UncheckedEncoder<Plant>, plant: Plant): Partial<Encoded> {
  try {
    return encode(plant) ?? {};
  } catch (cause) {
    throw encodeFailed('`encode` threw.', cause);
  }
}

function encodeFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ENCODE_FAILED', message, { outcome: 'not-sent', cause });
}
