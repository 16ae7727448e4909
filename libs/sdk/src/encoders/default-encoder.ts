import { isDeepStrictEqual } from 'node:util';
import { type ExecutableAnswers, isJsonMediaType, plantFieldOf } from '@plant-store/contract';
import { type Encoded, json } from './encoder.js';

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
    const plantPart = plantField === undefined ? plant : { [plantField]: required(plant) };
    const { content } = json(eventHasFields ? merge(plantPart, event as Fields) : plantPart);
    return { content, mediaType };
  };
}

/** In an object, JSON leaves out what has no JSON form. */
function required(plant: unknown): unknown {
  if (!['undefined', 'function', 'symbol'].includes(typeof plant)) return plant;
  throw new TypeError(`A value of type ${typeof plant} has no JSON form.`);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * One object with the fields of both. A field that both schemas ask for must have equal values. `send` has checked that
 * the event is an object.
 */
function merge(plant: unknown, event: Fields): object {
  if (!isObject(plant)) {
    throw new TypeError('The plant must be an object, because the fields of the event are added to it.');
  }
  const different = Object.keys(event).find(
    (field) => Object.hasOwn(plant, field) && !isDeepStrictEqual(plant[field], event[field]),
  );
  if (different !== undefined) {
    throw new TypeError(`The plant and the event have different values of the field ${different}.`);
  }
  return { ...event, ...plant };
}

/** Whether a value is an object with fields. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
