/** A plant in the form in which it is sent. */
export interface Encoded {
  /** What is sent; text is sent as UTF-8. It must not be empty. */
  readonly content: Uint8Array | string;
  /**
   * The value of Content-Type (RFC 9110 §8.3.1). Without it, the header is not sent; once the question media-type is
   * answered, it is the answer.
   */
  readonly mediaType?: string | undefined;
}

/**
 * Turns a plant into what is sent. Which form that is, is open (questions payload, media-type,
 * plant-fields, event-payload-fields). Once event-payload-fields is answered, it is handed the event, too.
 */
export type Encoder<Plant, Event extends readonly unknown[] = []> = (
  plant: Plant,
  ...event: Event
) => Encoded;
