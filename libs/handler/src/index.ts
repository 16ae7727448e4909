import type { ClientBase } from 'pg';

/** A header field as it was sent. */
export type HeaderField = readonly [name: string, value: string];

/** A delivery that the handler gets. */
export interface Delivery {
  /**
   * Numbers the deliveries of one inbox, for operators. An inbox that was restored, imported or moved may give an id again:
   * what a handler writes is named by {@link key}.
   */
  readonly id: number;
  /**
   * A random UUID, in small letters, which no other delivery ever has. It is drawn when the delivery is accepted, and stays
   * the same: in each attempt, after restarts and replays, and when the inbox is restored, exported, or moved to another
   * database.
   */
  readonly key: string;
  /** When it was stored, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How many attempts have begun since it was received or replayed, this one included. */
  readonly attempts: number;
  /** When it was claimed for this attempt, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly method: string;
  /** `Content-Type` as it was sent; null if it was missing. */
  readonly mediaType: string | null;
  /** `Content-Encoding` as it was sent, without which the bytes can't be decoded (RFC 9110 §8.4); null if missing. */
  readonly contentEncoding: string | null;
  /** Identifier of the event: well-formed Unicode without U+0000; null while the question `event-identity` is open. */
  readonly eventId: string | null;
  /** Its header fields, in order, without those that have credentials or belong to the connection. */
  readonly fields: readonly HeaderField[];
  /** The bytes, unchanged. */
  readonly content: Uint8Array;
}

/**
 * What is done with a delivery. It may be called again for the same one, which has the same `key`. It returns nothing, or a
 * promise of nothing: with anything else, such as an Observable or a Response, the attempt has failed.
 */
export type DeliveryHandler = (delivery: Delivery, attempt: Attempt) => Promise<void> | void;

/** A class whose instances handle deliveries. With `implements Handler`, the compiler says what `handle` may return. */
export interface Handler {
  readonly handle: DeliveryHandler;
}

/** One call of the handler for one delivery. */
export interface Attempt {
  /** Aborts when the attempt has taken too long, or when the receiver stops. */
  readonly signal: AbortSignal;

  /**
   * Runs `work` in a transaction of the shared inbox's database, and commits it together with the fact that the delivery
   * is handled. What `work` writes with its client is written exactly once, whatever ends the process or the connection.
   *
   * - If `work` rejects or returns something, or the attempt is aborted, everything is rolled back and the attempt has
   *   failed.
   * - `work` may run again in the next attempt. It doesn't run if an earlier attempt has committed.
   * - Once it is committed, the delivery is handled, even if the handler throws afterwards.
   * - An attempt has one transaction. `work` must not end it.
   *
   * @throws Error on the embedded inbox, which has no database for the handler; and if it is called again
   */
  transaction(work: TransactionWork): Promise<void>;
}

/** Runs the statements of one transaction. Libraries that take a client of `pg` take it. */
export type TransactionClient = Pick<ClientBase, 'query'>;

/** What a handler does in a transaction. It returns nothing, or a promise of nothing. */
export type TransactionWork = (client: TransactionClient) => Promise<void> | void;

/** Injection token of the receiver's {@link Logger}. It is the same in every copy of this package. */
export const LOGGER: unique symbol = Symbol.for('@plant-store/handler LOGGER');

/** The receiver's log, which never waits for its reader. An `err` among the fields is limited in size. */
export interface Logger extends Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', LogMethod> {
  /** A logger whose lines have these fields, too. */
  child(fields: object): Logger;
}

/** Writes a line. */
export interface LogMethod {
  (message: string): void;
  (fields: object, message: string): void;
}
