/** A plant in the form in which it is sent. */
export interface Encoded {
  /** What is sent; text is sent as UTF-8. It must not be empty. */
  readonly content: Uint8Array | string;
  /** The value of Content-Type (RFC 9110 §8.3.1). Without it, the header is not sent. */
  readonly mediaType?: string | undefined;
}

/**
 * Turns a plant into what is sent. Which form that is, is open (questions payload, media-type,
 * plant-fields, event-payload-fields).
 */
export type Encoder<Plant> = (plant: Plant) => Encoded;
