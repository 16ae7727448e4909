import { channel } from 'node:diagnostics_channel';
import { type ContentMethod, RESERVED_FIELDS } from '@plant-store/contract';
import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import { addFields, readHeaderFields } from './header-fields.js';

/**
 * One call of `send`. Every message about it has the same object, so that a subscriber can keep what belongs to it in a
 * `WeakMap`.
 */
export interface ObservedDelivery {
  /** The HTTP method of each of its requests. */
  readonly method: ContentMethod;
  /** Where it is sent: `baseUrl` with the delivery path appended. It has no user information and no query. */
  readonly url: string;
}

/** One HTTP request of a delivery. Every message about it has the same object. */
export interface ObservedAttempt {
  /** The delivery that it belongs to. */
  readonly delivery: ObservedDelivery;
  /** Counts the requests of the delivery, from 1. */
  readonly number: number;
}

/**
 * What is published on the channels of `node:diagnostics_channel`, by the name of the channel. No message has the access
 * token or the signing key.
 *
 * - Each `delivery:start` is followed by one `delivery:end`. It is published while the caller of `send` runs, so
 *   subscribers are in the caller's asynchronous context. The others may be in any context.
 * - Each `attempt:start` is followed by one `attempt:response` or `attempt:failure`. An attempt that ends before its
 *   request is handed to a connection has none of them.
 * - A delivery that nobody subscribed to when it started publishes nothing.
 */
export interface DiagnosticsMessages {
  /** `send` was called. */
  readonly 'plant-store:delivery:start': { readonly delivery: ObservedDelivery };
  /** A request is about to be handed to a connection. */
  readonly 'plant-store:attempt:start': {
    readonly attempt: ObservedAttempt;
    /**
     * Header fields to add to the request, such as `traceparent`. The rules of the option `headers` apply. A field that
     * the request already has isn't added.
     */
    readonly headers: Record<string, string>;
  };
  /** The receiver responded with a final status. */
  readonly 'plant-store:attempt:response': {
    readonly attempt: ObservedAttempt;
    readonly status: number;
    /** Whether the status acknowledges the delivery. */
    readonly acknowledged: boolean;
  };
  /** The request ended without a final status, or the caller aborted it. */
  readonly 'plant-store:attempt:failure': {
    readonly attempt: ObservedAttempt;
    readonly error: PlantStoreError;
  };
  /** The last attempt failed, and there will be another one. */
  readonly 'plant-store:delivery:retry': {
    readonly delivery: ObservedDelivery;
    /** Why the last attempt failed. */
    readonly error: PlantStoreError;
    /** Milliseconds until the next attempt. */
    readonly delay: number;
  };
  /** The delivery has succeeded or failed. */
  readonly 'plant-store:delivery:end': {
    readonly delivery: ObservedDelivery;
    /** How many requests were started. */
    readonly attempts: number;
    /** The status that acknowledged the delivery; absent if it failed. */
    readonly status?: number;
    /** What `send` rejects with; absent if the delivery was acknowledged. */
    readonly error?: PlantStoreError;
  };
}

type Name = keyof DiagnosticsMessages;

const names = [
  'plant-store:delivery:start',
  'plant-store:attempt:start',
  'plant-store:attempt:response',
  'plant-store:attempt:failure',
  'plant-store:delivery:retry',
  'plant-store:delivery:end',
] as const satisfies readonly Name[];
const all = names.map((name) => channel(name));

function publish<Each extends Name>(name: Each, message: DiagnosticsMessages[Each]): void {
  channel(name).publish(message);
}

/** Starts to publish a delivery. `undefined` if nobody has subscribed to any channel. */
export function observeDelivery(method: ContentMethod, url: string): DeliveryObserver | undefined {
  if (!all.some(({ hasSubscribers }) => hasSubscribers)) return undefined;
  return new DeliveryObserver(Object.freeze({ method, url }));
}

/** Publishes what happens to one delivery and to its attempts, of which there is one at a time. */
export class DeliveryObserver {
  readonly #delivery: ObservedDelivery;
  #attempts = 0;
  /** `undefined` unless its request has started. */
  #attempt: ObservedAttempt | undefined;

  constructor(delivery: ObservedDelivery) {
    this.#delivery = delivery;
    publish('plant-store:delivery:start', { delivery });
  }

  /**
   * The request of an attempt is about to be handed to a connection.
   *
   * @param fields Its header fields: a flat list of names and values.
   * @returns The same with the fields that subscribers add.
   * @throws PlantStoreError if subscribers add invalid fields.
   */
  startAttempt(fields: string[]): string[] {
    this.#attempts += 1;
    this.#attempt = Object.freeze({ delivery: this.#delivery, number: this.#attempts });
    const headers: Record<string, string> = {};
    publish('plant-store:attempt:start', { attempt: this.#attempt, headers });
    return addFields(fields, readHeaderFields(headers, reserved, invalidFields));
  }

  /** The attempt ends with a response. */
  respond(status: number, acknowledged: boolean): void {
    publish('plant-store:attempt:response', { attempt: this.#attempt!, status, acknowledged });
    this.#attempt = undefined;
  }

  /** The attempt ends without a response. */
  fail(error: PlantStoreError): void {
    if (this.#attempt === undefined) return;
    publish('plant-store:attempt:failure', { attempt: this.#attempt, error });
    this.#attempt = undefined;
  }

  /** There will be another attempt. */
  retry(error: PlantStoreError, delay: number): void {
    publish('plant-store:delivery:retry', { delivery: this.#delivery, error, delay });
  }

  /** The delivery has succeeded or failed. */
  end(result: { readonly status: number } | { readonly error: PlantStoreError }): void {
    const [delivery, attempts] = [this.#delivery, this.#attempts];
    publish('plant-store:delivery:end', { delivery, attempts, ...result });
  }
}

const reserved: ReadonlySet<string> = new Set(RESERVED_FIELDS);

function invalidFields(problem: string, cause?: unknown): PlantStoreError {
  const message = `\`headers\` of a subscriber to plant-store:attempt:start ${problem}`;
  return notSent('PLANT_STORE_HEADERS_FAILED', message, cause);
}
