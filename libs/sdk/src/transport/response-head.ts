import type { Socket } from 'node:net';
import { errors } from 'undici';

/** How a response of this version begins. */
const BEGINNING = Buffer.from('HTTP/1');
const STATUS = 'HTTP/1.1 '.length;
const [LF, CR, ZERO, ONE, TWO] = Buffer.from('\n\r012');

/**
 * Prepares the heads of the responses on a connection for undici, which sends one request at a time.
 *
 * - A client must be able to parse 1xx responses that it didn't expect (RFC 9110 §15.2). undici closes the connection
 *   for a 100 (Continue), and ignores the others. So it gets a 102 instead.
 * - undici takes a response of any version, and of RTSP. Another major version may have another syntax (RFC 9110 §2.5).
 */
export function prepareHeads(socket: Socket): void {
  const head = new Head();
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  // A response begins after a request.
  socket.write = ((...written: Parameters<typeof write>) => {
    head.begin();
    return write(...written);
  }) as typeof write;
  socket.read = (size) => {
    const chunk = read(size) as Buffer | null;
    if (chunk === null || head.prepare(chunk)) return chunk;
    socket.destroy(new errors.HTTPParserError('The response does not begin with HTTP/1'));
    return null;
  };
}

/** The head of a response, of which any piece may come at a time. */
class Head {
  /** Of the next byte in the status line, as far as its status. `Infinity` once the final status was read. */
  #index = Infinity;
  #hasTens = false;
  /** Line feeds without anything between. */
  #lineFeeds = 0;

  begin(): void {
    this.#index = 0;
  }

  /** Returns false if the response begins otherwise. */
  prepare(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length && this.#index < Infinity; at += 1) {
      const byte = chunk[at];
      if (this.#index < BEGINNING.length && byte !== BEGINNING[this.#index] && !this.#isBefore(byte))
        return false;
      if (this.#index === STATUS && byte !== ONE) this.#index = Infinity;
      if (this.#index === STATUS + 1) this.#hasTens = byte !== ZERO;
      if (this.#index === STATUS + 2 && byte === ZERO && !this.#hasTens) chunk[at] = TWO!;
      this.#pass(byte);
    }
    return true;
  }

  /** Whether a byte is before the status line: some servers send an empty line there. */
  #isBefore(byte: number | undefined): boolean {
    return this.#index === 0 && (byte === LF || byte === CR);
  }

  /** Begins again behind an empty line. */
  #pass(byte: number | undefined): void {
    if (byte === LF) this.#lineFeeds += 1;
    else if (byte !== CR) this.#lineFeeds = 0;
    if (this.#lineFeeds === 2 || this.#isBefore(byte)) this.#lineFeeds = this.#index = 0;
    else this.#index += 1;
  }
}
