import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Failure } from '@plant-store/contract';

import type { AcceptedToken } from '../authentication/bearer-auth.guard.js';
import { expectsContinue, hasContent, type PreparedResponse, type RequestHead } from '../http/message.js';
import { Refusal, type Refusals } from '../http/refusal.js';

/**
 * Checks the head of a request whose token is accepted, before its content is read.
 *
 * @throws Refusal
 */
export type HeadStep = (request: RequestHead, token: AcceptedToken) => void;

/** A delivery whose content has been read, and what the content steps find in it. */
export interface ReceivedDelivery {
  readonly request: RequestHead;
  readonly content: Buffer;
  /** The content as JSON, after `parseJson`. */
  json: unknown;
  /** Identifier of the event; null while the question `event-identity` is open. */
  eventId: string | null;
}

/**
 * Checks the content of a delivery, or finds something in it, before the delivery is stored.
 *
 * @throws Refusal
 */
export type ContentStep = (delivery: ReceivedDelivery) => void | Promise<void>;

/**
 * What happens to a delivery between its authentication and its storage, and the responses to it. It is composed once,
 * at the start, from the answers and the settings; an open question leaves no step.
 */
export interface DeliveryPipeline {
  /** Run in this order. */
  readonly headSteps: readonly HeadStep[];
  /** Run in this order, once the content has been read. */
  readonly contentSteps: readonly ContentStep[];
  /** Longest time that a content step may take, in milliseconds. */
  readonly stepTimeout: number;
  /** Largest content of one delivery, in bytes. */
  readonly maxContentBytes: number;
  /** Most memory of all deliveries that are being received: their header fields and their content, in bytes. */
  readonly maxContentBytesInFlight: number;
  /** The response to a delivery that is stored. */
  readonly acknowledgement: PreparedResponse;
  /** The responses to deliveries that are refused. */
  readonly refusals: Refusals;
}

/** Injection token of the {@link DeliveryPipeline}. */
export const DELIVERY_PIPELINE = Symbol('DeliveryPipeline');

/** Refuses every method but these, and lists them (RFC 9110 §15.5.6). */
export function requireMethod(methods: readonly string[]): HeadStep {
  const allow = methods.join(', ');
  return ({ method }) => {
    if (!methods.includes(method as string)) throw new Refusal('method-not-allowed', { allow });
  };
}

/** Refuses a request without content: it has no information about a plant. */
export const requireContent: HeadStep = (request) => {
  if (!hasContent(request)) throw new Refusal('content-missing');
};

/** What each name and each value of a header field takes beside its characters, in bytes. */
const STRING_OVERHEAD = 64;

/** The smallest buffer for content that comes in several parts, in bytes. */
const MIN_CAPACITY = 4_096;

/** The memory of all deliveries that are being received, and not stored yet. */
export class ContentMemory {
  used = 0;

  /** @param limit in bytes. One delivery alone may take more, by its header fields. */
  constructor(readonly limit: number) {}
}

/** The memory of one delivery. */
export class MemoryShare {
  #held = 0;

  /**
   * Begins with the header fields.
   *
   * @throws Refusal `unavailable`, as {@link take}
   */
  constructor(
    private readonly memory: ContentMemory,
    { rawHeaders }: RequestHead,
  ) {
    let bytes = rawHeaders.length * STRING_OVERHEAD;
    for (const text of rawHeaders) bytes += text.length;
    this.take(bytes);
  }

  /** @throws Refusal `unavailable` if the deliveries together would take more than the limit */
  take(bytes: number): void {
    const { memory } = this;
    const hasOthers = memory.used > this.#held;
    if (hasOthers && memory.used + bytes > memory.limit) throw new Refusal('unavailable');
    memory.used += bytes;
    this.#held += bytes;
  }

  /** Gives everything back. */
  free(): void {
    this.memory.used -= this.#held;
    this.#held = 0;
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Reads the content of a request into one buffer, however small the parts are in which it comes.
 *
 * @param limit the largest content, in bytes
 * @throws Refusal `content-too-large` beyond the limit, `unavailable` if there is no memory left, `content-missing` if
 * there is none, or if the connection ends, or the request gets a response, before the content does (RFC 9112 §8)
 */
export function readContent(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  memory: MemoryShare,
): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? limit);
  return new Promise((resolve, reject) => {
    let buffer = NOTHING;
    let size = 0;
    /** Undefined when the content is read: the listeners stay until the next request, and would keep it in memory. */
    let reader: { resolve(content: Buffer): void; reject(refusal: Refusal): void } | undefined = {
      resolve,
      reject,
    };

    /** Doubles the buffer until it has room, so that each byte is copied twice at most. */
    const append = (part: Buffer): void => {
      const needed = size + part.length;
      if (size === 0) {
        // Most content comes in one part, which needs no copy.
        memory.take(part.length);
        buffer = part;
      } else {
        if (needed > buffer.length) {
          const capacity = Math.min(Math.max(2 * buffer.length, needed, MIN_CAPACITY), announced);
          memory.take(capacity - buffer.length);
          const larger = Buffer.allocUnsafeSlow(capacity);
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        part.copy(buffer, size);
      }
      size = needed;
    };
    const refuse = (reason: Failure | Refusal): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      response.off('close', onClose);
      reader?.reject(reason instanceof Refusal ? reason : new Refusal(reason));
    };
    const onData = (part: Buffer): void => {
      if (size + part.length > limit) return refuse('content-too-large');
      try {
        append(part);
      } catch (refusal) {
        refuse(refusal as Refusal);
      }
    };
    const onEnd = (): void => {
      if (size === 0) return refuse('content-missing');
      reader?.resolve(size === buffer.length ? buffer : buffer.subarray(0, size));
      reader = undefined;
      buffer = NOTHING;
    };
    const onClose = (): void => {
      if (!request.readableEnded) refuse('content-missing');
    };

    if (announced > limit) return refuse('content-too-large');
    if (request.destroyed || response.headersSent) return refuse('content-missing');
    if (expectsContinue(request)) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The request stays open if it got a response before it was complete, such as 408.
    response.on('close', onClose);
  });
}

/**
 * Runs the content steps.
 *
 * @throws Refusal
 */
export async function checkContent(
  { contentSteps, stepTimeout }: DeliveryPipeline,
  delivery: ReceivedDelivery,
): Promise<void> {
  for (const step of contentSteps) {
    const running = step(delivery);
    if (running !== undefined) await withTimeout(running, stepTimeout);
  }
}

/**
 * Waits for a content step, because the content stays in memory meanwhile, and no longer than the limit.
 *
 * @param limit in milliseconds
 * @throws Refusal `unavailable`
 */
async function withTimeout(running: Promise<void>, limit: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`a schema took longer than ${limit} ms`);
    timer = setTimeout(() => reject(new Refusal('unavailable', undefined, { cause })), limit);
  });
  try {
    await Promise.race([running, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
