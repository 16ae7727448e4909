import type { Dispatcher } from 'undici';
import { connectError } from './transport-error.js';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** Where requests go. */
interface RequestTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
}

/**
 * Sends one request at a time with a dispatcher of the caller, who also closes it. undici's time-outs of a response are
 * off for these requests, because each attempt has its own clocks.
 */
export class DispatcherConnection {
  /** The dispatcher knows. */
  readonly wasReset = false;
  readonly #dispatcher: Dispatcher;
  readonly #request: RequestTarget;

  constructor(dispatcher: Dispatcher, request: RequestTarget) {
    this.#dispatcher = dispatcher;
    this.#request = request;
  }

  send(handler: Handler, headers: string[], body: Uint8Array): void {
    const { origin, path, method } = this.#request;
    const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };
    const exchange = new Exchange(handler, origin);
    try {
      this.#dispatcher.dispatch(
        { origin, path, method, headers: recordOf(headers), body, ...noTimeouts },
        exchange,
      );
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  }

  expectResponse(): void {}

  async destroy(): Promise<void> {}
}

/** Some dispatchers and interceptors don't take a flat list. */
function recordOf(headers: readonly string[]): Record<string, string | string[]> {
  // A field may have the name of a property that every object has.
  const record = Object.create(null) as Record<string, string | string[]>;
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index]!, headers[index + 1]!];
    const before = record[name];
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}

/** What a dispatcher does with one request. It may send the request several times; the handler sees one. */
class Exchange implements Handler {
  readonly #handler: Handler;
  readonly #origin: string;
  #controller: Controller | undefined;
  #aborted: Error | undefined;
  #hasResponse = false;

  constructor(handler: Handler, origin: string) {
    this.#handler = handler;
    this.#origin = origin;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    if (this.#aborted !== undefined) throw this.#aborted;
    const isFirst = this.#controller === undefined;
    this.#controller = controller;
    try {
      if (isFirst) this.#handler.onRequestStart?.({ abort: this.#abort } as Controller, context);
    } catch (error) {
      // The dispatcher may take it for a failure of the request, and repeat that.
      this.#aborted = error as Error;
      throw error;
    }
  }

  onResponseStart(controller: Controller, ...response: [number, Headers, string?]): void {
    this.#hasResponse ||= response[0] >= 200;
    this.#handler.onResponseStart?.(controller, ...response);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: Headers): void {
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller | undefined, error: ReportedError): void {
    const { statusCode = 0, headers = {} } = error;
    // Some interceptors report a response as an error. Its status decides, as always.
    if (this.#controller !== undefined && !this.#hasResponse && statusCode >= 300) {
      this.onResponseStart(this.#controller, statusCode, headers);
    }
    const isConnecting = this.#controller === undefined && error.name !== 'SocketError';
    const reported = isConnecting ? connectError(error, this.#origin) : error;
    this.#handler.onResponseError?.(controller as Controller, reported);
  }

  readonly #abort = (reason: Error): void => {
    this.#aborted = reason;
    this.#controller?.abort(reason);
  };
}

/** What undici's RequestRetryError and ResponseError have of the response. */
type ReportedError = Error & { readonly statusCode?: number; readonly headers?: Headers };
type Headers = Parameters<NonNullable<Handler['onResponseStart']>>[2];
