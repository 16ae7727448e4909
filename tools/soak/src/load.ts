import { setTimeout as pause } from 'node:timers/promises';

import { facts } from '@plant-store/contract';

import { Connection } from './connection.js';
import type { Fate, Sending } from './ledger.js';
import type { Random } from './random.js';
import type { Subject } from './subject.js';

/** How many senders send at the same time. */
const SENDERS = 24;

/** The longest pause of a sender after a delivery, in milliseconds. It makes the rate. */
const MAX_PAUSE = 100;

/** Sizes of contents, the frequent ones more than once: in a page of SQLite, across a few, across many. */
const SIZES = [0, 32, 32, 200, 200, 200, 700, 700, 700, 700, 1_500, 1_500, 4_096, 4_096, 20_000];
const LARGE_SIZES = [20_000, 150_000];

/** One delivery in a hundred is large. */
const LARGE = 0.01;

/** Ways to send, the frequent ones more than once. */
const STYLES = ['keep-alive', 'keep-alive', 'own', 'pipelined', 'slow', 'aborted'] as const;

/** Many senders that send in different ways, until they are stopped. */
export class Load {
  /** What the handler does with some deliveries. */
  fates: readonly Fate[] = ['wait', 'wait', 'fail once'];
  /** How many deliveries have one of these fates; the others are handled at once. */
  fateShare = 0.05;
  /** Whether all contents are large, to fill a disk. */
  isLarge = false;
  #senders: Promise<void>[] = [];
  #isStopped = false;

  /** @param subject what the deliveries are sent to, while a receiver of it listens */
  constructor(
    private readonly subject: Pick<Subject, 'port' | 'token' | 'ledger'>,
    private readonly random: Random,
  ) {}

  start(): void {
    this.#senders = Array.from({ length: SENDERS }, () => this.#run());
  }

  /** Waits for the deliveries in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#senders);
  }

  /** Sends one delivery with this fate. Returns the status; undefined if the connection failed. */
  async sendOne(fate: Fate, token = this.subject.token): Promise<number | undefined> {
    const connection = await this.#connect();
    if (connection === undefined) return undefined;
    const sending = this.subject.ledger.begin(fate, this.#drawSize());
    const status = await this.#deliver(connection, sending, token);
    connection.close();
    return status;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const connection = await this.#connect();
      if (connection === undefined) await pause(20);
      else await this.#send(connection);
      connection?.close();
    }
  }

  /** Sends in one of the ways, on one connection. */
  async #send(connection: Connection): Promise<void> {
    const style = this.random.pick(STYLES);
    const count = style === 'keep-alive' ? this.random.integer(2, 30) : 1;
    for (let sent = 0; sent < count && !this.#isStopped && !connection.isOver; sent += 1) {
      if (style === 'pipelined') await this.#sendPipelined(connection);
      else if (style === 'slow') await this.#sendSlowly(connection, true);
      else if (style === 'aborted') await this.#sendSlowly(connection, false);
      else await this.#deliver(connection, this.#begin(), this.subject.token);
      await pause(this.random.integer(0, MAX_PAUSE));
    }
  }

  async #deliver(connection: Connection, sending: Sending, token: string): Promise<number | undefined> {
    const { ledger } = this.subject;
    ledger.sent(sending);
    connection.write(this.#request(sending, token));
    const status = await connection.response();
    if (status !== undefined) ledger.responded(sending, status);
    return status;
  }

  async #sendPipelined(connection: Connection): Promise<void> {
    const { ledger, token } = this.subject;
    const sendings = Array.from({ length: this.random.integer(2, 10) }, () => this.#begin());
    for (const sending of sendings) ledger.sent(sending);
    connection.write(Buffer.concat(sendings.map((sending) => this.#request(sending, token))));
    for (const sending of sendings) {
      const status = await connection.response();
      if (status === undefined) return;
      ledger.responded(sending, status);
      await pause(this.random.integer(0, MAX_PAUSE / 2));
    }
  }

  /** Sends a request in pieces. One that isn't whole ends in the middle. */
  async #sendSlowly(connection: Connection, isWhole: boolean): Promise<void> {
    const { ledger, token } = this.subject;
    const sending = this.#begin();
    const request = this.#request(sending, token);
    const end = isWhole ? request.length : this.random.integer(1, request.length - 1);
    const pieces = this.random.integer(2, 5);
    for (let piece = 0; piece < pieces; piece += 1) {
      const isLast = piece === pieces - 1;
      if (connection.isOver) return;
      if (isLast && isWhole) ledger.sent(sending);
      connection.write(
        request.subarray(Math.floor((piece * end) / pieces), Math.floor(((piece + 1) * end) / pieces)),
      );
      if (!isLast) await pause(this.random.integer(0, MAX_PAUSE));
    }
    if (!isWhole) return;
    const status = await connection.response();
    if (status !== undefined) ledger.responded(sending, status);
  }

  #begin(): Sending {
    const fate = this.random.chance(this.fateShare) ? this.random.pick(this.fates) : 'handle';
    return this.subject.ledger.begin(fate, this.#drawSize());
  }

  #drawSize(): number {
    return this.random.pick(this.isLarge || this.random.chance(LARGE) ? LARGE_SIZES : SIZES);
  }

  /** Half of the requests announce their length, the others have their content in chunks (RFC 9112 §7.1). */
  #request({ content }: Sending, token: string): Buffer {
    const isChunked = this.random.chance(0.5);
    const head = [
      `POST ${facts.DELIVERY_PATH} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/octet-stream',
      isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`,
    ];
    const parts = [`${head.join('\r\n')}\r\n\r\n`, content];
    if (!isChunked) return concat(parts);
    const middle = this.random.integer(1, content.length - 1);
    const chunks = [content.subarray(0, middle), content.subarray(middle)];
    return concat([
      parts[0]!,
      ...chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']),
      '0\r\n\r\n',
    ]);
  }

  async #connect(): Promise<Connection | undefined> {
    const { port } = this.subject;
    return port === undefined ? undefined : Connection.open(port).catch(() => undefined);
  }
}

const concat = (parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
