import { type FactChild, type FactNode, isSame, NO_CHILDREN } from '../facts/fact.js';
import { isList, isMap, isObject } from '../facts/openapi-objects.js';
import { type Context, isMapOfParts, kindOf, shapeOf } from './context.js';
import type { Pair } from './unit.js';

/** A part of the one document, and the part of the other that it is compared with. */
export interface Part {
  readonly kind: string;
  /** The step to it, in the new document if it has the part. */
  readonly step: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
}

/** The parts of two maps or two lists, each with its counterpart. */
export function partsOf(within: Pair, context: Context): readonly Part[] {
  const ours = within.first?.children ?? NO_CHILDREN;
  const theirs = within.second?.children ?? NO_CHILDREN;
  return Array.from(new Set([...ours.keys(), ...theirs.keys()]), (step) => ({
    kind: kindOf(context, within, step),
    step,
    first: ours.get(step),
    second: theirs.get(step),
  }));
}

/** Whether a change is looked for in its parts. Otherwise the whole part changed. */
export function isLookedInto({ kind, first, second }: Part): boolean {
  const part = { first: first?.node, second: second?.node };
  if (part.first === undefined || part.second === undefined)
    return isMapOfParts(kind, part) && (part.first ?? part.second)?.kind === 'map';
  return areLookedInto(part.first, part.second, kind);
}

function areLookedInto(first: FactNode, second: FactNode, kind: string): boolean {
  const shape = shapeOf({ first, second });
  if (isObject(shape) || isMap(shape)) return isLike(first, 'map') && isLike(second, 'map');
  if (!isList(shape) || !isLike(first, 'list') || !isLike(second, 'list')) return false;
  return !isMatched(kind) || isInOrder(first, second, kind);
}

function isLike({ kind, text, source }: FactNode, wanted: 'map' | 'list'): boolean {
  return kind === wanted || (source.kind === wanted && text === (wanted === 'map' ? '{}' : '[]'));
}

/** Lists whose items are recognised by what they state, not by their position. */
function isMatched(kind: string): boolean {
  return /^schema\.(allOf|anyOf|oneOf)$|\.parameters$/.test(kind);
}

/** Whether items that differ are the same ones, changed: nothing came, went or moved. */
function isInOrder(first: FactNode, second: FactNode, kind: string): boolean {
  const [ours, theirs] = [first, second].map((node) =>
    Array.from(node.children.values(), (item) => item.node),
  );
  if (ours === undefined || theirs === undefined || ours.length !== theirs.length) return false;
  const areParameters = kind.endsWith('.parameters');
  return ours.every((one, index) => {
    const other = theirs[index];
    if (other === undefined) return false;
    if (areParameters) return parameterKey(one) === parameterKey(other);
    if (isSame(one, other)) return true;
    return !theirs.some((node) => isSame(one, node)) && !ours.some((node) => isSame(node, other));
  });
}

/** What a parameter is recognised by. */
export function parameterKey(parameter: FactNode): string {
  return ['in', 'name'].map((field) => parameter.children.get(field)?.node.text).join(' ');
}
