import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { NO_OBSERVER, type Observer, type RefusalReason } from '../observer.js';

/** How long what a peer still sends is discarded so that it can read the last response, in milliseconds. */
const LINGER = 1_000;

/** The pause after each read of what is discarded, for each such connection, so that many cost as much as one: milliseconds. */
const DISCARD_PAUSE = 2;

/** How many connections there are whose input is discarded. */
let discarding = 0;

/**
 * How many requests a connection may send before one with an accepted token. Each costs time, and whoever sends many at
 * once would delay the deliveries of others.
 */
const MAX_UNAUTHENTICATED_REQUESTS = 8;

const CONNECTION = Symbol('connection');

/** The connection of a socket, the same one each time. */
export function connectionOf(socket: Socket): Connection {
  const known = socket as Socket & { [CONNECTION]: Connection | undefined };
  return (known[CONNECTION] ??= new Connection(socket));
}

/** What the receiver knows of a connection, and how it ends one. */
export class Connection {
  /** Sees its responses. */
  observer: Pick<Observer, 'responded'> = NO_OBSERVER;
  /** Whether an accepted token was sent on it. */
  isAuthenticated = false;
  /** The request that was given up before it was complete. */
  givenUp: IncomingMessage | undefined;
  /** The request whose content isn't read, although its response comes later. */
  unread: IncomingMessage | undefined;
  /** Whether its last response has been sent. */
  isClosing = false;
  /** Whether no further request on it is processed (RFC 9112 §9.6). */
  #isOver = false;
  /** Whether nothing that arrives on it is parsed any more. */
  #isUnparsed = false;
  /** Whether it closes after the response to its latest request, which is known. */
  #closes = false;
  #unauthenticatedRequests = 0;
  /** The response to its latest request, and to the one before while that isn't sent. */
  #latest: ServerResponse | undefined;
  #previous: ServerResponse | undefined;

  constructor(readonly socket: Socket) {
    const { parser } = socket as Socket & { readonly parser?: Parser | null };
    if (typeof parser?.onIncoming === 'function') this.#watchParser(parser);
  }

  /** Whether every request on it has its response. */
  get isIdle(): boolean {
    return this.#latest?.writableFinished ?? true;
  }

  /** Notes a request. */
  begin(response: ServerResponse): void {
    this.#previous = this.isIdle ? undefined : this.#latest;
    this.#latest = response;
    if (!this.isAuthenticated && ++this.#unauthenticatedRequests >= MAX_UNAUTHENTICATED_REQUESTS) {
      response.shouldKeepAlive = false;
      this.#isOver = true;
    }
  }

  /** Whether a further request has arrived after that of this response. */
  hasRequestAfter(response: ServerResponse): boolean {
    return this.#latest !== undefined && this.#latest !== response;
  }

  /** Closes the connection after the response to its latest request: the peer sends nothing more, and may still read. */
  peerEnded(): void {
    if (this.#latest !== undefined) this.#latest.shouldKeepAlive = false;
  }

  /**
   * Parses nothing more that arrives: neither the rest of the latest request nor what follows it. It is discarded, one
   * read of at most 64 KiB after the other, with pauses. Content in chunks of one byte costs twenty times as much if it is
   * parsed, and whoever sends without end would leave no time for others.
   *
   * @param unread the request whose content isn't read
   */
  stopParsing(unread?: IncomingMessage): void {
    if (this.#isUnparsed) return;
    this.#isUnparsed = this.#isOver = true;
    this.unread = unread;
    const { socket } = this;
    let pause: NodeJS.Timeout | undefined;
    const discard = (): void => {
      socket.pause();
      pause = setTimeout(() => socket.resume(), DISCARD_PAUSE * discarding);
    };
    discarding += 1;
    socket
      .removeAllListeners('data')
      .on('data', discard)
      .once('close', () => {
        discarding -= 1;
        clearTimeout(pause);
      });
  }

  /**
   * Closes the connection after its last response, the one to its latest request. Not at once: a reset would discard the
   * response of a peer that is still writing (RFC 9112 §9.6). And not later than {@link LINGER}, even if the peer keeps
   * its side open.
   */
  closeAfterLinger(): void {
    if (this.#closes) return;
    this.#closes = true;
    this.stopParsing();
    // Node calls it after a last response, and it would reset the connection.
    this.socket.destroySoon = () => this.socket.end();
    afterResponse(this.#previous, () => this.#linger());
  }

  #linger(): void {
    this.isClosing = true;
    const timer = setTimeout(() => this.socket.destroy(), LINGER);
    this.socket.once('close', () => clearTimeout(timer));
  }

  /**
   * Responds to what can't be processed as a request, after the responses to the requests in front of it
   * (RFC 9112 §9.3.2). No content, and the connection closes.
   *
   * @param status three digits, and its reason
   */
  giveUp(status: string, reason: RefusalReason): void {
    const latest = this.#latest;
    const isInside = latest?.req.complete === false;
    if (this.#closes || (this.#isOver && !isInside)) return;
    // Bytes written now would end up inside the response.
    if (isInside && latest.headersSent) return void this.socket.destroy();
    if (isInside) this.givenUp = latest.req;
    this.stopParsing();
    afterResponse(isInside ? this.#previous : latest, () => this.#endWith(status, reason));
  }

  #endWith(status: string, reason: RefusalReason): void {
    if (!this.socket.writable) return;
    const date = new Date().toUTCString();
    this.socket.end(`HTTP/1.1 ${status}\r\nDate: ${date}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    this.observer.responded(Number(status.slice(0, 3)), this.socket, reason);
    this.closeAfterLinger();
  }

  /**
   * Lets the parser skip the rest of a read, up to 64 KiB, once nothing more is processed. Nothing public does, so this
   * relies on how Node's parser calls its server, which is the same in Node.js 20 and in the newest source. If that
   * changes, a test fails.
   */
  #watchParser(parser: Parser): void {
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = this.#isOver ? undefined : onIncoming(request, keepAlive);
      if (result !== undefined && !this.#isUnparsed) return result;
      request.upgrade = false;
      return SKIP_THE_REST;
    };
  }
}

/** Calls back once a response has been sent, at once if it has been or if there is none. */
function afterResponse(response: ServerResponse | undefined, callback: () => void): void {
  if (response?.writableFinished ?? true) callback();
  else response?.once('finish', callback);
}

/** Node's parser of requests, as far as it is used here. */
interface Parser {
  /** Called for each head. */
  onIncoming: (request: { upgrade: boolean }, keepAlive: boolean) => number;
}

/** What `onIncoming` returns after a request behind which another protocol begins. */
const SKIP_THE_REST = 2;
