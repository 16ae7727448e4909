import type { Finding } from '../gate/finding.js';
import type { Action } from '../overlay/action.js';
import { pointerOf } from '../read/json-pointer.js';
import type { SourceNode } from '../read/source-node.js';
import type { HeldAnswer } from './held-answer.js';

/**
 * The JSON Pointers of what an answer adds to the document: its facts, and the empty maps that other answers may have
 * filled since. Nothing of an action that is stale.
 */
export function factsOf({ question, actions }: HeldAnswer, findings: readonly Finding[]): string[] {
  const own = findings.filter(({ action }) => action?.question === question);
  const facts = own
    .filter(({ state }) => state === 'answered')
    .flatMap(({ pointer, alsoAt }) => [pointer, ...alsoAt]);
  const stale = new Set(own.filter(({ state }) => state === 'stale answer').map(({ action }) => action));
  const maps = actions.filter((action) => !stale.has(action)).flatMap(emptyMapsOf);
  return [...new Set([...maps, ...facts])];
}

function emptyMapsOf({ steps, update }: Action): string[] {
  return update === undefined ? [] : emptyMapsIn(update, steps);
}

function emptyMapsIn(node: SourceNode, steps: readonly string[]): string[] {
  if (node.kind !== 'map') return [];
  if (node.entries.size === 0) return [pointerOf(steps)];
  return [...node.entries].flatMap(([key, { value }]) => emptyMapsIn(value, [...steps, key]));
}
