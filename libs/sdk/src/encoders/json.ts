import type { Encoded } from './encoder.js';

/**
 * Encodes a plant as JSON in UTF-8, with the media type `application/json` (RFC 8259).
 *
 * @throws TypeError where the plant has no JSON form. From `send` it comes as `PLANT_STORE_ENCODE_FAILED`.
 */
export function json(plant: unknown): Encoded {
  const content = JSON.stringify(plant) as string | undefined;
  if (content === undefined) throw new TypeError(`A value of type ${typeof plant} has no JSON form.`);
  return { content, mediaType: 'application/json' };
}
