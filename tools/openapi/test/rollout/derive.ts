import type { ExecutableId } from '@plant-store/contract';

import type { RolloutOrder } from '../../src/effects/effects.js';
import type { Run } from './observe.js';

/** A change of an answer, by the names of the states. */
export interface Change {
  readonly id: ExecutableId;
  readonly before: string;
  readonly after: string;
}

/** The rollout order that the runs show. */
export function orderOf(runs: readonly Run[], { id, before, after }: Change): RolloutOrder {
  const toNew = works(runs, id, before, after);
  const toOld = works(runs, id, after, before);
  if (toNew && toOld) return 'any order';
  return toNew ? 'receivers first' : toOld ? 'senders first' : 'needs a transition';
}

/**
 * Whether a sender with one answer and a receiver with another work together: in every way in which each of them works
 * with its own kind.
 */
export function works(runs: readonly Run[], id: ExecutableId, sender: string, receiver: string): boolean {
  const own = { sender, receiver };
  return runsBetween(runs, id, sender, receiver)
    .filter((run) => run.chosenBy !== 'other receiver')
    .filter(({ way, chosenBy }) =>
      runsBetween(runs, id, own[chosenBy as keyof typeof own], own[chosenBy as keyof typeof own]).some(
        (run) => run.way === way && run.result === 'works',
      ),
    )
    .every(({ result }) => result === 'works');
}

/** The runs of senders, each with code that is written for its SDK. */
export function runsBetween(
  runs: readonly Run[],
  id: ExecutableId,
  sender: string,
  receiver: string,
): readonly Run[] {
  return runs.filter(
    (run) => run.id === id && run.caller === sender && run.sdk === sender && run.receiver === receiver,
  );
}

/**
 * The version step that the runs and the compiler show, by the rule of docs/rollout.md.
 *
 * @param compiles whether code for one state compiles with the types of another
 */
export function stepOf(
  runs: readonly Run[],
  { id, before, after }: Change,
  compiles: (code: string, types: string) => boolean,
): 'major' | 'minor' | 'patch' {
  const same = (caller: string, one: string, other: string): 'same' | 'worse' | 'better' => {
    const results = (sdk: string): Map<string, string> =>
      new Map(
        runs
          .filter(
            (run) => run.id === id && run.caller === caller && run.sdk === sdk && run.receiver === caller,
          )
          .map(({ way, result }) => [way, result]),
      );
    const [old, now] = [results(one), results(other)];
    const ways = [...old.keys()].filter((way) => old.get(way) !== now.get(way));
    if (ways.some((way) => old.get(way) === 'works')) return 'worse';
    return ways.length > 0 ? 'better' : 'same';
  };
  // What a caller has must not break.
  const oldCode = same(before, before, after);
  const [isNarrower, isWider] = ['plant-fields', 'event-payload-fields'].includes(id)
    ? [!works(runs, id, before, after), !works(runs, id, after, before)]
    : [false, false];
  if (!compiles(before, after) || oldCode === 'worse' || isNarrower) return 'major';
  // Something that only the new version can do.
  const newCode = same(after, after, before);
  const isMore = oldCode !== 'same' || newCode !== 'same' || !compiles(after, before) || isWider;
  return isMore ? 'minor' : 'patch';
}
