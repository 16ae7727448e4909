import type { RateLimit, RetryPolicy } from '@plant-store/contract';
import type { EncodedPlant, EncodePlant, UncheckedEventOptions } from '../encoders/encode-plant.js';
import type { Response } from '../errors/not-acknowledged-error.js';
import type { Transport } from '../transport/transport.js';
import type { Authorizer } from './access-token.js';
import { Attempt, type AttemptContext } from './attempt.js';
import type { Clock } from './clocks.js';
import { Delivery } from './delivery.js';
import type { MakeHeaders } from './headers.js';
import { RateLimiter } from './rate-limiter.js';

/** The options of `send`. They are not checked yet. */
export interface UncheckedSendOptions extends UncheckedEventOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The parts of a sender that every `send` uses. */
export interface SenderParts<Plant> {
  readonly encode: EncodePlant<Plant>;
  readonly authorize: Authorizer;
  readonly makeHeaders: MakeHeaders;
  readonly transport: Transport;
  readonly context: AttemptContext;
}

/** Begins a delivery, and reports its result. */
export type BeginDelivery<Plant> = (
  plant: Plant,
  options: UncheckedSendOptions,
  resolve: (acknowledgement: Response) => void,
  reject: (error: Error) => void,
) => void;

/** Every delivery is one attempt, made at once. */
export function deliverOnce<Plant>(parts: SenderParts<Plant>): BeginDelivery<Plant> {
  const { encode, context } = parts;
  return (plant, options, resolve, reject) => {
    const attempt = new Attempt(context, resolve, reject, options.signal);
    if (!attempt.settled) orFail(attempt, () => beginAttempt(parts, attempt, encode(plant, options)));
  };
}

const oneAttempt: RetryPolicy = Object.freeze({ delays: [], statuses: [], withoutResponse: false });

/** A delivery may have several attempts, if there is a retry policy. Each attempt waits for the rate limit, if any. */
export function deliverInAttempts<Plant>(
  parts: SenderParts<Plant>,
  total: Clock,
  policy: RetryPolicy = oneAttempt,
  limit: RateLimit | undefined,
): BeginDelivery<Plant> {
  const { url, aborts, onSettled } = parts.context;
  const limiter = limit && new RateLimiter(limit);
  const context = { url, aborts, onSettled, total, policy, limiter };
  const attemptContext = { ...parts.context, onSettled: () => {} };
  return (plant, options, resolve, reject) =>
    new Delivery(context, {
      signal: options.signal,
      resolve,
      reject,
      encode: () => parts.encode(plant, options),
      createAttempt: (succeed, fail) => new Attempt(attemptContext, succeed, fail, undefined),
      beginAttempt: (attempt, encoded) => beginAttempt(parts, attempt, encoded),
    }).begin();
}

function beginAttempt<Plant>(
  { authorize, makeHeaders, transport }: SenderParts<Plant>,
  attempt: Attempt,
  plant: EncodedPlant,
): void {
  authorize(attempt, (credentials) =>
    orFail(attempt, () => transport.dispatch(attempt, makeHeaders(plant, credentials), plant.content)),
  );
}

/** Runs a step of an attempt. If the step throws, the attempt fails with that error. */
function orFail(attempt: Attempt, step: () => void): void {
  try {
    step();
  } catch (error) {
    attempt.fail(error as Error);
  }
}
