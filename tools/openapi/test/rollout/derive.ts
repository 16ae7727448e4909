import type { ExecutableId, Rollout, Step } from '@plant-store/contract';

import type { Run } from './observe.js';
import type { Answer } from './states.js';

/** The rollout of the example answer to a question that was open, as the runs show it. */
export function rolloutOf(runs: readonly Run[], id: ExecutableId): Rollout {
  const toNew = works(runs, id, 'open', 'example');
  const toOld = works(runs, id, 'example', 'open');
  if (toNew && toOld) return 'any order';
  return toNew ? 'receivers first' : toOld ? 'senders first' : 'transition';
}

/**
 * Whether a sender with one answer and a receiver with another work together: in every way in which each of them works
 * with its own kind.
 */
function works(runs: readonly Run[], id: ExecutableId, sender: Answer, receiver: Answer): boolean {
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
  sender: Answer,
  receiver: Answer,
): readonly Run[] {
  return runs.filter(
    (run) => run.id === id && run.caller === sender && run.sdk === sender && run.receiver === receiver,
  );
}

/**
 * The version step of the example answer, as the runs and the compiler show it, by the rule of
 * docs/how-to/answer-a-question.md.
 *
 * @param compiles whether code for one state compiles with the types of another
 */
export function stepOf(
  runs: readonly Run[],
  id: ExecutableId,
  compiles: (code: Answer, types: Answer) => boolean,
): Step {
  const change = (caller: Answer, one: Answer, other: Answer): 'same' | 'worse' | 'better' => {
    const results = (sdk: Answer): Map<string, string> =>
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
  const oldCode = change('open', 'open', 'example');
  const isNarrower = id.endsWith('-fields') && !works(runs, id, 'open', 'example');
  if (!compiles('open', 'example') || oldCode === 'worse' || isNarrower) return 'major';
  // Something that only the new version can do.
  const newCode = change('example', 'example', 'open');
  return oldCode !== 'same' || newCode !== 'same' || !compiles('example', 'open') ? 'minor' : 'patch';
}
