/** A header field as it was sent. */
export type HeaderField = readonly [name: string, value: string];

/** A delivery as it was received. */
export interface IncomingDelivery {
  readonly method: string;
  /** `Content-Type` as it was sent; null if it was missing. */
  readonly mediaType: string | null;
  /** `Content-Encoding` as it was sent, without which the bytes can't be decoded (RFC 9110 §8.4); null if missing. */
  readonly contentEncoding: string | null;
  /** Identifier of the event, see {@link isEventId}; null while the question `event-identity` is open. */
  readonly eventId: string | null;
  /** Its header fields, in order, see `storedFields`. */
  readonly fields: readonly HeaderField[];
  /** The bytes, unchanged. */
  readonly content: Uint8Array;
}

/** A delivery with its key. */
export interface KeyedDelivery extends IncomingDelivery {
  /**
   * A random UUID, in small letters, which no other delivery ever has. It is drawn when the delivery is accepted, and stays
   * the same: in each attempt, after restarts and replays, and when the inbox is restored, exported, or moved to another
   * database.
   */
  readonly key: string;
}

/**
 * What is stored of an arrival beside its content: the property, and its column. A new one stands here, in a migration of
 * both databases, and where it is read from the request; statements and transports take it from here.
 */
export const SENT = {
  key: 'key',
  method: 'method',
  mediaType: 'media_type',
  contentEncoding: 'content_encoding',
  eventId: 'event_id',
  fields: 'fields',
} as const satisfies Record<Exclude<keyof KeyedDelivery, 'content'>, string>;

/** A delivery that the handler gets. */
export interface Delivery extends KeyedDelivery {
  /**
   * Numbers the deliveries of one inbox, for operators. An inbox that was restored, imported or moved may give an id again:
   * what a handler writes is named by {@link key}.
   */
  readonly id: number;
  /** When it was stored, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How many attempts have begun since it was received or replayed, this one included. */
  readonly attempts: number;
  /** When it was claimed for this attempt, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Names an attempt. Not by its number: a replay begins at 1 again. */
export type Claimed = Pick<Delivery, 'id' | 'startedAt'>;

/** What is kept of an error, for people: one line, and where it was thrown. */
export interface AttemptError {
  readonly error: string;
  readonly stack: string | null;
  /** How long the attempt took, in milliseconds. */
  readonly duration: number;
}

/**
 * What became of an attempt:
 *
 * - `handled`: the delivery is finished.
 * - `failed`: it comes again after `retryAfter` milliseconds.
 * - `parked`: it failed for the last time, and stays until somebody acts.
 * - `released`: there was no attempt, or it was broken off. It waits as before.
 */
export type AttemptResult =
  | { readonly kind: 'handled' | 'released' }
  | ({ readonly kind: 'failed'; readonly retryAfter: number } & AttemptError)
  | ({ readonly kind: 'parked' } & AttemptError);

/** How often a delivery is attempted. Times are in milliseconds. */
export interface RetryPolicy {
  /** After this many attempts that failed a delivery is parked. */
  readonly maxAttempts: number;
  /** Longest wait after the first failure. It doubles with each further one. */
  readonly backoff: number;
  readonly maxBackoff: number;
}

/** U+0000 and halves of surrogate pairs. SQLite's library cuts a text at the one and replaces the other; PostgreSQL stores neither. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether an inbox can store this text as the identifier of an event: well-formed Unicode without U+0000. */
export function isEventId(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** A text for people as an inbox stores it: its beginning, in well-formed Unicode without U+0000. */
export function storableText(text: string, maxLength = 1_000): string {
  return text.slice(0, maxLength).replaceAll(new RegExp(UNSTORABLE, 'gu'), '\u{fffd}');
}
