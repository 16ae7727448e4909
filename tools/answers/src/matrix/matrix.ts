import type { ExecutableId } from '@plant-store/contract';

import type { Observations } from '../observations.js';

/** The surfaces on which an answer may show. */
export const SURFACES = ['receiver', 'sender', 'types', 'document'] as const;

/** One of them. */
export type Surface = (typeof SURFACES)[number];

/** What is seen on each surface. */
export type Seen = { readonly [Name in Surface]: Observations };

/** What an answer changes, and nothing else changes. */
export interface Row extends Seen {
  /** Answers without which this one shows less or nothing. */
  readonly builtOn: readonly ExecutableId[];
}
