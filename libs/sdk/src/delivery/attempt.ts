import { AsyncResource } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import { NotAcknowledgedError, type Response } from '../errors/not-acknowledged-error.js';
import { type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import type { Place } from '../transport/queue.js';
import type { Connection, Sendable, Transport } from '../transport/transport.js';
import { requestError } from '../transport/transport-error.js';
import type { Clock, Clocks } from './clocks.js';
import type { AttemptObserver } from './diagnostics.js';
import type { InFlight } from './in-flight.js';
import type { ExplainResponse } from './response.js';

/** What the attempts of one sender share. */
export interface AttemptContext {
  /** Where requests are sent, for messages. */
  readonly url: string;
  readonly maxResponseBytes: number;
  /** Whether a response with this status acknowledges the delivery. */
  readonly acknowledges: (status: number) => boolean;
  readonly explain: ExplainResponse;
  readonly clocks: Clocks;
  readonly transport: Transport;
  /** An attempt is in it until it has succeeded or failed. */
  readonly inFlight: InFlight;
}

/**
 * One HTTP request of a delivery, and its handler at undici. Without a retry policy and a rate limit it is the whole
 * delivery. It settles once: what ends it first wins, and everything else is released.
 *
 * It has its turn from when a connection is free for it until it settles. Its clocks run in its turn only.
 *
 * Once the status and the header fields of a final response have arrived, the status decides: a complete header
 * section conveys what the response means (RFC 9112 §8). A time-out or a lost connection after that only truncates
 * the content.
 */
export class Attempt implements Sendable {
  readonly #context: AttemptContext;
  readonly #resolve: (acknowledgement: Response) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: AbortSignal | undefined;
  /** `undefined` if nobody subscribes to the diagnostics channels. */
  readonly #observer: AttemptObserver | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onFailed: (() => void) | undefined;
  #onTurn: (() => void) | undefined;
  #place: Place<unknown> | undefined;
  #connection: Connection | undefined;
  /** What is left of totalTimeout, in milliseconds, and since when it has been running out. */
  #totalLeft: number;
  #totalSince: number | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: Response['headers'] = {};
  #chunks: Uint8Array[] | undefined;
  #length = 0;

  constructor(
    context: AttemptContext,
    resolve: (acknowledgement: Response) => void,
    reject: (error: Error) => void,
    signal: AbortSignal | undefined,
    observer: AttemptObserver | undefined,
  ) {
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#totalLeft = context.clocks.total.milliseconds;
    this.#observer = observer;
    context.inFlight.add(this, signal);
  }

  /** Whether the attempt has succeeded or failed. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Whether it still waits for its turn. */
  get isWaiting(): boolean {
    return this.#place !== undefined;
  }

  /** Takes time that has passed already from totalTimeout. The attempt fails if none is left. */
  spend(milliseconds: number): void {
    this.#totalLeft -= milliseconds;
    if (this.#totalLeft <= 0) this.expire(this.#context.clocks.total);
  }

  /** Calls back when a connection is free: now or later. */
  takeTurn(onTurn: () => void): void {
    if (this.#settled) return;
    this.#onTurn = onTurn;
    this.#place = this.#context.transport.join(this);
    // The turn comes when another attempt ends. The caller's functions keep the asynchronous context of their caller.
    if (this.#place !== undefined) this.#onTurn = AsyncResource.bind(onTurn);
  }

  proceed(connection: Connection): void {
    this.#place = undefined;
    this.#connection = connection;
    this.#onTurn!();
  }

  /** Lets totalTimeout run out. */
  startTotalClock(): void {
    this.#totalSince = performance.now();
    this.#arm(this.#context.clocks.total, this.#totalLeft);
  }

  /** Lets attemptTimeout run out, and totalTimeout go on. */
  startAttemptClock(): void {
    const { attempt, total } = this.#context.clocks;
    const left =
      this.#totalSince === undefined
        ? this.#totalLeft
        : this.#totalLeft - (performance.now() - this.#totalSince);
    if (attempt.milliseconds < left) this.#arm(attempt, attempt.milliseconds);
    else this.#arm(total, left);
  }

  /** Sends the request of this attempt. */
  send(headers: string[], content: Uint8Array): void {
    if (this.#settled) return;
    const fields = this.#observer?.start(headers) ?? headers;
    this.#context.transport.send(this.#connection!, this, fields, content);
  }

  /** Calls back if the attempt fails from now on. */
  onFailed(callback: () => void): void {
    this.#onFailed = callback;
  }

  /** Ends the attempt with an error, unless it is settled. */
  fail(error: Error): void {
    if (!this.#settle()) return;
    this.#observer?.fail(error as PlantStoreError);
    this.#reject(error);
    this.#onFailed?.();
    this.#controller?.abort(error);
  }

  /** Ends the attempt because a clock ran out. */
  expire({ code, option, milliseconds }: Clock): void {
    if (this.#status !== 0) return this.#finish(true);
    const message = `No final status from ${this.#context.url} within ${milliseconds} ms (${option}).`;
    this.fail(new PlantStoreError(code, message, { outcome: this.#outcome() }));
  }

  /** Ends the attempt because the caller aborted it. */
  abort(cause: unknown): void {
    const message = `The delivery to ${this.#context.url} was aborted.`;
    this.fail(new PlantStoreError('PLANT_STORE_ABORTED', message, { outcome: this.#outcome(), cause }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) throw new Error('The attempt ended before its request was sent.');
    if (this.#controller !== undefined) throw new Error('The request of an attempt is sent once.');
    this.#controller = controller;
    this.#connection!.expectResponse();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Response['headers'],
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const room = this.#context.maxResponseBytes - this.#length;
    const kept = chunk.byteLength > room ? chunk.subarray(0, room) : chunk;
    (this.#chunks ??= []).push(kept);
    this.#length += kept.byteLength;
    if (kept !== chunk) this.#finish(true);
  }

  onResponseEnd(): void {
    this.#finish(this.#connection!.wasReset);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return;
    if (this.#status !== 0) return this.#finish(true);
    this.fail(requestError(error, this.#context.url, this.#controller !== undefined));
  }

  #finish(truncated: boolean): void {
    if (!this.#settle()) return;
    const response: Response = {
      status: this.#status,
      headers: this.#headers,
      content: concatenate(this.#chunks, this.#length),
      truncated,
    };
    const { acknowledges, explain, url } = this.#context;
    const acknowledged = acknowledges(response.status);
    this.#observer?.respond(response.status, acknowledged);
    if (acknowledged) this.#resolve(response);
    else this.#reject(new NotAcknowledgedError(response, url, explain(response)));
    if (truncated) this.#controller?.abort(new Error('The rest of the response is not needed.'));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#connection === undefined) this.#place?.leave();
    else this.#context.transport.release(this.#connection);
    this.#context.inFlight.delete(this, this.#signal);
    return true;
  }

  /** Starts a clock. It replaces the one that is running. */
  #arm(clock: Clock, milliseconds: number): void {
    if (this.#settled) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(expire, Math.ceil(milliseconds), this, clock);
  }

  #outcome(): Outcome {
    if (this.#controller === undefined) return 'not-sent';
    return this.#status === 0 || this.#context.acknowledges(this.#status) ? 'unknown' : 'responded';
  }
}

function expire(attempt: Attempt, clock: Clock): void {
  attempt.expire(clock);
}

/** Copies the chunks, so that the response keeps none of undici's larger buffers alive. */
function concatenate(chunks: readonly Uint8Array[] | undefined, length: number): Uint8Array {
  const content = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks ?? []) {
    content.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return content;
}
