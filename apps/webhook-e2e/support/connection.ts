import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { afterThisTest } from '@plant-store/test-support';

/** A response as its bytes arrived. */
export interface RawResponse {
  /** The status line. */
  readonly line: string;
  /** The field lines, in the order in which they came. */
  readonly fields: readonly string[];
  readonly content: string;
}

/** How a connection behaves. */
export interface ConnectionOptions {
  /** Whether it stays open in its own direction when the receiver has ended the other one. */
  readonly allowHalfOpen?: boolean;
}

/** Where a receiver listens: a port of 127.0.0.1, or something else. */
export type Place = number | { readonly host: string; readonly port: number } | { readonly path: string };

/** Opens a connection. It ends with the test. */
export async function openConnection(place: Place, options: ConnectionOptions = {}): Promise<Connection> {
  const where = typeof place === 'number' ? { port: place, host: '127.0.0.1' } : place;
  const socket = connect({ ...where, noDelay: true, ...options });
  afterThisTest(() => socket.destroy());
  await once(socket, 'connect');
  return new Connection(socket);
}

/** A TCP connection to a receiver. It shows what arrives byte for byte. */
export class Connection {
  readonly #socket: Socket;
  readonly #changes = new EventEmitter();
  /** What has arrived and was not read yet, one character per byte. */
  #received = '';
  #ended = false;
  #error: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      this.#changes.emit('change');
    });
    socket.on('error', (error) => {
      this.#error = error;
      this.#changes.emit('change');
    });
    socket.on('end', () => {
      this.#ended = true;
      this.#changes.emit('change');
    });
  }

  /** The error that broke the connection: a reset, or a write to a closed connection. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Whether the receiver has ended the connection, as far as has arrived here. */
  get isOver(): boolean {
    return this.#ended || this.#error !== undefined;
  }

  /** Writes bytes, or text with one character per byte. */
  write(bytes: string | Uint8Array): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Writes bytes and waits until the system has taken them, or the connection is closed. */
  async writeAll(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.write(bytes, (error) => {
        this.#error ??= error ?? undefined;
        resolve();
      });
    });
  }

  /** Ends its own direction after what was written. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Reads the next whole response; an interim response counts. Rejects if the connection ends before. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const response = this.#take();
      if (response !== undefined) return response;
      if (this.isOver) throw new Error(`No whole response, but ${JSON.stringify(this.#received)}.`);
      await once(this.#changes, 'change');
    }
  }

  /** Waits until the peer closes. Returns what it has sent after the responses that were read. */
  async rest(): Promise<string> {
    while (!this.isOver) await once(this.#changes, 'change');
    if (this.#error !== undefined) throw this.#error;
    return this.#received;
  }

  /** Waits until the connection has ended, even by a reset. Returns what has arrived and was not read. */
  async everything(): Promise<string> {
    while (!this.isOver) await once(this.#changes, 'change');
    return this.#received;
  }

  /** Waits until some text has arrived. Returns what has arrived and was not read. */
  async until(text: string): Promise<string> {
    while (!this.#received.includes(text) && !this.isOver) await once(this.#changes, 'change');
    return this.#received;
  }

  #take(): RawResponse | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [line, ...fields] = this.#received.slice(0, end).split('\r\n') as [string, ...string[]];
    const length = Number(fields.find((field) => /^content-length:/i.test(field))?.split(':')[1] ?? 0);
    const start = end + 4;
    if (this.#received.length < start + length) return undefined;
    const content = this.#received.slice(start, start + length);
    this.#received = this.#received.slice(start + length);
    return { line, fields, content };
  }
}
