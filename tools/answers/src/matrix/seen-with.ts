import type { ExecutableId } from '@plant-store/contract';

import type { Seen } from './matrix.js';
import { OPEN, ROWS } from './rows.js';

/** What is seen once these questions are answered, in an order in which each builds on earlier ones. */
export function seenWith(answered: readonly ExecutableId[]): Seen {
  return answered.reduce<Seen>(
    (seen, id) => ({
      receiver: { ...seen.receiver, ...ROWS[id].receiver },
      sender: { ...seen.sender, ...ROWS[id].sender },
      types: { ...seen.types, ...ROWS[id].types },
      document: { ...seen.document, ...ROWS[id].document },
    }),
    OPEN,
  );
}
