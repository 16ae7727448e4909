import { isJsonMediaType, type PayloadShape } from '@plant-store/contract';
import type { Encoded } from './encoder.js';
import { json } from './json.js';

/** Makes the payload that is answered from a plant, and from the fields of its event where it has some. */
export type DefaultEncoder = (plant: unknown, event: unknown) => Encoded;

/** A media type for which this package has an encoder. */
export type EncodableMediaType = 'application/json' | `application/${string}+json`;

/** The encoder for a payload; `undefined` while its media type is open, or where this package has none for it. */
export function defaultEncoder(
  mediaType: string | undefined,
  shape: PayloadShape,
  eventHasFields: boolean,
): DefaultEncoder | undefined {
  if (mediaType === undefined || !isJsonMediaType(mediaType)) return undefined;
  const payloadOf = payloadMaker(shape, eventHasFields);
  return (plant, event) => ({ content: json(payloadOf(plant, event)).content, mediaType });
}

type PayloadMaker = (plant: unknown, event: unknown) => unknown;

function payloadMaker(shape: PayloadShape, eventHasFields: boolean): PayloadMaker {
  if (shape === 'plant') return eventHasFields ? (plant, event) => joined(plant, event) : (plant) => plant;
  const { plantField } = shape;
  return eventHasFields
    ? (plant, event) => joined({ [plantField]: present(plant) }, event)
    : (plant) => ({ [plantField]: present(plant) });
}

function present(plant: unknown): unknown {
  if (plant === undefined) throw new TypeError('There is no plant.');
  return plant;
}

/** The fields of both in one object. A field that both have, as one that two schemas ask for, has one value. */
function joined(plant: unknown, event: unknown): object {
  if (!isObject(plant)) throw new TypeError('The plant is no object, so the event has no place beside it.');
  if (!isObject(event)) throw new TypeError('`event` is no object with the fields of the event.');
  const different = Object.keys(event).find(
    (field) => Object.hasOwn(plant, field) && !Object.is(plant[field], event[field]),
  );
  if (different !== undefined)
    throw new TypeError(`The plant and the event differ in the field ${different}.`);
  return { ...event, ...plant };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
