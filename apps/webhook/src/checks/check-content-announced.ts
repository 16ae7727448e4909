import type { HeadCheck } from '../answers/receiver-effect.js';
import { hasContent } from '../http/answer.js';
import { Refusal } from '../http/refusal.js';

/** Refuses a request without content: it carries no information about a plant. */
export const checkContentAnnounced: HeadCheck = (request) => {
  if (!hasContent(request)) throw new Refusal('content-missing');
};
