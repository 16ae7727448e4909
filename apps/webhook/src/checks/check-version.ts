import type { HeadCheck } from '../answers/receiver-effect.js';
import { headerOf } from '../http/header-of.js';
import { Refusal } from '../http/refusal.js';

/** Refuses a request that does not say that it is of this version (question `request-versioning`). */
export function checkVersion({
  header,
  value,
}: {
  readonly header: string;
  readonly value: string;
}): HeadCheck {
  return (request) => {
    if (headerOf(request, header) !== value) throw new Refusal('version-unsupported');
  };
}
