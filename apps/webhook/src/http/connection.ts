import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { NO_OBSERVER, type Observer } from '../observer.js';

/** How long what a peer still sends is discarded so that it can read the last response, in milliseconds. */
const LINGER = 1_000;

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
  /** The request that was given up before it was complete. What still arrives of it isn't stored. */
  givenUp: IncomingMessage | undefined;
  /** Whether its last response has been sent. */
  isClosing = false;
  /** Whether no further request on it is processed (RFC 9112 §9.6). */
  #isOver = false;
  /** Whether it closes after the response to its latest request, which is known. */
  #closes = false;
  #unauthenticatedRequests = 0;
  /** The response to its latest request, and to the one before while that isn't sent. */
  #latest: ServerResponse | undefined;
  #previous: ServerResponse | undefined;

  constructor(readonly socket: Socket) {}

  /** Whether every request on it has its response. */
  get isIdle(): boolean {
    return this.#latest?.writableFinished ?? true;
  }

  /**
   * Notes a request.
   *
   * @returns whether it may be processed
   */
  begin(response: ServerResponse): boolean {
    if (this.#isOver) return false;
    this.#previous = this.isIdle ? undefined : this.#latest;
    this.#latest = response;
    if (!this.isAuthenticated && ++this.#unauthenticatedRequests >= MAX_UNAUTHENTICATED_REQUESTS) {
      response.shouldKeepAlive = false;
      this.#ignoreWhatFollows();
    }
    return true;
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
   * Closes the connection after its last response, the one to its latest request. Not at once: a reset would discard the
   * response of a peer that is still writing (RFC 9112 §9.6). And not later than {@link LINGER}, even if the peer keeps
   * its side open.
   */
  closeAfterLinger(): void {
    if (this.#closes) return;
    this.#closes = true;
    this.#ignoreWhatFollows();
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
  giveUp(status: string): void {
    const latest = this.#latest;
    const isInside = latest?.req.complete === false;
    if (this.#closes || (this.#isOver && !isInside)) return;
    // Bytes written now would end up inside the response.
    if (isInside && latest.headersSent) return void this.socket.destroy();
    if (isInside) this.givenUp = latest.req;
    this.#ignoreWhatFollows();
    afterResponse(isInside ? this.#previous : latest, () => this.#endWith(status));
  }

  #endWith(status: string): void {
    if (!this.socket.writable) return;
    const date = new Date().toUTCString();
    this.socket.end(`HTTP/1.1 ${status}\r\nDate: ${date}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    this.observer.responded(Number(status.slice(0, 3)));
    this.closeAfterLinger();
  }

  /**
   * Ignores what follows the latest request. Node would parse everything that has arrived, up to 64 KiB, in one turn of
   * its loop. Nothing public stops it, so this relies on how Node's parser calls its server, which is the same in Node.js
   * 20 and in the newest source. If that changes, what follows is parsed and not processed, and a test fails.
   */
  #ignoreWhatFollows(): void {
    this.#isOver = true;
    const { parser } = this.socket as Socket & { readonly parser?: Partial<Parser> | null };
    if (typeof parser?.onIncoming === 'function') parser.onIncoming = skip;
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
  onIncoming: (request: { upgrade: boolean }) => number;
}

/** What `onIncoming` returns after a request behind which another protocol begins. */
const SKIP_THE_REST = 2;

function skip(request: { upgrade: boolean }): number {
  request.upgrade = false;
  return SKIP_THE_REST;
}
