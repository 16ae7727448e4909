import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { RefusalReason } from '../counters.js';

/** How long what a peer still sends is discarded so that it can read the last response, in milliseconds. */
const LINGER = 1_000;

/** The pause after each read of what is discarded, for each such connection, so that many cost as much as one: milliseconds. */
const DISCARD_PAUSE = 2;

/** How many connections there are whose input is discarded. */
let discarding = 0;

/** Sees the responses of a server. */
export interface ResponseObserver {
  /** A response was sent, whatever the path of its request. */
  readonly responded: (status: number) => void;
  /** It refuses the request. */
  readonly refused: (status: number, reason: RefusalReason, socket: Pick<Socket, 'remoteAddress'>) => void;
}

const CONNECTION = Symbol('connection');

/** The connection of a socket, the same one each time. */
export function connectionOf(socket: Socket): Connection {
  const known = socket as Socket & { [CONNECTION]: Connection | undefined };
  return (known[CONNECTION] ??= new Connection(socket));
}

/** What the receiver knows of a connection, and how it ends one. */
export class Connection {
  /** Sees its responses; undefined if nobody does. */
  observer: ResponseObserver | undefined;
  /** Whether it closes after the response to its latest request. */
  closes = false;
  /** The response to its latest request. */
  latest: ServerResponse | undefined;
  /** Whether an accepted token was sent on it. */
  isAuthenticated = false;
  /** Whether its latest request has a token that is accepted. Without {@link begin} nobody asks. */
  #isAccepted = true;
  /** Whether nothing that arrives on it is parsed any more. */
  #isOver = false;

  constructor(readonly socket: Socket) {
    const { parser } = socket as Socket & { readonly parser?: Parser | null };
    if (typeof parser?.onIncoming === 'function') this.#watchParser(parser);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether every request on it has its response. */
  get isIdle(): boolean {
    return this.latest?.writableFinished ?? true;
  }

  /** Notes a request. Unless it is accepted before this turn of the event loop ends, nothing behind its head is parsed. */
  begin(response: ServerResponse): void {
    this.latest = response;
    this.#isAccepted = false;
  }

  /** @param reason why the response refuses its request; undefined if it doesn't */
  responds(status: number, reason: RefusalReason | undefined): void {
    this.observer?.responded(status);
    if (reason !== undefined) this.observer?.refused(status, reason, this.socket);
  }

  /** Notes that the token of the latest request is accepted. */
  accept(): void {
    this.#isAccepted = this.isAuthenticated = true;
  }

  /** Whether it closes after this response. What was sent behind the request may be stored, and gets its response too. */
  closesAfter(response: ServerResponse): boolean {
    return response === this.latest && (this.closes || !this.#isAccepted);
  }

  /**
   * Parses nothing more that arrives, and closes the connection after the response to its latest request. Not at once: a
   * reset would discard the response of a peer that is still writing (RFC 9112 §9.6). And not later than {@link LINGER},
   * even if the peer keeps its side open.
   *
   * What arrives is discarded, one read of at most 64 KiB after the other, with pauses. Content in chunks of one byte
   * costs twenty times as much if it is parsed, and whoever sends without end would leave no time for others.
   */
  closeAfterLinger(): void {
    if (this.#isOver) return;
    this.#isOver = this.closes = true;
    const { socket } = this;
    let pause: NodeJS.Timeout | undefined;
    let linger: NodeJS.Timeout | undefined;
    discarding += 1;
    socket
      .removeAllListeners('data')
      .on('data', () => {
        socket.pause();
        pause = setTimeout(() => socket.resume(), DISCARD_PAUSE * discarding);
      })
      .once('close', () => {
        discarding -= 1;
        clearTimeout(pause);
        clearTimeout(linger);
      });
    // Node calls it after a last response, and it would reset the connection.
    socket.destroySoon = () => {
      socket.end();
      linger = setTimeout(() => socket.destroy(), LINGER);
    };
  }

  /**
   * Lets the parser skip the rest of a read, up to 64 KiB, once nothing more is processed. Nothing public does, so this
   * relies on how Node's parser calls its server, which is the same in Node.js 20 and in the newest source. If that
   * changes, a test fails.
   */
  #watchParser(parser: Parser): void {
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = this.#isOver ? SKIP_THE_REST : onIncoming(request, keepAlive);
      if (!this.#isAccepted) this.closeAfterLinger();
      if (!this.#isOver) return result;
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
