/** How much, how large and how slow deliveries may be. */
import * as v from 'valibot';
import { MAX_DELIVERIES, MAX_SIZE_LIMIT } from '../limits.js';
import { kind } from './kind.js';
import { milliseconds, wholeNumber } from './parts.js';

/** How many deliveries a sender may make with one access token in any span of this length. */
const rateLimits = kind(
  v.strictObject({
    deliveries: wholeNumber(1, MAX_DELIVERIES),
    /** The length of the span. */
    seconds: v.pipe(
      v.number(),
      v.check((span) => span > 0 && Number.isFinite(span), 'a number above 0'),
    ),
  }),
);

/** The largest content of a delivery. */
const sizeLimits = kind(wholeNumber(1, MAX_SIZE_LIMIT, ' of bytes'));

/** How long a delivery may take, in milliseconds. */
const timeOuts = kind(
  v.strictObject({
    /** Until a receiver has the whole request. */
    delivery: milliseconds(1),
    /** Until a sender has the whole response. */
    response: milliseconds(1),
  }),
);

export const limitKinds = {
  'rate-limits': rateLimits,
  'size-limits': sizeLimits,
  'time-outs': timeOuts,
};
