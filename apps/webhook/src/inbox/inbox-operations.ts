import type { HeaderField } from './header-field.js';

/** What may have become of a delivery. A waiting one comes to the handler, for the first time or again. */
export const DELIVERY_STATES = ['waiting', 'handled', 'parked', 'discarded'] as const;

/** What became of a delivery. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Deliveries that an operator chooses. Without any condition, all of them. */
export interface DeliveryFilter {
  readonly state?: DeliveryState;
  /** The smallest and the largest id, both included. */
  readonly firstId?: number;
  readonly lastId?: number;
  /** When they were stored, in milliseconds since 1970: from the first, and before the second. */
  readonly receivedFrom?: number;
  readonly receivedBefore?: number;
}

/** A part of a list of deliveries. */
export interface Page {
  readonly order: 'newest first' | 'oldest first';
  /** The last id of the page before; the list begins behind it. Undefined for the first page. */
  readonly after?: number;
  /** At most as many deliveries. */
  readonly limit: number;
}

/** A stored delivery without what was sent. */
export interface DeliverySummary {
  readonly id: number;
  readonly state: DeliveryState;
  /** When it was stored, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How often the handler has failed on it. */
  readonly failures: number;
  /** Of the last attempt that failed; null if none did, or if the delivery is handled. */
  readonly error: string | null;
  /** When a failed delivery comes again, in milliseconds since 1970; null for all others. */
  readonly dueAt: number | null;
  readonly eventId: string | null;
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  /** Length of the content. */
  readonly bytes: number;
  /** Why an operator discarded it; null for all others. */
  readonly reason: string | null;
}

/** A stored delivery with what was sent. Of a discarded one, fields and content are empty. */
export interface StoredDelivery extends DeliverySummary {
  readonly fields: readonly HeaderField[];
  readonly content: Uint8Array;
}

/**
 * A part of a change of many deliveries, in the order of their ids. A change is made in parts so that its progress can
 * be shown, and so that no delivery waits for the whole of it.
 */
export interface Batch {
  readonly filter: DeliveryFilter;
  /** The `next` of the part before; 0 for the first. */
  readonly after: number;
  /** At most as many deliveries are looked at; fewer if their contents are large. */
  readonly limit: number;
}

/** Most content of one part, in bytes, if it has more than one delivery and all of them are read or deleted. */
export const MAX_PART_BYTES = 4 * 1_048_576;

/** How many of these have at most so much content together; at least one. */
export function countWithin(deliveries: readonly { readonly bytes: number }[], maxBytes: number): number {
  let total = 0;
  const count = deliveries.findIndex(({ bytes }) => (total += bytes) > maxBytes);
  return count === -1 ? deliveries.length : Math.max(1, count);
}

/** What became of one {@link Batch}. */
export interface BatchResult {
  /** How many deliveries were changed. */
  readonly changed: number;
  /** Where the next part begins; undefined after the last. */
  readonly next: number | undefined;
}

/** The state of an inbox. */
export interface InboxStats {
  readonly waiting: number;
  readonly handled: number;
  readonly parked: number;
  readonly discarded: number;
  /** When the oldest waiting delivery was stored, in milliseconds since 1970; null if none waits. */
  readonly oldestWaitingAt: number | null;
  /** What the inbox takes on its disk. */
  readonly bytes: number;
  readonly isPaused: boolean;
}

/**
 * What an operator does with an inbox. An inbox offers it, and so does a receiver that runs, to the command
 * `plant-inbox`.
 */
export interface InboxOperations {
  list(filter: DeliveryFilter, page: Page): Promise<readonly DeliverySummary[]>;

  /** Undefined if there is none with this id, or if it was deleted by the retention. */
  find(id: number): Promise<StoredDelivery | undefined>;

  /** The deliveries of a part, with what was sent, in the order of their ids. */
  read(
    batch: Batch,
  ): Promise<{ readonly deliveries: readonly StoredDelivery[]; readonly next: number | undefined }>;

  /**
   * Passes deliveries to the handler again, as if they had never failed: parked ones, handled ones, and at once those
   * that wait after a failure. It leaves out what was discarded and what the handler has at the moment.
   */
  replay(batch: Batch): Promise<BatchResult>;

  /**
   * Deletes the fields and the content of parked deliveries, and keeps that they were discarded, and why. It leaves out
   * all others.
   *
   * @param reason for people
   */
  discard(batch: Batch, reason: string): Promise<BatchResult>;

  /** While the handler is paused, no attempt starts, also after a restart. Deliveries are accepted. */
  setPaused(isPaused: boolean): Promise<void>;

  stats(): Promise<InboxStats>;
}

/** How long deliveries stay stored. Times are in milliseconds. */
export interface Retention {
  /** Handled and discarded deliveries that were stored longer ago are deleted. */
  readonly maxAge: number;
  /** If the inbox is larger, the oldest handled ones are deleted too. Undefined for no limit. */
  readonly maxBytes: number | undefined;
  /** Identifiers of events are kept for so long, so that a repetition is recognised after its delivery was deleted. */
  readonly maxEventAge: number;
}
