import type { HeadCheck } from '../answers/receiver-effect.js';
import { Refusal } from '../http/refusal.js';

/** Refuses every other method, and says which there are (RFC 9110 §15.5.6). */
export function checkMethod(methods: readonly string[]): HeadCheck {
  const accepted = new Set(methods);
  const allow = methods.join(', ');
  return ({ method }) => {
    if (!accepted.has(method as string)) throw new Refusal('method-not-allowed', { allow });
  };
}
