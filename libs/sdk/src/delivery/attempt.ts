import type { Dispatcher } from 'undici';
import { invalidOption } from '../errors/invalid-options-error.js';
import { NotAcknowledgedError, outcomeOf, type ReceiverResponse } from '../errors/not-acknowledged-error.js';
import { type Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { toError } from '../errors/sender-error.js';
import type { RequestFields, Sendable, Target, Transport } from '../transport/transport.js';
import { UNDICI } from '../transport/transport-error.js';
import type { ResponseReader } from './response.js';

/** What the attempts of one sender share. */
export interface AttemptContext {
  readonly target: Pick<Target, 'url'>;
  readonly maxResponseBytes: number;
  readonly responses: ResponseReader;
  readonly transport: Transport;
}

/** What may end an attempt when its request is about to be sent. */
interface AttemptDeadline {
  checkTimeForRequest(): void;
}

/**
 * One HTTP request of a delivery, and its handler at undici. It settles once: what ends it first wins, and everything
 * else is released.
 *
 * Once the status and the header fields of a final response have arrived, the status decides: a complete header
 * section conveys what the response means (RFC 9112 §8). A time-out or a lost connection after that only truncates
 * the content.
 */
export class Attempt implements Sendable {
  readonly #context: AttemptContext;
  readonly #deadline: AttemptDeadline;
  /** Is aborted when the attempt fails. `undefined` until its signal is read. */
  #failure: AbortController | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #resolve: ((acknowledgement: ReceiverResponse) => void) | undefined;
  #reject: ((error: PlantStoreError) => void) | undefined;
  #accessToken = '';
  #status = 0;
  #headers: ReceiverResponse['headers'] = {};
  #chunks: Uint8Array[] | undefined;
  #length = 0;

  constructor(context: AttemptContext, deadline: AttemptDeadline) {
    this.#context = context;
    this.#deadline = deadline;
  }

  /** Whether the attempt has succeeded or failed. */
  get settled(): boolean {
    return this.#settled;
  }

  /** What is known of the request, if it ends now without a complete response. */
  get outcome(): Outcome {
    if (this.#controller === undefined) return 'not-sent';
    const isUnknown = this.#status === 0 || this.#context.responses.acknowledges(this.#status);
    return isUnknown ? 'unknown' : outcomeOf(this.#status);
  }

  /** Sends the request. Resolves with the response that acknowledges it. */
  send(headers: RequestFields, content: Uint8Array): Promise<ReceiverResponse> {
    this.#accessToken = (headers['authorization'] as string).slice('Bearer '.length);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#context.transport.send(this, headers, content);
    });
  }

  /** Is aborted when the attempt fails. It is made when it is first read. */
  get signal(): AbortSignal {
    if (this.#failure === undefined) {
      this.#failure = new AbortController();
      if (this.#settled) this.#failure.abort();
    }
    return this.#failure.signal;
  }

  /** Ends the attempt with an error, unless it is settled. */
  fail(error: PlantStoreError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reject?.(error);
    this.#failure?.abort();
    this.#endRequest(error);
  }

  /**
   * Ends the attempt with what has arrived of its response, if its final status has.
   *
   * @returns Whether the attempt is settled.
   */
  endWithResponse(): boolean {
    if (this.#status > 0) this.#finish(true);
    return this.#settled;
  }

  /**
   * A dispatcher of the caller may call it again, if it repeats the request. What it throws keeps the request from being
   * sent.
   */
  onRequestStart(controller: Dispatcher.DispatchController, context?: RequestContext): void {
    if (!this.#settled) this.#deadline.checkTimeForRequest();
    if (this.#settled) throw new Error('The attempt has ended.');
    if (context?.history?.length) throw followedRedirect(this.#context.target.url);
    this.#controller = controller;
  }

  /** undici 6 calls other methods than later versions, and an interceptor of it may call only some of them. */
  onConnect(): void {
    if (this.#controller !== undefined) this.#endUnknown();
    const error = invalidOption('dispatcher', OTHER_CALLS);
    this.fail(error);
    throw error;
  }

  onHeaders(): boolean {
    return this.#endUnknown();
  }

  onData(): boolean {
    return this.#endUnknown();
  }

  onComplete(): void {
    this.#endUnknown();
  }

  onError(): void {
    this.#endUnknown();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReceiverResponse['headers'],
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
    this.#finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, thrown: unknown): void {
    const error: ReportedError = toError(thrown);
    const { statusCode = 0, headers = {} } = error;
    // Some interceptors report a response as an error. Its status decides, as always.
    if (this.#status === 0 && this.#controller !== undefined && statusCode >= 300) {
      this.#status = statusCode;
      this.#headers = headers;
    }
    if (this.endWithResponse()) return;
    this.fail(this.#context.transport.errorOf(error, this.#controller !== undefined));
  }

  #finish(truncated: boolean): void {
    if (this.#settled) return;
    // An interceptor kept it to itself.
    if (this.#status === 0) return void this.#endUnknown();
    this.#settled = true;
    const response: ReceiverResponse = {
      status: this.#status,
      headers: this.#headers,
      content: concatenate(this.#chunks, this.#length),
      truncated,
    };
    const { responses, target } = this.#context;
    if (responses.acknowledges(response.status)) this.#resolve!(response);
    else {
      const explanation = responses.explain(response);
      this.#reject!(new NotAcknowledgedError(response, target.url, explanation, this.#accessToken));
    }
    if (truncated) this.#endRequest(new Error('The rest of the response is not needed.'));
  }

  #endUnknown(): true {
    const message = `What became of the request to ${this.#context.target.url} is unknown: \`dispatcher\` ${OTHER_CALLS}`;
    this.fail(new PlantStoreError('PLANT_STORE_CONNECTION_LOST', message, { outcome: 'unknown' }));
    return true;
  }

  #endRequest(reason: Error): void {
    try {
      this.#controller?.abort(reason);
    } catch {
      // A dispatcher of the caller may throw. What became of the attempt stands.
    }
  }
}

const OTHER_CALLS = `did not call the handler of the request as undici 7 does. ${UNDICI}`;

/** What undici tells of a request. `history` has the addresses before, if a redirect was followed. */
interface RequestContext {
  readonly history?: readonly unknown[];
}

function followedRedirect(url: string): PlantStoreError {
  const message = `The dispatcher followed a redirect of ${url}. Redirects are not followed, for another address may not be the receiver.`;
  return new PlantStoreError('PLANT_STORE_RESPONSE_UNREADABLE', message, { outcome: 'unknown' });
}

/** What undici's RequestRetryError and ResponseError have of the response. */
type ReportedError = Error & { readonly statusCode?: number; readonly headers?: ReceiverResponse['headers'] };

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
