import type { IncomingDelivery, KeyedDelivery } from './delivery.js';

/**
 * The states of a delivery. A waiting one comes to the handler, a running one is there or is about to, a retrying one
 * has failed and comes again when it is due, a parked one has failed for the last time, and of a discarded one the
 * content was deleted.
 */
export const DELIVERY_STATES = ['waiting', 'running', 'retrying', 'handled', 'parked', 'discarded'] as const;

/** The state of a delivery. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Deliveries that an operator chooses. Without any condition, all of them. */
export interface DeliveryFilter {
  readonly state?: DeliveryState | readonly DeliveryState[];
  /** The group of the last error, see {@link ErrorGroup}. */
  readonly errorGroup?: string;
  /** The act that changed them last. */
  readonly act?: number;
  /** No others than these; at least one. */
  readonly ids?: readonly number[];
  /** The smallest and the largest id, both included. */
  readonly firstId?: number;
  readonly lastId?: number;
  /** When they were stored, in milliseconds since 1970: from the first, and before the second. */
  readonly receivedFrom?: number;
  readonly receivedBefore?: number;
}

/** Who acts, from where, and why; null if nobody says so. */
export interface Origin {
  readonly operator: string | null;
  /** An address, the socket of the inbox, or the command that has the inbox open. */
  readonly source: string | null;
  readonly reason: string | null;
}

/**
 * What an operator does with deliveries.
 *
 * - A replay passes to the handler, as if they had never failed: parked and handled ones, and at once those that come
 *   again.
 * - Only parked deliveries can be discarded. Fields and content are deleted. It stays known why.
 */
export type ChangeKind = 'replay' | 'discard';

/** What an operator does: changes deliveries, or pauses and resumes the handler. */
export type ActKind = ChangeKind | 'pause' | 'resume';

/** The row of an act. */
export interface StoredAct extends Origin {
  readonly id: number;
  readonly kind: ActKind;
  /** When it began, and when it was over, in milliseconds since 1970; null before. */
  readonly at: number;
  readonly endedAt: number | null;
  /** Which deliveries it changes, with their states; null if the handler is meant. */
  readonly filter: DeliveryFilter | null;
  /** To how many deliveries it applied when it began, and how many it has changed. */
  readonly selected: number;
  readonly changed: number;
}

/** What an operator did, and what became of the deliveries that a replay has changed. */
export interface Act extends StoredAct {
  /** Handled since, whatever a later act or the retention has done with them. */
  readonly handled: number;
  /** An attempt has failed since, and the delivery wasn't handled as long as it was of this act. */
  readonly failed: number;
  /** Those of the failed ones that come again. */
  readonly retrying: number;
  /** No attempt has ended since. */
  readonly waiting: number;
}

/** A part of a list of deliveries. */
export interface Page {
  readonly order: 'newest first' | 'oldest first';
  /** The last id of the page before; the list begins behind it. Undefined for the first page. */
  readonly after?: number;
  /** At most as many deliveries. */
  readonly limit: number;
}

/** A stored delivery without fields and content. Times are in milliseconds since 1970. */
export interface DeliverySummary extends Omit<IncomingDelivery, 'fields' | 'content'> {
  readonly id: number;
  readonly state: DeliveryState;
  /** When it was stored. */
  readonly receivedAt: number;
  /** When a delivery that has failed comes again; null for all others. */
  readonly dueAt: number | null;
  /** When it was claimed for its last attempt, and when that ended, or it was discarded; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When an operator replayed it last; null if none did. */
  readonly replayedAt: number | null;
  /** How many attempts have begun since it was received or replayed. */
  readonly attempts: number;
  /** Of the last attempt that failed; null if none did, or if the delivery is handled. */
  readonly error: string | null;
  /** Why an operator discarded it; null for all others. */
  readonly reason: string | null;
  /** Length of the content; of a discarded one, before it was deleted. */
  readonly bytes: number;
}

/** An attempt that failed. */
export interface FailedAttempt {
  /** Its number since the delivery was received or replayed, from 1. */
  readonly number: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds; null if the process ended meanwhile. */
  readonly duration: number | null;
  /** The process that made it: host and process id. */
  readonly receiver: string;
  readonly error: string;
  readonly stack: string | null;
}

/** A delivery in a list. */
export interface ListedDelivery extends DeliverySummary {
  /** How the content begins, in a line of at most 120 bytes; null if that isn't text in UTF-8. */
  readonly preview: string | null;
}

/** A stored delivery with what was sent. Of a discarded one, fields and content are empty. */
export interface StoredDelivery extends DeliverySummary, KeyedDelivery {
  /** The attempts that failed, the oldest first: the first one and the last nine. */
  readonly history: readonly FailedAttempt[];
  /** The last act of an operator that changed it; null if none did. */
  readonly act: Act | null;
}

/** A delivery that is exported. */
export type ExportedDelivery = Omit<StoredDelivery, 'history' | 'act'>;

/** A part of many deliveries, in the order of their ids. */
export interface Batch {
  readonly filter: DeliveryFilter;
  /** The `next` of the part before; 0 for the first. */
  readonly after: number;
  /** At most as many deliveries; fewer if their contents are large. */
  readonly limit: number;
}

/** How many deliveries there are in each state. */
export type StateCounts = Readonly<Record<DeliveryState, number>>;

/** The state of an inbox. */
export interface InboxStats extends StateCounts {
  /** When the oldest delivery was stored that waits or comes again, in milliseconds since 1970; null if none does. */
  readonly oldestWaitingAt: number | null;
  /** When the first of those that have failed comes again; null if there are none. */
  readonly nextRetryAt: number | null;
  /** The time of the inbox, in milliseconds since 1970. */
  readonly now: number;
  /** What the inbox takes on its disk. */
  readonly bytes: number;
  readonly isPaused: boolean;
}

/** Deliveries that are parked or come again, and whose last errors differ in no more than numbers and quoted text. */
export interface ErrorGroup {
  /** The message, in which `…` stands for what differs. */
  readonly group: string;
  /** The message, if it is the same for all; otherwise the group. */
  readonly message: string;
  readonly parked: number;
  readonly retrying: number;
  /** When one of them failed so for the first and the last time, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What a search looks for, and how long it may take. */
export interface Search {
  /** Exactly these characters, in the content, a header field, the last error, the key or the event's identifier. */
  readonly text: string;
  readonly filter: DeliveryFilter;
  /** The search begins below this id. Undefined for the newest delivery. */
  readonly after?: number;
  /** At most as many deliveries. */
  readonly limit: number;
  /** In milliseconds. */
  readonly maxDuration: number;
}

/** How long deliveries stay stored. Times are in milliseconds. */
export interface Retention {
  /** Deliveries that were handled or discarded longer ago are deleted. */
  readonly maxAge: number;
  /** If the inbox is larger, the oldest handled ones are deleted too. Undefined for no limit. */
  readonly maxBytes: number | undefined;
  /** Identifiers of events are kept for so long, so that a repetition is recognised after its delivery was deleted. */
  readonly maxEventAge: number;
}
