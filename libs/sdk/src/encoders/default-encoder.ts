import { type ExecutableAnswers, isJsonMediaType, plantFieldOf } from '@plant-store/contract';
import { type Encoded, json, refuseLost } from './encoder.js';

/** Encodes a plant, and the fields of its event if it has any, as the questions payload and media-type are answered. */
export type DefaultEncoder = (plant: unknown, event: unknown) => Encoded;

/** A media type, if the default encoder supports it. Upper and lower case are the same (RFC 9110 §8.3.1). */
export type EncodableMediaType<Type extends string> =
  Lowercase<Type> extends 'application/json' | `${string}/${string}+json` ? Type : never;

/** The default encoder for a payload; `undefined` while the media type is open, or if it isn't JSON. */
export function defaultEncoder(
  mediaType: string | undefined,
  payload: ExecutableAnswers['payload'],
  eventHasFields: boolean,
): DefaultEncoder | undefined {
  if (!isJsonMediaType(mediaType)) return undefined;
  const plantField = plantFieldOf(payload);
  return (plant, event) => {
    // `send` has checked that the event is an object. It needs a field for the plant beside it.
    const fields = eventHasFields ? (refuseLost('event', event) as object) : {};
    const value = plantField === undefined ? plant : { ...fields, ...inField(plantField, plant, fields) };
    return { content: json(value).content, mediaType };
  };
}

function inField(field: string, plant: unknown, others: object): object {
  if (Object.hasOwn(others, field))
    throw new TypeError(`The event has the field ${field}, where the plant is.`);
  return { [field]: required(plant) };
}

/** In an object, JSON leaves out what has no JSON form. */
function required(plant: unknown): unknown {
  if (!['undefined', 'function', 'symbol'].includes(typeof plant)) return plant;
  throw new TypeError(`A value of type ${typeof plant} has no JSON form.`);
}
