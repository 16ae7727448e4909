import { type FactChild, type FactNode, isSame, NO_CHILDREN } from '../facts/fact.js';
import { isList, isMap, isObject } from '../facts/openapi-objects.js';
import { escapeStep } from '../read/json-pointer.js';
import { type Context, isMapOfParts, kindOf, shapeOf } from './context.js';
import { hasOperation, parameterParts } from './parameters.js';
import type { Pair } from './unit.js';

/** A part of the one document, and the part of the other that it is compared with. */
export interface Part {
  readonly kind: string;
  /** What it is recognised by: its step, or the place and the name of a parameter. */
  readonly field: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  /** What it is written in. */
  readonly within: Pair;
  /** JSON Pointer from there, or from the object that has the list of parameters; of the new document if that has it. */
  readonly rest: string;
  /** Whether it is a parameter that an operation takes from its path item. */
  readonly isOfPathItem?: boolean;
  /** Whether it is compared where it is used. What nothing uses has no effect. */
  readonly isForOthers?: boolean;
}

/** The parts of two maps or two lists, each with its counterpart. `around` is what these are a part of. */
export function partsOf(within: Pair, around: Pair, context: Context): readonly Part[] {
  const parts = writtenParts(within, context);
  if (context.name === 'schema') return withOnlyValues(parts);
  const isOperation = context.name === 'operation';
  if (!isOperation && context.name !== 'path-item') return parts;
  const parameters = isOperation ? parameterParts(around, within) : parameterParts(within);
  if (parameters === undefined) return parts;
  const isForOthers = !isOperation && hasOperation(within);
  const kind = `${context.name}.parameters.*`;
  return [
    ...parts.filter((part) => part.kind !== `${context.name}.parameters`),
    ...parameters.map((parameter) => ({
      ...parameter,
      kind,
      isForOthers,
      isOfPathItem: isOperation && parameter.isOfPathItem,
    })),
  ];
}

function writtenParts(within: Pair, context: Context): readonly Part[] {
  const keyOf = /^(response|encoding)\.headers$/.test(context.name) ? lowerCase : asIs;
  const [ours, theirs] = [keyed(within.first, keyOf), keyed(within.second, keyOf)];
  return Array.from(new Set([...ours.keys(), ...theirs.keys()]), (key) => {
    const [first, second] = [ours.get(key), theirs.get(key)];
    const field = (second ?? first)?.step ?? key;
    const kind = kindOf(context, within, field);
    return { kind, field, first: first?.child, second: second?.child, within, rest: `/${escapeStep(field)}` };
  });
}

interface Step {
  readonly step: string;
  readonly child: FactChild;
}

/** The children by what they are recognised by. */
function keyed(node: FactNode | undefined, keyOf: (step: string) => string): Map<string, Step> {
  const children = [...(node?.children ?? NO_CHILDREN)];
  const byKey = new Map(children.map(([step, child]) => [keyOf(step), { step, child }]));
  // Two names that differ only in their case are compared as they are written.
  return byKey.size === children.length ? byKey : keyed(node, asIs);
}

const asIs = (step: string): string => step;
/** Names of headers have no case (RFC 9110 §5.1). */
const lowerCase = (step: string): string => step.toLowerCase();

/** A `const` is compared with the `enum` of the other document: both list what is allowed. */
function withOnlyValues(parts: readonly Part[]): readonly Part[] {
  const only = parts.find(({ kind }) => kind === 'schema.const');
  const list = parts.find(({ kind }) => kind === 'schema.enum');
  const isReplaced = only !== undefined && list !== undefined && isOneSided(only) && isOneSided(list);
  if (!isReplaced || (only.first === undefined) === (list.first === undefined)) return parts;
  const { field, rest: pointer } = list.second === undefined ? only : list;
  const both = {
    ...list,
    field,
    rest: pointer,
    first: only.first ?? list.first,
    second: only.second ?? list.second,
  };
  const rest = parts.filter((part) => part !== only && part !== list);
  return saysTheSame(only, list) ? rest : [...rest, both];
}

function isOneSided({ first, second }: Part): boolean {
  return first === undefined || second === undefined;
}

function saysTheSame(only: Part, list: Part): boolean {
  const value = (only.first ?? only.second)?.node;
  const items = (list.first ?? list.second)?.node.children;
  const item = items?.size === 1 ? items.get('0')?.node : undefined;
  return value !== undefined && item !== undefined && isSame(value, item);
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
  return !isMatched(kind) || isInOrder(first, second);
}

function isLike({ kind, text, source }: FactNode, wanted: 'map' | 'list'): boolean {
  return kind === wanted || (source.kind === wanted && text === (wanted === 'map' ? '{}' : '[]'));
}

/** Lists whose items are recognised by what they state, not by their position. */
function isMatched(kind: string): boolean {
  return /^schema\.(allOf|anyOf|oneOf)$/.test(kind);
}

/** Whether items that differ are the same ones, changed: nothing came, went or moved. */
function isInOrder(first: FactNode, second: FactNode): boolean {
  const [ours, theirs] = [first, second].map((node) =>
    Array.from(node.children.values(), (item) => item.node),
  );
  if (ours === undefined || theirs === undefined || ours.length !== theirs.length) return false;
  return ours.every((one, index) => {
    const other = theirs[index];
    if (other === undefined) return false;
    if (isSame(one, other)) return true;
    return !theirs.some((node) => isSame(one, node)) && !ours.some((node) => isSame(node, other));
  });
}
