import { setTimeout as delay } from 'node:timers/promises';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { abandonSession, closeSession, destroy, openSession, type Session } from './session.js';

/** What the inbox tells people. */
export interface InboxLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** The first and the longest wait between two tries to connect, in milliseconds. */
const MIN_BACKOFF = 100;
const MAX_BACKOFF = 2_000;

/** Keeps a session open: when it is lost, it connects again, to whichever server can be written to then. */
export class SessionKeeper {
  readonly #servers: PostgresServers;
  readonly #log: InboxLog;
  readonly #onOpen: (session: Session, before: Session) => void;
  readonly #closing = new AbortController();
  #session: Session | undefined;
  /** Why there is no session. Its message is whole sentences. */
  #fault: Error;
  #connecting: Promise<void> | undefined;

  /** @param onOpen called when a session was opened after another one was lost */
  constructor(servers: PostgresServers, log: InboxLog, onOpen: (session: Session, before: Session) => void) {
    this.#servers = servers;
    this.#log = log;
    this.#onOpen = onOpen;
    this.#fault = this.#unreachable('it is closed');
  }

  /** Undefined while the connection is lost. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** @throws ReceiverError `INBOX_WRITE_FAILED` while the connection is lost */
  require(): Session {
    if (this.#session !== undefined) return this.#session;
    const { message, cause } = this.#fault;
    throw new ReceiverError('INBOX_WRITE_FAILED', message, { cause });
  }

  /** @throws ReceiverError `INBOX_UNUSABLE` */
  async open(): Promise<void> {
    this.#session = await this.#openSession();
  }

  /** Ends the session at once, and opens no other one: whatever waits for the server fails. */
  abandon(): void {
    this.#closing.abort();
    if (this.#session !== undefined) abandonSession(this.#session);
    this.#session = undefined;
    this.#connecting = undefined;
  }

  /** Ends the session in order, and opens no other one. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting;
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await closeSession(session);
  }

  /** Ends a session that is of no use. It counts as lost. */
  giveUp(session: Session): void {
    destroy(session.writer);
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #unreachable(reason: string): Error {
    return new Error(`The inbox at ${this.#servers.location} cannot be reached: ${reason}.`);
  }

  #openSession(): Promise<Session> {
    return openSession(this.#servers, (session, reason) => {
      if (this.#isClosing()) return;
      this.#session = undefined;
      this.#fault = this.#unreachable(reason);
      this.#log.warn(
        { inbox: this.#servers.location, reason },
        'lost the connection to the inbox; no delivery is accepted until it is back',
      );
      this.#connecting = this.#connect(session);
    });
  }

  async #connect(before: Session): Promise<void> {
    const { signal } = this.#closing;
    for (let backoff = MIN_BACKOFF; !this.#isClosing(); backoff = Math.min(2 * backoff, MAX_BACKOFF)) {
      // Receivers that lost their connections together don't come back together.
      await delay(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      if (this.#isClosing()) return;
      try {
        const session = await this.#openSession();
        if (this.#isClosing()) return await closeSession(session);
        this.#session = session;
        this.#log.info({ inbox: this.#servers.location }, 'connected to the inbox again');
        this.#onOpen(session, before);
        return;
      } catch (error) {
        this.#fault = error as ReceiverError;
      }
    }
  }
}
