import type { AnsweredSettings } from '../answers/answered-settings.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import { readEventId } from '../options/read-event-id.js';
import { encodeFailed } from './encode-failed.js';
import type { EncodePlant } from './encode-plant.js';
import { essenceOf } from './media-type.js';

/** Adds to the encoding of a plant what the answers ask of it. While they ask for nothing, it is the same. */
export function asAnswered<Plant>(
  encode: EncodePlant<Plant>,
  { mediaType, maxContentBytes, eventIdHeader }: AnsweredSettings,
): EncodePlant<Plant> {
  let answered = encode;
  if (mediaType !== undefined) answered = ofMediaType(answered, mediaType);
  if (maxContentBytes !== undefined) answered = noLargerThan(answered, maxContentBytes);
  if (eventIdHeader !== undefined) answered = withEventId(answered);
  return answered;
}

function ofMediaType<Plant>(encode: EncodePlant<Plant>, answer: string): EncodePlant<Plant> {
  const expected = essenceOf(answer);
  return (plant, options) => {
    const { content, mediaType = answer } = encode(plant, options);
    if (mediaType === answer || essenceOf(mediaType) === expected) return { content, mediaType };
    throw encodeFailed(`\`encode\` gave the media type ${mediaType}; the answer to media-type is ${answer}.`);
  };
}

function noLargerThan<Plant>(encode: EncodePlant<Plant>, most: number): EncodePlant<Plant> {
  return (plant, options) => {
    const encoded = encode(plant, options);
    const { byteLength } = encoded.content;
    if (byteLength <= most) return encoded;
    const message = `The content has ${byteLength} bytes; the answer to size-limits is ${most}.`;
    throw new PlantStoreError('PLANT_STORE_CONTENT_TOO_LARGE', message, { outcome: 'not-sent' });
  };
}

function withEventId<Plant>(encode: EncodePlant<Plant>): EncodePlant<Plant> {
  return (plant, options) => {
    const eventId = readEventId(options.eventId);
    return { ...encode(plant, options), eventId };
  };
}
