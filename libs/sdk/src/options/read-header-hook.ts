import { Fault } from './fault.js';
import type { HeaderHook } from './header-hook.js';

/** Reads `headers`. */
export function readHeaderHook(option: unknown): HeaderHook | undefined {
  if (option !== undefined && typeof option !== 'function') throw new Fault('headers', 'must be a function.');
  return option as HeaderHook | undefined;
}
