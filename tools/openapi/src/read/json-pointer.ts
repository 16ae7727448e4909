import { visible } from './visible.js';

/** One step of a JSON Pointer in its escaped form (RFC 6901 §3). */
export function escapeStep(step: string): string {
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

/** The steps of a JSON Pointer, unescaped; the empty pointer has none. */
export function pointerSteps(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapeStep);
}

/** A JSON Pointer from unescaped steps. */
export function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${escapeStep(step)}`).join('');
}

/** Whether a JSON Pointer leads to a place or to something in it. */
export function isAtOrBelow(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`);
}

/** A JSON Pointer as a person reads it, on one line: `webhooks › /plant/webhook › summary`. */
export function plainName(pointer: string): string {
  return pointer === ''
    ? '(the whole document)'
    : visible(unescapeStep(pointer.slice(1).replaceAll('/', ' › ')));
}

function unescapeStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step;
}
