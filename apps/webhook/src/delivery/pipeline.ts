import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Failure } from '@plant-store/contract';

import type { AcceptedToken } from '../authentication/access-tokens.js';
import { connectionOf } from '../http/connection.js';
import { Refusal, type Refusals } from '../http/refusal.js';
import { expectsContinue, hasContent } from '../http/request.js';
import type { PreparedResponse } from '../http/response.js';

/**
 * Checks the head of a request whose token is accepted, before its content is read.
 *
 * @throws Refusal
 */
export type HeadStep = (request: IncomingMessage, token: AcceptedToken) => void;

/** A delivery whose content has been read, and what the content steps find in it. */
export interface ReceivedDelivery {
  readonly request: IncomingMessage;
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
  /** Largest content of all deliveries that are being received, in bytes. */
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

/** Runs the pipeline for one request after the other. */
export class PipelineRunner {
  /** Bytes of content that may still be read, over all requests. */
  #budget: number;

  constructor(private readonly pipeline: DeliveryPipeline) {
    this.#budget = pipeline.maxContentBytesInFlight;
  }

  /**
   * Checks the head, reads the content, checks it, and has the delivery stored.
   *
   * @param store resolves once the delivery is durable
   * @throws Refusal of a step, or of the content's size; `unavailable` if the delivery can't be stored
   */
  async run(
    request: IncomingMessage,
    response: ServerResponse,
    token: AcceptedToken,
    store: (delivery: ReceivedDelivery) => Promise<unknown>,
  ): Promise<void> {
    for (const step of this.pipeline.headSteps) step(request, token);
    const content = await this.#read(request, response);
    try {
      if (content.length === 0) throw new Refusal('content-missing');
      const delivery: ReceivedDelivery = { request, content, json: undefined, eventId: null };
      for (const step of this.pipeline.contentSteps) {
        const running = step(delivery);
        if (running !== undefined) await withTimeout(running, this.pipeline.stepTimeout);
      }
      try {
        await store(delivery);
      } catch (cause) {
        throw new Refusal('unavailable', {}, { cause });
      }
    } finally {
      this.#budget += content.length;
    }
  }

  /**
   * Reads the content of a request, and never more than the limit. Its size is deducted from the budget; the caller
   * adds it again once it is done with the content.
   *
   * @throws Refusal `content-too-large` beyond the limit, `unavailable` if the budget is used up, `content-missing` if
   * the connection ends before the content does (RFC 9112 §8); the budget is then as before
   */
  #read(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    const limit = this.pipeline.maxContentBytes;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;

      const stop = (): void => {
        request.off('data', onData).off('end', onEnd).off('close', onClose);
      };
      const refuse = (failure: Failure): void => {
        stop();
        this.#budget += size;
        reject(new Refusal(failure));
      };
      const onData = (chunk: Buffer): void => {
        if (size + chunk.length > limit) return refuse('content-too-large');
        if (chunk.length > this.#budget) return refuse('unavailable');
        this.#budget -= chunk.length;
        size += chunk.length;
        chunks.push(chunk);
      };
      const onEnd = (): void => {
        // It was too slow, and its sender was told so.
        if (connectionOf(request.socket).givenUp === request) return refuse('content-missing');
        stop();
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
      };
      const onClose = (): void => refuse('content-missing');

      if (Number(request.headers['content-length']) > limit) return refuse('content-too-large');
      if (request.destroyed) return refuse('content-missing');
      if (expectsContinue(request)) response.writeContinue();
      request.on('data', onData).on('end', onEnd).on('close', onClose);
    });
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
    timer = setTimeout(() => reject(new Refusal('unavailable', {}, { cause })), limit);
  });
  try {
    await Promise.race([running, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
