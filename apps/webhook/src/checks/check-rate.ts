import { type RateLimit, RateWindow } from '@plant-store/contract';

import type { HeadCheck } from '../answers/receiver-effect.js';
import type { AcceptedToken } from '../authentication/access-tokens.js';
import { Refusal } from '../http/refusal.js';

/**
 * Refuses deliveries beyond the limit of their access token (question `rate-limits`). What was counted for a token
 * goes with it.
 *
 * @param now in milliseconds, of a clock that never goes back
 */
export function checkRate(limit: RateLimit, now: () => number = () => performance.now()): HeadCheck {
  const windows = new WeakMap<AcceptedToken, RateWindow>();
  const windowOf = (token: AcceptedToken): RateWindow => {
    const window = windows.get(token) ?? new RateWindow(limit);
    windows.set(token, window);
    return window;
  };
  return (_request, token) => {
    if (windowOf(token).take(now()) > 0) throw new Refusal('rate-exceeded');
  };
}
