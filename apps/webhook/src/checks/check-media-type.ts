import type { HeadCheck } from '../answers/receiver-effect.js';
import { headerOf } from '../http/header-of.js';
import { Refusal } from '../http/refusal.js';

/** Refuses content of another media type; parameters do not count (question `media-type`; RFC 9110 §8.3.1). */
export function checkMediaType(mediaType: string): HeadCheck {
  const want = mediaType.toLowerCase();
  return (request) => {
    const [essence = ''] = (headerOf(request, 'content-type') ?? '').split(';', 1);
    if (essence.trim().toLowerCase() !== want) throw new Refusal('media-type-unsupported');
  };
}

/** Refuses content that would have to be decoded before it is parsed (RFC 9110 §12.5.3, §15.5.16). */
export const checkContentEncoding: HeadCheck = (request) => {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal('media-type-unsupported', { 'accept-encoding': 'identity' });
};
