import { type ExecutableAnswers, RateWindow } from '@plant-store/contract';

import type { AcceptedToken } from '../../authentication/bearer.strategy.js';
import { Refusal } from '../../http/refusal.js';
import { headerOf } from '../../http/message.js';
import type { HeadStep } from '../pipeline.js';

/** Refuses content of another media type; parameters are ignored (question `media-type`; RFC 9110 §8.3.1). */
export function requireMediaType(mediaType: string): HeadStep {
  const wanted = mediaType.toLowerCase();
  return (request) => {
    const [essence = ''] = (headerOf(request, 'content-type') ?? '').split(';', 1);
    if (essence.trim().toLowerCase() !== wanted) throw new Refusal('media-type-unsupported');
  };
}

/** Refuses content that would have to be decoded before it is parsed (RFC 9110 §12.5.3, §15.5.16). */
export const refuseContentEncoding: HeadStep = (request) => {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal('media-type-unsupported', { 'accept-encoding': 'identity' });
};

/** Refuses a request without this version in this header field (question `request-versioning`). */
export function requireVersion(header: string, value: string): HeadStep {
  return (request) => {
    if (headerOf(request, header) !== value) throw new Refusal('version-unsupported');
  };
}

/**
 * Refuses deliveries beyond the rate limit of their access token (question `rate-limits`). The count of a token is
 * dropped together with the token.
 *
 * @param now in milliseconds, of a clock that never goes back
 */
export function limitRate(
  limit: ExecutableAnswers['rate-limits'],
  now: () => number = () => performance.now(),
): HeadStep {
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
