import type { AcceptedToken } from '../authentication/bearer.strategy.js';
import { hasContent } from '../http/connection.js';
import type { PreparedResponse, RequestHead } from '../http/message.js';
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
