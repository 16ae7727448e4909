import type { Encoder } from './encoder.js';
import { json } from './json.js';

const encoders = { 'application/json': json } as const;

/** A media type for which this package has an encoder. */
export type EncodableMediaType = keyof typeof encoders;

/** The encoder for a media type, where there is one. */
export function encoderFor(mediaType: string | undefined): Encoder<unknown> | undefined {
  return mediaType !== undefined && Object.hasOwn(encoders, mediaType)
    ? encoders[mediaType as EncodableMediaType]
    : undefined;
}
