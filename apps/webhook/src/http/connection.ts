import type { EventEmitter } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
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

/** The pause after each read of what is discarded, for each such connection, so that many cost as much as one: milliseconds. */
const DISCARD_PAUSE = 2;

/** How long a connection that was accepted last may take to send its request, in milliseconds. */
const LAST_REQUEST_TIMEOUT = 1_000;

/** How many connections there are whose input is discarded. */
let discarding = 0;

const CONNECTION = Symbol('connection');

/** The connection of a socket, the same one each time. */
export function connectionOf(socket: Socket): Connection {
  const known = socket as Socket & { [CONNECTION]: Connection | undefined };
  return (known[CONNECTION] ??= new Connection(socket));
}

/** What the receiver knows of a connection, and how it ends one. */
export class Connection {
  /** The connections of its server; undefined if nobody tracks them. */
  tracked: Connections | undefined;
  /** Whether it closes after the response to its latest request. */
  closes = false;
  /** Whether nothing that arrives on it is parsed any more. */
  isOver = false;
  /** The response to its latest request. */
  latest: ServerResponse | undefined;
  /** Whether a request on it was accepted. */
  #isKnown = false;
  /** Whether its latest request is accepted. Without {@link begin} nobody asks. */
  #isAccepted = true;
  /** Whether HTTP lets it stay open after its latest response. */
  #mayStayOpen = false;
  #limit: NodeJS.Timeout | undefined;

  constructor(readonly socket: Socket) {
    const { parser } = socket as Socket & { readonly parser?: Parser | null };
    if (typeof parser?.onIncoming === 'function') this.#watchParser(parser);
  }

  /** Whether every request on it has its response. */
  get isIdle(): boolean {
    return this.latest?.writableFinished ?? true;
  }

  /** Whether nothing useful can come of it: no request on it was accepted, or only what its peer still sends is discarded. */
  get isUseless(): boolean {
    return !this.#isKnown || (this.isOver && this.isIdle);
  }

  /**
   * Notes a request. Unless it is accepted before this turn of the event loop ends, nothing behind its head is parsed, and
   * the connection closes after its response.
   */
  begin(response: ServerResponse): void {
    this.latest = response;
    this.#isAccepted = false;
    // HTTP/1.0 has no persistent connection by default.
    this.#mayStayOpen = response.shouldKeepAlive && response.req.httpVersionMinor > 0;
    response.shouldKeepAlive = false;
  }

