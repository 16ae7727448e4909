import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How long a response may take, in milliseconds. */
const RESPONSE_TIMEOUT = 20_000;

/** A connection to the receiver that sends bytes and reads whole responses. Its errors end what waits for it. */
export class Connection {
  /** Whether nothing can be sent any more. */
  isOver = false;
  readonly #socket: Socket;
  #received = '';
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      this.#wake?.();
    });
    for (const event of ['end', 'error', 'close']) {
      socket.on(event, () => {
        this.isOver = true;
        this.#wake?.();
      });
    }
  }

  /** Rejects if nobody listens. */
  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  write(bytes: Uint8Array | string): void {
    if (!this.isOver) this.#socket.write(bytes);
  }

  close(): void {
    this.isOver = true;
    this.#socket.destroy();
    this.#wake?.();
  }

  /** The status of the next response, once it has come whole; undefined if the connection ends or time is over. */
  async response(): Promise<number | undefined> {
    const timer = setTimeout(() => this.close(), RESPONSE_TIMEOUT);
    try {
      for (;;) {
        const status = this.#take();
        if (status !== undefined || this.isOver) return status;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(): number | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = this.#received.slice(0, headEnd);
    const end = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return undefined;
    this.#received = this.#received.slice(end);
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  }
}
