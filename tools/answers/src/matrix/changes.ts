import type { Observations } from '../observations.js';

/** Stands for what is no longer seen. */
export const GONE = 'nothing';

/** Those observations that are not as they were before. */
export function changes(before: Observations, after: Observations): Observations {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names.flatMap((name) => (before[name] === after[name] ? [] : [[name, after[name] ?? GONE]])),
  );
}
