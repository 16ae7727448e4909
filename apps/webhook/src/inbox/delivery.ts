import type { Delivery } from '@plant-store/handler';

/** A delivery with its key. */
export type KeyedDelivery = Omit<Delivery, 'id' | 'receivedAt' | 'attempts' | 'startedAt'>;

/** A delivery as it was received. Its `eventId` is one for {@link isEventId}. */
export type IncomingDelivery = Omit<KeyedDelivery, 'key'>;

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
