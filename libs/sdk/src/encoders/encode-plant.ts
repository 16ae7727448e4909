import { isUint8Array } from 'node:util/types';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { Encoder } from './encoder.js';
import { isMediaType } from './media-type.js';

/** A plant ready to be sent. */
export interface EncodedPlant {
  readonly content: Uint8Array;
  readonly mediaType?: string;
}

/** Encodes a plant and holds the result to what `Encoded` promises. */
export function encodePlant<Plant>(encode: Encoder<Plant>, plant: Plant): EncodedPlant {
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

function callEncoder<Plant>(encode: Encoder<Plant>, plant: Plant): ReturnType<Encoder<Plant>> {
  try {
    return encode(plant) ?? {};
  } catch (cause) {
    throw encodeFailed('`encode` threw.', cause);
  }
}

function encodeFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ENCODE_FAILED', message, { outcome: 'not-sent', cause });
}
