import { invalidOption } from '../errors/invalid-options-error.js';

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
 * @throws TypeError if the plant has no JSON form. `send` reports it as `PLANT_STORE_ENCODE_FAILED`.
 */
export function json(plant: unknown): Encoded {
  const content = JSON.stringify(plant) as string | undefined;
  if (content === undefined) throw new TypeError(`A value of type ${typeof plant} has no JSON form.`);
  return { content, mediaType: 'application/json' };
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
