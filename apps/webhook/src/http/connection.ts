import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as ListeningServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { RefusalReason } from '../counters.js';

/**
 * What a peer still sends is discarded so that it can read the last response, which many read only when they have sent
 * everything. It ends when the peer is silent for so long, when this time is over, or with so much: milliseconds, bytes.
 */
const SILENCE = 1_000;
const MAX_LINGER = 30_000;
const MAX_DISCARDED = 67_108_864;

/** Most requests of a connection that have no response yet. What a sender writes at once, it all holds in memory. */
const MAX_UNANSWERED = 100;

/** How long a connection that was accepted last may take to send its request, in milliseconds. */
const LAST_REQUEST_TIMEOUT = 1_000;

/**
 * - `new`: no request on it was accepted.
 * - `deciding`: the head of a request has come, and in this turn of the event loop it is accepted or not.
 * - `accepted`: every request so far was accepted.
 * - `closing`: nothing that arrives is processed any more. It closes after the response to its latest request.
 * - `lingering`: that response is sent. What arrives is discarded.
 */
type Mode = 'new' | 'deciding' | 'accepted' | 'closing' | 'lingering';

const CONNECTION = Symbol('connection');

/** The connection of a socket of a server that serves behind {@link Connections}. */
export function connectionOf(socket: Socket): Connection {
  return (socket as Socket & { readonly [CONNECTION]: Connection })[CONNECTION];
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/** What the receiver knows of a connection, and how it ends one. */
export class Connection {
  #mode: Mode = 'new';
  /** The response to its latest request. */
  #latest: ServerResponse | undefined;
  /** Whether HTTP lets it stay open after that. */
  #isPersistent = false;
  #unanswered = 0;
  #discarded = 0;
  #limit: NodeJS.Timeout | undefined;

  constructor(
    readonly socket: Socket,
    private readonly connections: Connections,
  ) {
    Object.assign(socket, { [CONNECTION]: this });
  }

  /** The response that is awaited: that to its latest request, unless it is sent. */
  get pending(): ServerResponse | undefined {
    return this.#latest?.writableFinished === false ? this.#latest : undefined;
  }

  /** Whether nothing useful can come of it. */
  get isUseless(): boolean {
    return this.#mode === 'new' || this.isDeciding || this.#mode === 'lingering';
  }

  get isDeciding(): boolean {
    return this.#mode === 'deciding';
  }

  get isClosing(): boolean {
    return this.#mode === 'closing' || this.#mode === 'lingering';
  }

  /**
   * Hands a request on, and closes the connection after its response unless it is accepted at once. What comes behind a
   * request that isn't accepted is not processed, nor behind too many that have no response.
   */
  process(response: ServerResponse, handle: () => void): void {
    if (this.isClosing) return;
    if (this.#unanswered === MAX_UNANSWERED) return this.#closeBehind(this.#latest!);
    this.#unanswered += 1;
    response.once('close', () => (this.#unanswered -= 1));
    this.#mode = 'deciding';
    this.#latest = response;
    // HTTP/1.0 has no persistent connection by default.
    this.#isPersistent = response.shouldKeepAlive && response.req.httpVersionMinor > 0;
    response.shouldKeepAlive = false;
    handle();
    if (this.isDeciding) this.close();
  }

  /**
   * Accepts the request that is being decided. The connection stays open without a field that says so: it needs none
   * (RFC 9112 §9.3), and Node would publish the keep-alive time-out in it, which is a limit and no promise.
   */
  accept(): void {
    if (!this.isDeciding) return;
    this.#mode = 'accepted';
    if (!this.#isPersistent) return;
    this.#latest!.shouldKeepAlive = true;
    this.#latest!.removeHeader('connection');
  }

  /** Whether it closes after this response, which must say so. It does if its request isn't accepted, or its content wasn't read. */
  closesAfter(response: ServerResponse): boolean {
    const { req: request } = response;
    if (this.isDeciding || (hasContent(request) && !request.readableEnded)) this.close();
    if (!response.shouldKeepAlive) return true;
    const isLast = this.isClosing || this.connections.isStopping || this.socket.readableEnded;
    // What was sent behind a request may be stored, and gets its response too.
    return isLast && response === this.#latest;
  }

  /** @param reason why the response refuses its request; undefined if it doesn't */
  responds(status: number, reason: RefusalReason | undefined): void {
    this.connections.onResponse(status, reason, this.socket.remoteAddress);
  }

  /**
   * Closes the connection after the response to its latest request. Until then nothing is read, and afterwards nothing is
   * parsed.
   */
  close(): void {
    if (this.isClosing) return;
    this.#mode = 'closing';
    const { socket } = this;
    socket.removeAllListeners('data').on('data', this.#discard).pause();
    // Node calls it after a last response. At once, it would reset the connection of a peer that is still writing, which
    // discards the response (RFC 9112 §9.6).
    socket.destroySoon = () => this.#linger();
  }

  /** Closes the connection after a response whose head may be on its way, and doesn't say so. */
  #closeBehind(latest: ServerResponse): void {
    this.close();
    latest.once('finish', () => this.#linger());
  }

  /** Ends its own side, and discards what arrives, at most so long and so much as the limits above say. */
  #linger(): void {
    if (this.#mode === 'lingering') return;
    this.#mode = 'lingering';
    const { socket } = this;
    socket.end();
    socket.setTimeout(SILENCE, () => socket.destroy());
    this.#endAfter(this.connections.isStopping ? SILENCE : MAX_LINGER);
    socket.once('close', () => clearTimeout(this.#limit)).resume();
  }

  /** One read in each turn of the event loop: those who send without end would leave no time for others. */
  readonly #discard = ({ length }: Buffer): void => {
    const { socket } = this;
    this.#discarded += length;
    if (this.#discarded > MAX_DISCARDED) return void socket.destroy();
    socket.pause();
    if (this.#mode === 'lingering') setImmediate(() => socket.resume());
  };

  /** The receiver stops: a peer that is still writing has not much time. */
  hurry(): void {
    if (this.#mode === 'lingering') this.#endAfter(SILENCE);
  }

  #endAfter(milliseconds: number): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.socket.destroy(), milliseconds);
  }
}

/** Is told of a response: its status, why it refuses its request (undefined if it doesn't), and the address of its peer. */
export type OnResponse = (
  status: number,
  reason: RefusalReason | undefined,
  peer: string | undefined,
) => void;

/** Open connections that share a limit. */
export class Connections {
  /** The oldest first. */
  readonly #open = new Set<Connection>();
  #isStopping = false;

  constructor(
    private readonly maxConnections: number,
    readonly onResponse: OnResponse = () => undefined,
  ) {}

  /** Whether what is open is about to be closed. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Adds a connection. Never are more open than the limit: a further one takes the place of the least useful, or is closed
   * if each has a request in flight.
   */
  add(socket: Socket): void {
    const connection = new Connection(socket, this);
    if (this.#open.size >= this.maxConnections) {
      const surplus = this.#leastUseful() ?? connection;
      // Its end is announced later, and others may be accepted before.
      this.#open.delete(surplus);
      surplus.socket.destroy();
      if (surplus === connection) return;
    }
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
  }

  /** The oldest that is useless, or else the oldest without a request. */
  #leastUseful(): Connection | undefined {
    let idle: Connection | undefined;
    for (const connection of this.#open) {
      if (connection.isUseless) return connection;
      if (connection.pending === undefined) idle ??= connection;
    }
    return idle;
  }

  /**
   * Closes each connection after its next response, which says so.
   *
   * @returns those that are open now
   */
  closeAfterNextResponse(): Connection[] {
    this.#isStopping = true;
    for (const connection of this.#open) connection.hurry();
    return [...this.#open];
  }

  /** Closes those on which nothing was ever received. Node takes them for busy, and would wait for them. */
  closeSilent(): void {
    for (const { socket } of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes those on which no whole head has come, or none since the last response. */
  closeIdle(): void {
    for (const { pending, socket } of this.#open) if (pending === undefined) socket.destroy();
  }

  /**
   * Ends the connections so that no request is lost: each closes after its next response. An idle one stays open until
   * its peer closes it or the time is up, because a request may be on its way.
   *
   * A listening socket of the server's own closes at once, so that peers turn to another server. One that was passed to
   * it closes when the connections that were open have ended: nobody is refused, and what comes then waits for the next
   * process.
   *
   * @param timeout for the idle connections, in milliseconds. With a socket that was passed, those that were accepted
   * last have as long again, at most {@link LAST_REQUEST_TIMEOUT}
   */
  async drain(server: Server, timeout: number, isPassed: boolean): Promise<void> {
    const open = this.closeAfterNextResponse();
    if (isPassed) await within(timeout, Promise.all(open.map(({ socket }) => closeOf(socket))));
    const closed = closeOf(server);
    // Not the method of HTTP servers, which also closes idle connections.
    ListeningServer.prototype.close.call(server);
    await within(isPassed ? Math.min(timeout, LAST_REQUEST_TIMEOUT) : timeout, closed);
  }
}

function closeOf(socketOrServer: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => socketOrServer.once('close', resolve));
}

function within(timeout: number, happening: Promise<unknown>): Promise<unknown> {
  return Promise.race([happening, delay(timeout, undefined, { ref: false })]);
}
