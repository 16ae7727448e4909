import { isJsonMediaType } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { asAnswered } from '../encoders/as-answered.js';
import { type EncodePlant, encodePlantWith, type UncheckedEncoder } from '../encoders/encode-plant.js';
import { Fault } from './fault.js';
import { missing } from './missing.js';

/** Reads `encode`, or takes the encoder for the answers to the questions payload and media-type. */
export function readEncode<Plant>(answered: AnsweredSettings, option: unknown): EncodePlant<Plant> {
  const encode = option ?? answered.defaultEncoder;
  if (encode === undefined) throw withoutEncode(answered.mediaType);
  if (typeof encode !== 'function') throw new Fault('encode', 'must be a function.', 'media-type');
  return asAnswered(encodePlantWith(encode as UncheckedEncoder<Plant>, answered.eventHasFields), answered);
}

function withoutEncode(mediaType: string | undefined): Fault {
  if (mediaType === undefined) return missing('encode', 'media-type');
  if (isJsonMediaType(mediaType)) return missing('encode', 'payload');
  return new Fault('encode', `is missing: there is no encoder here for ${mediaType}.`, 'media-type');
}
