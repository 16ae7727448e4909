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
  readonly state?: DeliveryState;
  /** The group of the last error, see {@link ErrorGroup}. */
  readonly errorGroup?: string;
  /** No others than these; at least one. */
  readonly ids?: readonly number[];
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
  /** What operators did with it, the oldest first: the last act, and about twenty before. */
  readonly acts: readonly Act[];
}

/** A delivery that is exported. */
export type ExportedDelivery = Omit<StoredDelivery, 'history' | 'acts'>;

/**
 * A part of a change of many deliveries, in the order of their ids. A change is made in parts so that its progress can
 * be shown, and so that no delivery waits for the whole of it.
 */
export interface Batch {
  readonly filter: DeliveryFilter;
  /** The `next` of the part before; 0 for the first. */
  readonly after: number;
  /** At most as many deliveries; fewer if their contents are large. */
  readonly limit: number;
}

/** Who acts, from where, and why; null if nobody says so. */
export interface Origin {
  readonly operator: string | null;
  /** An address, the socket of the inbox, or the command that has the inbox open. */
  readonly source: string | null;
  readonly reason: string | null;
}

/** What an operator does: passes deliveries to the handler again, deletes their content, or pauses and resumes the handler. */
export type ActKind = 'replay' | 'discard' | 'pause' | 'resume';

/** Most filters of an act that are stored. */
export const MAX_FILTERS = 20;

/** What an operator did. A change of many deliveries is one act, in however many parts it is made. */
export interface Act extends Origin {
  readonly id: number;
  readonly kind: ActKind;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Those of its first parts, see {@link MAX_FILTERS}. */
  readonly filters: readonly DeliveryFilter[];
  /** How many deliveries it has changed. */
  readonly changed: number;
}

/** An act, and what became of its deliveries. */
export interface FollowedAct extends Act {
  /**
   * Its deliveries in each state, but for those that a later act has changed or the retention has deleted. One that runs
   * counts as retrying once it has failed.
   */
  readonly states: StateCounts;
}

/** An act on deliveries. */
export type Change = Act & { readonly kind: 'replay' | 'discard' };

/** What became of one {@link Batch}. */
export interface BatchResult {
  /** How many deliveries were changed. */
  readonly changed: number;
  /** Where the next part begins; undefined if there is none. */
  readonly next: number | undefined;
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

/** What an operator does with an inbox, by the routes of a receiver that runs, or with an inbox that none has open. */
export interface InboxOperations {
  list(filter: DeliveryFilter, page: Page): Promise<readonly ListedDelivery[]>;

  count(filter: DeliveryFilter): Promise<StateCounts>;

  /**
   * The deliveries that contain a text, the newest first, and the id below which the search would go on; undefined if
   * everything was searched.
   */
  search(search: Search): Promise<{
    readonly deliveries: readonly ListedDelivery[];
    readonly next: number | undefined;
  }>;

  /**
   * The errors of the deliveries that are parked or come again, the most frequent first: of the newest 10,000 that are
   * parked and the newest 10,000 that come again.
   *
   * @returns `isComplete`: there were no more
   */
  errorGroups(): Promise<{ readonly groups: readonly ErrorGroup[]; readonly isComplete: boolean }>;

  /** Undefined if there is none with this id, or if it was deleted by the retention. */
  find(id: number): Promise<StoredDelivery | undefined>;

  /** The deliveries of a part, with what was sent and without history, in the order of their ids. */
  read(batch: Batch): Promise<{
    readonly deliveries: readonly ExportedDelivery[];
    readonly next: number | undefined;
  }>;

  /** Stores that an operator begins to do something. */
  beginAct<Kind extends ActKind>(
    kind: Kind,
    origin: Origin,
    filter?: DeliveryFilter,
  ): Promise<Act & { readonly kind: Kind }>;

  findAct(id: number): Promise<Act | undefined>;

  /** What operators did, the newest first, and what became of it. */
  acts(page: Omit<Page, 'order'>): Promise<readonly FollowedAct[]>;

  /**
   * Changes the deliveries of a part, which is one of an act. Those to which the change doesn't apply are left out.
   *
   * - A replay passes to the handler, as if they had never failed: parked and handled ones, and at once those that come
   *   again.
   * - Only parked deliveries can be discarded. Fields and content are deleted. It stays known why.
   */
  change(batch: Batch, act: Change): Promise<BatchResult>;

  /** While the handler is paused, no attempt starts, also after a restart. Deliveries are accepted. */
  setPaused(isPaused: boolean, origin?: Origin): Promise<Act>;

  stats(): Promise<InboxStats>;
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
