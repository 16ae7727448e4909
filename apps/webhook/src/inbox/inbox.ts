import type { HeaderField } from './header-field.js';
import type { InboxOperations, Retention } from './inbox-operations.js';

/** A delivery as it was received. */
export interface IncomingDelivery {
  readonly method: string;
  /** `Content-Type` as it was sent; null if it was missing. */
  readonly mediaType: string | null;
  /** `Content-Encoding` as it was sent, without which the bytes can't be decoded (RFC 9110 §8.4); null if missing. */
  readonly contentEncoding: string | null;
  /** Identifier of the event, see {@link isEventId}; null while the question `event-identity` is open. */
  readonly eventId: string | null;
  /** Its header fields, in order, see {@link storedFields}. None if it was stored before fields were. */
  readonly fields: readonly HeaderField[];
  /** The bytes, unchanged. */
  readonly content: Uint8Array;
}

/** A delivery that is stored. */
export interface Delivery extends IncomingDelivery {
  /** Numbers the deliveries of one inbox. It is local and doesn't identify the event (question `event-identity`). */
  readonly id: number;
  /** When it was stored, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How often the handler has failed on it. */
  readonly failures: number;
  /** Whether the process ended during its last attempt, so that it may be the cause. */
  readonly suspect: boolean;
}

/** A delivery whose attempt was cut off because the process ended. */
export type Interrupted = Pick<Delivery, 'id' | 'failures'>;

/**
 * The result of one attempt of the handler: the delivery is finished, comes again after `retryAfter` milliseconds, or
 * stays parked until somebody acts. Of `error`, which is for people, the beginning is stored.
 */
export type AttemptResult =
  | { readonly kind: 'handled' }
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly retryAfter: number;
      /** The process ended during the attempt. The delivery is a suspect until its next attempt has ended. */
      readonly suspect?: boolean;
    }
  | { readonly kind: 'parked'; readonly error: string };

/** Deliveries that were claimed. */
export interface Claim {
  readonly deliveries: readonly Delivery[];
  /** Milliseconds until a failed delivery is due again; undefined if there is none, or if a suspect comes first. */
  readonly nextDueIn: number | undefined;
  /** Claimed too: another receiver ended during their attempt. Settle them as failed. Undefined if there are none. */
  readonly interrupted?: readonly Interrupted[];
}

/**
 * Stores deliveries from their acknowledgement until they are handled, and after.
 *
 * Every adapter passes the suite in test/inbox.suite.ts. What was replayed or resumed comes with the next claim: wake the
 * dispatcher then.
 */
export interface Inbox extends InboxOperations {
  /** Where it is, for people. It has no credentials. */
  readonly location: string;

  /**
   * Resolves with the delivery's id once the delivery is durable, and not before. If the event has a delivery here
   * already, nothing is stored, whatever the content: it resolves with the id of the first one, once that is durable.
   *
   * What else is written at the same time, and can't be, doesn't refuse the delivery.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`; nothing of the delivery is then stored, unless the connection to a shared
   * inbox broke before its reply
   * @throws ReceiverError `INBOX_LOST`; the delivery may be stored, and come after a restart. What was accepted can still be
   * claimed and settled
   * @throws TypeError if the event's identifier can't be stored
   */
  accept(delivery: IncomingDelivery): Promise<number>;

  /**
   * Prepares for the first claim. Deliveries that were claimed and not settled when the process ended without closing
   * the inbox are returned, claimed: settle them before the first claim. Until then they are returned at each opening.
   *
   * @param maxWait longest time from now until a failed delivery is due, in milliseconds, whatever the clock says
   */
  recover(maxWait: number): Promise<readonly Interrupted[]>;

  /**
   * Claims deliveries that are due. Nobody else gets them until they are settled. If the receiver dies, they can be
   * claimed again after its restart. While the handler is paused, it claims none.
   *
   * A suspect that is due is claimed alone: not before everything that is claimed is settled, and nothing else is
   * claimed until it is settled itself.
   */
  claim(limit: number): Promise<Claim>;

  /**
   * Resolves once the result is stored. The delivery isn't claimed again, except after a crash: what was handled while
   * an earlier delivery was under way may then come again together with that one.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`; the delivery stays claimed, and may be settled again
   * @throws ReceiverError `INBOX_LOST`; the result is written where it may be lost at the end, and the delivery isn't
   * claimed any more
   */
  settle(delivery: Interrupted, result: AttemptResult): Promise<void>;

  /** Calls back when there may be something to claim that didn't come through this object: from other receivers. */
  watch?(wake: () => void): void;

  /**
   * Deletes some of what the retention doesn't keep, the oldest first. Call it again until it returns 0. Deliveries that
   * wait or are parked stay, and so do those that the handler has. Ids are never used again.
   *
   * @param signal ends a search that takes long; nothing is then deleted
   * @returns how many deliveries, and identifiers of events whose delivery was deleted before, it has deleted
   * @throws ReceiverError `INBOX_WRITE_FAILED`
   */
  removeExpired(retention: Retention, signal?: AbortSignal): Promise<number>;

  /**
   * Resolves if a delivery could be accepted now: it writes something.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`, `INBOX_LOST`
   */
  check(): Promise<void>;

  /**
   * Ends the connections to a shared inbox at once: whatever waits for them fails, and `close` doesn't wait. What is under
   * way comes again, as after a crash.
   */
  abandon?(): void;

  /**
   * Writes what is under way, then closes the store. May be called again. A copy of the closed store is whole. Whatever
   * else is called from then on rejects with the ReceiverError `INBOX_CLOSED`.
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

/** Longest text for people that is stored, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 1_000;

/** A text for people as an inbox stores it: its beginning, in well-formed Unicode without U+0000. */
export function storableText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll(new RegExp(UNSTORABLE, 'gu'), '\u{fffd}');
}
