import type { HeaderField, InboxOperations, Retention } from './inbox-operations.js';

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

/** A delivery that the handler gets. */
export interface Delivery extends IncomingDelivery {
  /** Numbers the deliveries of one inbox. It is local and doesn't identify the event (question `event-identity`). */
  readonly id: number;
  /** When it was stored, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How many attempts have begun since it was received or replayed, this one included. */
  readonly attempts: number;
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number;
}

/** Names an attempt. */
export type Claimed = Pick<Delivery, 'id' | 'attempts' | 'claimedAt'>;

/** What is kept of an error, for people: one line, and where it was thrown. */
export interface AttemptError {
  readonly error: string;
  readonly stack: string | null;
}

/**
 * What became of an attempt:
 *
 * - `handled`: the delivery is finished.
 * - `failed`: it comes again after `retryAfter` milliseconds.
 * - `parked`: it failed for the last time, and stays until somebody acts.
 * - `interrupted`: the process ended during the attempt, and the next attempt begins now. It stays claimed.
 * - `released`: there was no attempt, or it was broken off. It waits as before.
 */
export type AttemptResult =
  | { readonly kind: 'handled' | 'released' }
  | ({ readonly kind: 'failed'; readonly retryAfter: number } & AttemptError)
  | ({ readonly kind: 'parked' } & AttemptError)
  | ({ readonly kind: 'interrupted' } & AttemptError);

/** Deliveries that were claimed. */
export interface Claim {
  /** Attempts may begin, in this order. */
  readonly deliveries: readonly Delivery[];
  /**
   * A delivery during whose last attempt a process ended, so that it may be the cause. It is claimed alone. Settle that
   * attempt first, as `interrupted` or `parked`.
   */
  readonly interrupted?: Delivery;
  /** Milliseconds until there may be more to claim; undefined if only an arrival or a result changes that. */
  readonly nextIn: number | undefined;
}

/**
 * Stores deliveries from their acknowledgement until they are handled, and after. Each is one row with its state.
 *
 * The embedded and the shared inbox pass one suite, test/inbox.suite.ts.
 */
export interface Inbox extends InboxOperations {
  /** Where it is, for people. It has no credentials. */
  readonly location: string;

  /**
   * Resolves with the delivery's id once the delivery is durable, and not before. If the event has a delivery here
   * already, nothing is stored, whatever the content: it resolves with the id of the first one, once that is durable.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`; the delivery isn't stored, or the reply that says so was lost
   * @throws TypeError if the event's identifier can't be stored
   */
  accept(delivery: IncomingDelivery): Promise<number>;

  /**
   * Claims deliveries that are due: `limit` at most, fewer if they are large. Nobody else gets them until they are
   * settled. If there are fewer, the next ones that arrive may be claimed at once: they come with the next claim. What a
   * crash interrupted comes first, one at a time. While the handler is paused, nothing is claimed.
   */
  claim(limit: number): Promise<Claim>;

  /**
   * Resolves once the result is stored. If the claim was lost meanwhile, to another receiver or an operator, it changes
   * nothing.
   *
   * @param startedAt when the handler was called, in milliseconds since 1970
   * @throws ReceiverError `INBOX_WRITE_FAILED`; the delivery stays claimed, and may be settled again
   */
  settle(claimed: Claimed, result: AttemptResult, startedAt: number): Promise<void>;

  /**
   * Deletes some of what the retention doesn't keep, the oldest first. Call it again until it returns 0. Ids are never
   * used again.
   *
   * @returns how many deliveries, and identifiers of events, it has deleted
   * @throws ReceiverError `INBOX_WRITE_FAILED`
   */
  removeExpired(retention: Retention): Promise<number>;

  /**
   * Resolves if a delivery could be accepted now: it writes something.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`
   */
  check(): Promise<void>;

  /**
   * Writes what is under way, releases what is claimed, and closes the store. May be called again. Whatever else is
   * called from then on rejects with the ReceiverError `INBOX_CLOSED`.
   */
  close(): Promise<void>;
}

/** Injection token of the {@link Inbox}. */
export const INBOX = Symbol('Inbox');

/** U+0000 and halves of surrogate pairs. libsql ends the process that reads them back; PostgreSQL stores neither. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether an inbox can store this text as the identifier of an event: well-formed Unicode without U+0000. */
export function isEventId(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** A text for people as an inbox stores it: its beginning, in well-formed Unicode without U+0000. */
export function storableText(text: string, maxLength = 1_000): string {
  return text.slice(0, maxLength).replaceAll(new RegExp(UNSTORABLE, 'gu'), '\u{fffd}');
}
