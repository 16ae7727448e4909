import { isBoxedPrimitive, isSymbolObject } from 'node:util/types';
import { invalidOption } from '../errors/invalid-options-error.js';
import { isPromiseLike } from './promise-like.js';

/** An encoded plant: what is sent. */
export interface Encoded {
  /** The content; text is sent as UTF-8, and bytes are copied at once. It must not be empty. */
  readonly content: Uint8Array | string;
  /**
   * The value of Content-Type (RFC 9110 §8.3.1). If it is missing, the answer to the question media-type is sent;
   * while that question is open, the header is not sent.
   */
  readonly mediaType?: string | undefined;
}

/**
 * Turns a plant into what is sent. The form is open (questions payload, media-type, plant-fields,
 * event-payload-fields). Once event-payload-fields is answered, the second argument is the event. It is not
 * asynchronous: `send` encodes before it returns, so the plant may change afterwards.
 */
export type Encoder<Plant, Event extends readonly unknown[] = []> = (
  plant: Plant,
  ...event: Event
) => Encoded;

/**
 * Encodes a plant as JSON in UTF-8, with the media type `application/json` (RFC 8259).
 *
 * @throws TypeError if the plant has no JSON form, or has something in it that JSON would turn into `{}`, such as a Map, a
 *   Blob, an error or a promise. `send` reports it as `PLANT_STORE_ENCODE_FAILED`.
 */
export function json(plant: unknown): Encoded {
  const content = JSON.stringify(plant) as string | undefined;
  if (content === undefined) throw new TypeError(`A value of type ${typeof plant} has no JSON form.`);
  // Only then something may have been lost. A look at each value would take longer than all the rest.
  if (content.includes('{}')) JSON.stringify(plant, refuseLost);
  return { content, mediaType: 'application/json' };
}

/** A replacer for JSON that throws if a value would become `{}` although it holds something. */
export function refuseLost(key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isLost(value)) return value;
  const where = key === '' ? '' : ` in the field ${key}`;
  const advice = isPromiseLike(value) ? 'Await it' : 'Turn it into a plain object or a list';
  throw new TypeError(`JSON has no form for what ${describe(value)}${where} contains. ${advice}.`);
}

function isLost(value: object): boolean {
  if (isPromiseLike(value)) return true;
  const plain = isPlain(value);
  // What it holds isn't in its fields.
  if (!plain && isStream(value)) return true;
  const fields = Object.values(value);
  if (fields.some(isShown) || (isBoxedPrimitive(value) && !isSymbolObject(value))) return false;
  // JSON has `{}`. That is right if nothing is set.
  if (fields.some((field) => field !== undefined) || (fields.length === 0 && !plain)) return true;
  return Object.getOwnPropertySymbols(value).some((symbol) =>
    Object.prototype.propertyIsEnumerable.call(value, symbol),
  );
}

/** Whether JSON doesn't leave out a field with this value. */
function isShown(field: unknown): boolean {
  return field !== undefined && typeof field !== 'function' && typeof field !== 'symbol';
}

/** Whether a value is an object as `{}` makes it, of whatever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A stream of Node. */
function isStream(value: object): boolean {
  return typeof (value as { pipe?: unknown }).pipe === 'function';
}

/** What kind of object a value is, for messages. */
function describe(value: object): string {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const { constructor } = value as { constructor?: { name?: unknown } };
  const name = tag === 'Object' ? constructor?.name : tag;
  return typeof name === 'string' && !['', 'Object'].includes(name)
    ? `an object of the class ${name}`
    : 'an object';
}

/**
 * Makes an encoder that sends bytes or text unchanged, for plants that are already encoded.
 *
 * @param mediaType The value of Content-Type; see `Encoded`.
 * @throws InvalidOptionsError if `mediaType` isn't a valid media type.
 */
export function bytes(mediaType?: string): Encoder<Uint8Array | string> {
  if (mediaType !== undefined && !isMediaType(mediaType)) {
    throw invalidOption('mediaType', 'must be a media type such as type/subtype (RFC 9110 §8.3.1).');
  }
  return (content): Encoded => ({ content, mediaType });
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = `${token}=(?:${token}|"(?:[\\t !#-[\\]-~]|\\\\[\\t -~])*")`;
const mediaTypePattern = new RegExp(
  `^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${parameter})?)*(?:(?<=;)[ \\t]+)?$`,
);

/** Whether a value is a media type, with or without parameters (RFC 9110 §8.3.1). */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && mediaTypePattern.test(value);
}

/** A media type without its parameters, in lower case, for comparing. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}
