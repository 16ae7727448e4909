import type { Surface } from '@plant-store/contract';
import type { Observations } from '@plant-store/contract/kinds';

/**
 * The surfaces on which an answer is observed. What it adds to the document, the gate compares
 * with the example overlay.
 */
export const SURFACES = ['receiver', 'sender', 'types'] as const satisfies readonly Surface[];

/** What is seen on each surface. */
export type Seen = { readonly [Name in (typeof SURFACES)[number]]: Observations };

/** Observations made surface by surface. */
export function onEach(look: (surface: keyof Seen) => Observations): Seen {
  return { receiver: look('receiver'), sender: look('sender'), types: look('types') };
}

/** The observations that differ from before. */
export function changes(before: Observations, after: Observations): Observations {
  return Object.fromEntries(Object.entries(after).filter(([name, seen]) => before[name] !== seen));
}