  /**
   * Accepts the latest request. The connection stays open without a field that says so: it needs none (RFC 9112 §9.3), and
   * Node would publish the keep-alive time-out in it, which is a limit and no promise.
   */
  accept(): void {
    this.#isAccepted = this.#isKnown = true;
    if (!this.#mayStayOpen) return;
    this.latest!.shouldKeepAlive = true;
    this.latest!.removeHeader('connection');
  }

  /** @param reason why the response refuses its request; undefined if it doesn't */
  responds(status: number, reason: RefusalReason | undefined): void {
    this.tracked?.onResponse(status, reason, this.socket.remoteAddress);
  }

  /** Whether it closes after this response. What was sent behind the request may be stored, and gets its response too. */
  closesAfter(response: ServerResponse): boolean {
    return !response.shouldKeepAlive || (response === this.latest && this.closes);
  }

  /**
   * Parses nothing more that arrives, and closes the connection after the response to its latest request. Not at once: a
   * reset would discard the response of a peer that is still writing (RFC 9112 §9.6). And not later than the limits above
   * say, even if the peer keeps its side open.
   *
   * What arrives is discarded, one read of at most 64 KiB after the other, with pauses. Content in chunks of one byte
   * costs twenty times as much if it is parsed, and whoever sends without end would leave no time for others.
   */
  closeAfterLinger(): void {
    if (this.isOver) return;
    this.isOver = this.closes = true;
    const { socket } = this;
    const destroy = (): void => void socket.destroy();
    let next: NodeJS.Timeout | undefined;
    let hasEnded = false;
    let discarded = 0;
    const wait = (): void => {
      clearTimeout(next);
      if (hasEnded) next = setTimeout(destroy, SILENCE);
    };
    const resume = (): void => {
      wait();
      socket.resume();
    };
    discarding += 1;
    socket
      .removeAllListeners('data')
      .on('data', ({ length }: Buffer) => {
        discarded += length;
        // Before the last response, what is in front may still be stored.
        if (hasEnded && discarded > MAX_DISCARDED) return destroy();
        socket.pause();
        clearTimeout(next);
        next = setTimeout(resume, DISCARD_PAUSE * discarding);
      })
      .once('close', () => {
        discarding -= 1;
        clearTimeout(next);
        clearTimeout(this.#limit);
      });
    // Node calls it after a last response, and it would reset the connection.
    socket.destroySoon = () => {
      hasEnded = true;
      socket.end();
      if (!socket.isPaused()) wait();
      this.#endAfter(this.tracked?.isStopping === true ? SILENCE : MAX_LINGER);
    };
  }

  /** The receiver stops: a peer that is still writing has not much time. */
  hurry(): void {
    if (this.#limit !== undefined) this.#endAfter(SILENCE);
  }

  #endAfter(milliseconds: number): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.socket.destroy(), milliseconds);
  }

  /**
   * Lets the parser skip the rest of a read, up to 64 KiB, once nothing more is processed. Nothing public does, so this
   * relies on how Node's parser calls its server, which is the same in Node.js 20 and in the newest source. If that
   * changes, a test fails.
   */
  #watchParser(parser: Parser): void {
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = this.isOver ? SKIP_THE_REST : onIncoming(request, keepAlive);
      if (!this.#isAccepted) this.closeAfterLinger();
      if (!this.isOver) return result;
      request.upgrade = false;
      return SKIP_THE_REST;
    };
  }
}

/** Node's parser of requests, as far as it is used here. */
interface Parser {
  /** Called for each head. */
  onIncoming: (request: { upgrade: boolean }, keepAlive: boolean) => number;
}

/** What `onIncoming` returns after a request behind which another protocol begins. */
const SKIP_THE_REST = 2;

/**
 * Protects a server from those who connect to it: few connections are open, and nothing is parsed behind the head of a
 * request that isn't accepted.
 *
 * @param connectionsOf those among which a connection is counted
 */
export function protect(server: Server, connectionsOf: (socket: Socket) => Connections): void {
  server
    .on('connection', (socket: Socket) => connectionsOf(socket).add(connectionOf(socket)))
    .prependListener('request', ({ socket }, response) => connectionOf(socket).begin(response));
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
  /** Whether what is open is about to be closed. */
  isStopping = false;

  constructor(
    private readonly maxConnections: number,
    readonly onResponse: OnResponse = () => undefined,
  ) {}

  /**
   * Adds a connection. Never are more open than the limit: a further one takes the place of the least useful, or is closed
   * if each has a request in flight.
   */
  add(connection: Connection): void {
    const { socket } = connection;
    connection.tracked = this;
    connection.closes = this.isStopping;
    if (this.#open.size >= this.maxConnections) {
      const surplus = this.#leastUseful() ?? connection;
      // Its end is announced later, and others may be accepted before.
      this.#open.delete(surplus);
      surplus.socket.destroy();
      if (surplus === connection) return;
    }
    this.#open.add(connection);
    socket.once('end', () => (connection.closes = true));
    socket.once('close', () => this.#open.delete(connection));
  }

  /** The oldest that is useless, or else the oldest without a request. */
  #leastUseful(): Connection | undefined {
    let idle: Connection | undefined;
    for (const connection of this.#open) {
      if (connection.isUseless) return connection;
      if (connection.isIdle) idle ??= connection;
    }
    return idle;
  }

  /**
   * Closes each connection after its next response, which says so.
   *
   * @returns those that are open now
   */
  closeAfterNextResponse(): Connection[] {
    this.isStopping = true;
    for (const connection of this.#open) {
      connection.closes = true;
      connection.hurry();
    }
    return [...this.#open];
  }

  /** Closes those on which nothing was ever received. Node takes them for busy, and would wait for them. */
  closeSilent(): void {
    for (const { socket } of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes those on which no whole head has come, or none since the last response. */
  closeIdle(): void {
    for (const { isIdle, socket } of this.#open) if (isIdle) socket.destroy();
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
