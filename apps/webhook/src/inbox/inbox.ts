/** A delivery as it came. */
export interface IncomingDelivery {
  readonly method: string;
  /** `Content-Type` as it was sent; null where there was none. */
  readonly mediaType: string | null;
  /** `Content-Encoding` as it was sent: without it the bytes could not be read (RFC 9110 §8.4). */
  readonly contentEncoding: string | null;
  /**
   * Identifier of the event, as the answer to `event-identity` finds it; null while that is open. Well-formed Unicode
   * without U+0000.
   */
  readonly eventId: string | null;
  /** The bytes, untouched. */
  readonly content: Uint8Array;
}

/** A delivery that is kept. */
export interface Delivery extends IncomingDelivery {
  /** Counts deliveries within one inbox. It is ours and says nothing of the event (question `event-identity`). */
  readonly id: number;
  /** When it was kept, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How often the handler has failed on it. */
  readonly failures: number;
}

/**
 * What became of an attempt: the delivery is done with, comes again, or is put aside until somebody looks. Of `error`,
 * which is for people, the beginning is kept (error-text.ts).
 */
export type Outcome =
  | { readonly kind: 'handled' }
  /** `retryAfter` in milliseconds. */
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfter: number }
  | { readonly kind: 'parked'; readonly error: string };

/** Deliveries that were claimed. */
export interface Claim {
  readonly deliveries: readonly Delivery[];
  /** Milliseconds until one that has failed is due again; undefined if there is none. */
  readonly nextDueIn: number | undefined;
}

/** How many deliveries wait for the handler, and how many are parked. */
export interface InboxCounts {
  readonly waiting: number;
  readonly parked: number;
}

/**
 * Where deliveries are kept from acknowledgement until they are handled, and after.
 *
 * Every adapter passes the suite in inbox.suite.ts.
 */
export interface Inbox {
  /** Where it is, for people: no credentials. */
  readonly location: string;

  /**
   * Resolves with its id once the delivery is durable, and not before. Of an event that has a delivery here already,
   * nothing further is kept, whatever the content: it resolves with the id of the first one, once that is durable.
   *
   * @throws ReceiverError `INBOX_WRITE_FAILED`; nothing of the delivery is then kept
   * @throws TypeError if the event's identifier is none that can be kept
   */
  accept(delivery: IncomingDelivery): Promise<number>;

  /**
   * Takes deliveries that are due. Until they are settled nobody else gets them; what was claimed by a
   * receiver that died is claimed again after its restart.
   */
  claim(limit: number): Promise<Claim>;

  /**
   * Resolves once what became of the delivery is written. It is then not claimed again, but for a receiver that dies:
   * what was handled while an earlier delivery was under way may then come again with that one.
   */
  settle(delivery: Delivery, outcome: Outcome): Promise<void>;

  counts(): Promise<InboxCounts>;

  /** Writes what is under way, then lets go of the store. May be called again. */
  close(): Promise<void>;
}

/** Injection token of the {@link Inbox}. */
export const INBOX = Symbol('Inbox');
