import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import type { Encoded, Encoder } from './encoder.js';
import { isMediaType } from './media-type.js';

/**
 * Makes an encoder for plants that are encoded already: it sends what it is given, unchanged.
 *
 * @param mediaType The value of Content-Type; without it, the header is not sent.
 * @throws InvalidOptionsError where `mediaType` is no media type.
 */
export function bytes(mediaType?: string): Encoder<Uint8Array | string> {
  if (mediaType !== undefined && !isMediaType(mediaType)) {
    throw new InvalidOptionsError([
      { option: 'mediaType', problem: 'must be a media type such as type/subtype (RFC 9110 §8.3.1).' },
    ]);
  }
  return (content): Encoded => ({ content, mediaType });
}
