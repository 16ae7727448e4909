import type { Answers } from '@plant-store/contract';
import { encoderFor } from '../encoders/encoder-for.js';
import type { Encoder } from '../encoders/encoder.js';
import { Fault } from './fault.js';
import { missing } from './missing.js';

/** Reads `encode`, or takes the encoder for the answer to the question media-type. */
export function readEncode<Plant>(given: Answers, option: unknown): Encoder<Plant> {
  const mediaType = given['media-type'];
  const encode = option ?? encoderFor(mediaType);
  if (encode === undefined && mediaType === undefined) throw missing('encode', 'media-type');
  if (encode === undefined) {
    throw new Fault('encode', `is missing: there is no encoder here for ${mediaType}.`, 'media-type');
  }
  if (typeof encode !== 'function') throw new Fault('encode', 'must be a function.', 'media-type');
  return encode as Encoder<Plant>;
}
