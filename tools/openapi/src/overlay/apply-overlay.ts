import { pointerOf } from '../read/json-pointer.js';
import { descend, type SourceEntry, type SourceNode } from '../read/source-node.js';
import type { Action } from './read-overlay.js';

/** The baseline with the answers in it. */
export interface AnsweredBaseline {
  readonly root: SourceNode;
  /** Actions that could not be applied as a whole; nothing of them is in `root`. */
  readonly refused: readonly RefusedAction[];
}

/** An action that does not fit the baseline, and the place where it does not. */
export interface RefusedAction {
  readonly action: Action;
  readonly reason: 'no target' | 'out of order' | 'would overwrite';
  readonly pointer: string;
  /** The later action that adds the target. */
  readonly after?: Action;
  /** What stands there already. */
  readonly existing?: SourceNode;
}

/**
 * Adds answers to a baseline. An action adds keys to a map, or objects to the end of a list of objects; where
 * anything is stated already, an empty map of the baseline and a list of plain values included, it is refused.
 *
 * @param root is not changed
 */
export function applyOverlay(root: SourceNode, actions: readonly Action[]): AnsweredBaseline {
  const refused: RefusedAction[] = [];
  let result = root;
  for (const action of actions) {
    const { update } = action;
    if (update === undefined) continue;
    const target = descend(result, action.steps);
    const conflict = target === undefined ? undefined : conflictIn(target, update, action.steps);
    const pointer = pointerOf(action.steps);
    if (target === undefined) refused.push({ action, pointer, ...noTarget(action, actions) });
    else if (conflict !== undefined) refused.push({ action, reason: 'would overwrite', ...conflict });
    else result = replace(result, action.steps, (node) => merge(node, update));
  }
  return { root: result, refused };
}

/** Actions are applied in the order in which they stand (Overlay 1.0.0, `actions`). */
function noTarget(action: Action, actions: readonly Action[]): Pick<RefusedAction, 'reason' | 'after'> {
  const later = actions.slice(actions.indexOf(action) + 1);
  const after = later.find(({ steps, update }) => {
    const isAbove =
      steps.length < action.steps.length && steps.every((step, index) => step === action.steps[index]);
    return isAbove && update !== undefined && descend(update, action.steps.slice(steps.length)) !== undefined;
  });
  return after === undefined ? { reason: 'no target' } : { reason: 'out of order', after };
}

/** The JSON Pointers of the empty maps that an action adds. Other actions may fill them. */
export function emptyMapsOf({ steps, update }: Action): string[] {
  return update === undefined ? [] : emptyMapsIn(update, steps);
}

function emptyMapsIn(node: SourceNode, steps: readonly string[]): string[] {
  if (node.kind !== 'map') return [];
  if (node.entries.size === 0) return [pointerOf(steps)];
  return [...node.entries].flatMap(([key, { value }]) => emptyMapsIn(value, [...steps, key]));
}

interface Conflict {
  readonly pointer: string;
  readonly existing: SourceNode;
}

function conflictIn(target: SourceNode, update: SourceNode, steps: readonly string[]): Conflict | undefined {
  const here = { pointer: pointerOf(steps), existing: target };
  if (target.kind === 'list') {
    return update.kind === 'map' && isListOfMaps(target) ? undefined : here;
  }
  if (target.kind === 'scalar' || update.kind !== 'map') return here;
  // An empty map is a fact where the baseline states it; where an answer added it, others may fill it.
  if (target.entries.size === 0 && target.file !== update.file) return here;
  for (const [key, { value }] of update.entries) {
    const existing = target.entries.get(key)?.value;
    const isExtended = existing?.kind === 'map' && value.kind === 'map';
    const below = [...steps, key];
    if (existing === undefined || (isListOfMaps(existing) && isListOfMaps(value))) continue;
    const conflict = isExtended
      ? conflictIn(existing, value, below)
      : { pointer: pointerOf(below), existing };
    if (conflict !== undefined) return conflict;
  }
  return undefined;
}

function isListOfMaps(node: SourceNode): boolean {
  return node.kind === 'list' && node.items.length > 0 && node.items.every(({ kind }) => kind === 'map');
}

/** Adds `update` to `target`, where nothing conflicts. */
function merge(target: SourceNode, update: SourceNode): SourceNode {
  if (target.kind === 'list') {
    return { ...target, items: [...target.items, ...(update.kind === 'list' ? update.items : [update])] };
  }
  if (target.kind !== 'map' || update.kind !== 'map') return target;
  const entries = new Map<string, SourceEntry>(target.entries);
  for (const [key, entry] of update.entries) {
    const existing = entries.get(key);
    const merged = existing && { ...existing, value: merge(existing.value, entry.value) };
    entries.set(key, merged ?? entry);
  }
  return { ...target, entries };
}

/** Rebuilds the nodes on the way to the node that `change` is for. */
function replace(
  node: SourceNode,
  [step, ...steps]: readonly string[],
  change: (node: SourceNode) => SourceNode,
): SourceNode {
  if (step === undefined) return change(node);
  if (node.kind === 'list') {
    const items = node.items.map((item, at) => (at === Number(step) ? replace(item, steps, change) : item));
    return { ...node, items };
  }
  const entry = node.kind === 'map' ? node.entries.get(step) : undefined;
  if (node.kind !== 'map' || entry === undefined) return node;
  const changed = { ...entry, value: replace(entry.value, steps, change) };
  return { ...node, entries: new Map(node.entries).set(step, changed) };
}
