import type { Dispatcher } from 'undici';
import { NotAcknowledgedError } from '../errors/not-acknowledged-error.js';
import type { Outcome } from '../errors/outcome.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import type { AbortFanOut } from './abort-fan-out.js';
import type { Answer } from './answer.js';
import type { Clock } from './clock.js';
import type { ExplainAnswer } from './explain-answer.js';
import { joinChunks } from './join-chunks.js';
import { transportError } from './transport-error.js';

/** What the deliveries of one sender share. */
export interface DeliveryContext {
  /** Where they go, for messages. */
  readonly url: string;
  readonly maxAnswerBytes: number;
  /** Whether an answer with this status is an acknowledgement. */
  readonly acknowledges: (status: number) => boolean;
  readonly explain: ExplainAnswer;
  readonly aborts: AbortFanOut;
  /** Called when a delivery is settled. */
  readonly onSettled: () => void;
}

/**
 * One attempt of a `send`, and the receiving end of its request at undici; without a retry policy and a rate limit,
 * the whole `send` from its call until it is settled. It settles once; whatever ends it first wins, and lets go of
 * everything else.
 *
 * Once the status and the header fields of a final answer are there, the status decides (RFC 9112 §8: the
 * meaning of a status has been conveyed when the header section was received intact). A clock that runs out
 * or a connection that breaks after that cuts the content short, and nothing else.
 */
export class Delivery implements Dispatcher.DispatchHandler {
  readonly #context: DeliveryContext;
  readonly #resolve: (acknowledgement: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #whenGivenUp: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: Answer['headers'] = {};
  #chunks: Uint8Array[] | undefined;
  #length = 0;

  constructor(
    context: DeliveryContext,
    resolve: (acknowledgement: Answer) => void,
    reject: (error: Error) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    if (signal !== undefined) context.aborts.add(signal, this);
  }

  /** Whether nothing more is to be done for this delivery. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Starts a clock in place of the one that runs. */
  arm(clock: Clock, milliseconds: number = clock.milliseconds): void {
    if (this.#settled) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(expire, milliseconds, this, clock);
  }

  /** Calls back if the delivery fails from here on. */
  whenGivenUp(callback: () => void): void {
    this.#whenGivenUp = callback;
  }

  /** Settles the delivery with an error, unless it is settled. */
  fail(error: Error): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#whenGivenUp?.();
    this.#controller?.abort(error);
  }

  /** Gives up because a clock ran out. */
  expire({ code, option, milliseconds }: Clock): void {
    if (this.#status !== 0) return this.#answer(true);
    const message = `No final status from ${this.#context.url} within ${milliseconds} ms (${option}).`;
    this.fail(new PlantStoreError(code, message, { outcome: this.#outcome() }));
  }

  /** Gives up because the caller wants it. */
  abort(cause: unknown): void {
    const message = `The delivery to ${this.#context.url} was aborted.`;
    this.fail(new PlantStoreError('PLANT_STORE_ABORTED', message, { outcome: this.#outcome(), cause }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) throw new Error('The delivery was given up before its turn.');
    if (this.#controller !== undefined) throw new Error('A delivery is attempted once.');
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const room = this.#context.maxAnswerBytes - this.#length;
    const kept = chunk.byteLength > room ? chunk.subarray(0, room) : chunk;
    (this.#chunks ??= []).push(kept);
    this.#length += kept.byteLength;
    if (kept !== chunk) this.#answer(true);
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return;
    if (this.#status !== 0) return this.#answer(true);
    this.fail(transportError(error, this.#context.url, this.#controller !== undefined));
  }

  #answer(truncated: boolean): void {
    if (!this.#settle()) return;
    const answer: Answer = {
      status: this.#status,
      headers: this.#headers,
      content: joinChunks(this.#chunks, this.#length),
      truncated,
    };
    const { acknowledges, explain, url } = this.#context;
    if (acknowledges(answer.status)) this.#resolve(answer);
    else this.#reject(new NotAcknowledgedError(answer, url, explain(answer)));
    if (truncated) this.#controller?.abort(new Error('The rest of the answer is not read.'));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#signal !== undefined) this.#context.aborts.delete(this.#signal, this);
    this.#context.onSettled();
    return true;
  }

  #outcome(): Outcome {
    if (this.#controller === undefined) return 'not-sent';
    return this.#status === 0 || this.#context.acknowledges(this.#status) ? 'unknown' : 'answered';
  }
}

function expire(delivery: Delivery, clock: Clock): void {
  delivery.expire(clock);
}
