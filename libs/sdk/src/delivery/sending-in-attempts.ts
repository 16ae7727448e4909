import type { RateLimit, RetryPolicy } from '@plant-store/contract';
import type { Clock } from './clock.js';
import { Delivery } from './delivery.js';
import { RepeatedDelivery } from './repeated-delivery.js';
import { type BeginSending, makeAttempt, type Sending } from './sending-once.js';
import { Turns } from './turns.js';

const oneAttempt: RetryPolicy = Object.freeze({ delays: [], statuses: [], withoutAnswer: false });

/** Each `send` waits for its turn where there is a rate limit, and is repeated where there is a retry policy. */
export function sendingInAttempts<Plant>(
  sending: Sending<Plant>,
  total: Clock,
  policy: RetryPolicy = oneAttempt,
  limit: RateLimit | undefined,
): BeginSending<Plant> {
  const { url, aborts, onSettled } = sending.context;
  const turns = limit && new Turns(limit);
  const context = { url, aborts, onSettled, total, policy, turns };
  const contextOfAttempt = { ...sending.context, onSettled: () => {} };
  return (plant, options, resolve, reject) =>
    new RepeatedDelivery(context, {
      signal: options.signal,
      resolve,
      reject,
      encode: () => sending.encode(plant, options),
      createAttempt: (succeed, fail) => new Delivery(contextOfAttempt, succeed, fail, undefined),
      beginAttempt: (attempt, encoded) => makeAttempt(sending, attempt, encoded),
    }).begin();
}
