import type { Delivery } from '@plant-store/handler';

/** A delivery with its key. */
export type KeyedDelivery = Omit<Delivery, 'id' | 'receivedAt' | 'attempts' | 'startedAt'>;

/** A delivery as it was received. Its texts are {@link isStorable}. */
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

/** Whether both databases can store this text: well-formed Unicode without U+0000. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** Header fields are stored in JSON, which escapes what a text can't have. */
const TEXTS = ['key', 'method', 'mediaType', 'contentEncoding', 'eventId'] as const;

/** @throws TypeError if a database would refuse the delivery, and with it all others that are stored by the same cycle */
export function requireStorable(delivery: KeyedDelivery): void {
  for (const name of TEXTS) {
    const text: unknown = delivery[name];
    if (text === null && name !== 'key' && name !== 'method') continue;
    if (typeof text !== 'string') throw new TypeError(`The ${name} of a delivery is not a text.`);
    if (!isStorable(text))
      throw new TypeError(`The ${name} of a delivery contains U+0000 or half of a surrogate pair.`);
  }
}

/** A text for people as an inbox stores it: its beginning, in well-formed Unicode without U+0000. */
export function storableText(text: string, maxLength = 1_000): string {
  return text.slice(0, maxLength).replaceAll(new RegExp(UNSTORABLE, 'gu'), '\u{fffd}');
}
