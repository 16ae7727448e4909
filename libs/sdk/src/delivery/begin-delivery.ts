import type { RateLimit } from '@plant-store/contract';
import type { EncodePlant, UncheckedEventOptions } from '../encoders/encode-plant.js';
import type { Response } from '../errors/not-acknowledged-error.js';
import type { Authorizer } from './access-token.js';
import { Attempt, type AttemptContext } from './attempt.js';
import { Delivery } from './delivery.js';
import type { DeliveryObserver } from './diagnostics.js';
import type { DeliveryContent, RequestHeaders } from './headers.js';
import { InFlight } from './in-flight.js';
import { RateLimiter } from './rate-limiter.js';
import type { Retry } from './retry.js';

/** The options of `send`. They are not checked yet. */
export interface UncheckedSendOptions extends UncheckedEventOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: unknown;
}

/** The parts of a sender that every `send` uses. */
export interface SenderParts {
  readonly authorize: Authorizer;
  readonly headers: RequestHeaders;
  readonly context: AttemptContext;
}

/** Encodes a plant and begins its delivery, and reports the result. */
export type BeginDelivery = <Plant>(
  encode: EncodePlant<Plant>,
  plant: Plant,
  options: UncheckedSendOptions,
  resolve: (acknowledgement: Response) => void,
  reject: (error: Error) => void,
  observer: DeliveryObserver | undefined,
) => void;

/** Every delivery is one attempt, made at once. */
export function deliverOnce(parts: SenderParts): BeginDelivery {
  const { context } = parts;
  return (encode, plant, options, resolve, reject, observer) => {
    const attempt = new Attempt(context, resolve, reject, options.signal, observer?.beginAttempt());
    if (attempt.settled) return;
    orFail(attempt, () => {
      const started = performance.now();
      const content = prepare(parts, encode, plant, options);
      attempt.spend(performance.now() - started);
      beginAttempt(parts, attempt, content, 1);
    });
  };
}

/** A delivery may have several attempts, if there is a retry policy. Each attempt waits for the rate limit, if any. */
export function deliverInAttempts(
  parts: SenderParts,
  retry: Retry | undefined,
  limit: RateLimit | undefined,
): BeginDelivery {
  const { url, inFlight, clocks } = parts.context;
  const limiter = limit && new RateLimiter(limit);
  const context = { url, inFlight, total: clocks.total, retry, limiter };
  // Its deliveries end their attempts.
  const attemptContext = { ...parts.context, inFlight: new InFlight() };
  return (encode, plant, options, resolve, reject, observer) =>
    new Delivery(context, {
      signal: options.signal,
      resolve,
      reject,
      observer,
      prepare: () => prepare(parts, encode, plant, options),
      createAttempt: (succeed, fail) =>
        new Attempt(attemptContext, succeed, fail, undefined, observer?.beginAttempt()),
      beginAttempt: (attempt, content, number, onTurn) =>
        beginAttempt(parts, attempt, content, number, onTurn),
    }).begin();
}

/** Checks and encodes what all attempts of a delivery send. */
function prepare<Plant>(
  { headers }: SenderParts,
  encode: EncodePlant<Plant>,
  plant: Plant,
  options: UncheckedSendOptions,
): DeliveryContent {
  const ownFields = headers.readOwn(options.headers);
  return { plant: encode(plant, options), ownFields };
}

function beginAttempt(
  { authorize, headers }: SenderParts,
  attempt: Attempt,
  delivery: DeliveryContent,
  number: number,
  onTurn?: () => void,
): void {
  const { content } = delivery.plant;
  attempt.takeTurn(() => {
    onTurn?.();
    if (attempt.settled) return;
    authorize(attempt, (credentials) =>
      orFail(attempt, () => {
        const fields = headers.make(delivery, number, credentials);
        if (!(fields instanceof Promise)) return attempt.send(fields, content);
        fields
          .then((awaited) => attempt.send(awaited, content))
          .catch((error: unknown) => attempt.fail(error as Error));
      }),
    );
  });
}

/** Runs a step of an attempt. If the step throws, the attempt fails with that error. */
function orFail(attempt: Attempt, step: () => void): void {
  try {
    step();
  } catch (error) {
    attempt.fail(error as Error);
  }
}
