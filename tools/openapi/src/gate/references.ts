import { ToolError } from '../tool-error.js';
import {
  descend,
  formatPlace,
  listOf,
  mapOf,
  type Place,
  referenceIn,
  type SourceNode,
  stepsOf,
} from './read.js';

/** A document without references, as far as that is possible. */
export interface Dereferenced {
  /** Its components come last. It has only those that nothing refers to, or that lead back to themselves. */
  readonly root: SourceNode;
  /** The other components, by pointer. */
  readonly used: ReadonlyMap<string, Place>;
}

/**
 * Replaces each local `$ref` that stands alone by what it denotes. A reference to what leads back to itself stays.
 *
 * @throws ToolError `bad-reference`
 */
export function dereference(root: SourceNode): Dereferenced {
  const used = new Map<SourceNode, string>();
  const circular = new Map<SourceNode, boolean>();

  function replaced(node: SourceNode): SourceNode {
    const reference = referenceIn(node);
    if (reference === undefined) return mapParts(node, replaced);
    const target = targetOf(root, reference, node.place);
    if (!circular.has(target)) circular.set(target, leadsBack(root, target));
    if (circular.get(target) === true) return node;
    used.set(target, reference.slice(1));
    return replaced(target);
  }

  const whole = new Map([...(mapOf(root) ?? [])].map(([key, value]) => [key, replaced(value)]));
  const components = mapOf(root)?.get('components');
  if (components !== undefined) {
    whole.delete('components');
    const left = withoutUsed(components, (section) =>
      withoutUsed(section, (one) => (used.has(one) ? undefined : one)),
    );
    if (left !== undefined) whole.set('components', replaced(left));
  }
  return {
    root: { ...root, value: whole },
    used: new Map(Array.from(used, ([{ place }, pointer]) => [pointer, place])),
  };
}

/** A map with what is left of each value. Nothing if nothing is left; what was empty stays. */
function withoutUsed(
  node: SourceNode,
  leftOf: (value: SourceNode) => SourceNode | undefined,
): SourceNode | undefined {
  const entries = [...(mapOf(node) ?? [])];
  if (entries.length === 0) return node;
  const left = new Map<string, SourceNode>();
  for (const [key, value] of entries) {
    const rest = leftOf(value);
    if (rest !== undefined) left.set(key, rest);
  }
  return left.size === 0 ? undefined : { ...node, value: left };
}

/** A copy of a node with other parts. */
export function mapParts(node: SourceNode, map: (part: SourceNode) => SourceNode): SourceNode {
  const entries = mapOf(node);
  if (entries !== undefined)
    return { ...node, value: new Map(Array.from(entries, ([key, value]) => [key, map(value)])) };
  const items = listOf(node);
  return items === undefined ? node : { ...node, value: items.map(map) };
}

function leadsBack(root: SourceNode, start: SourceNode): boolean {
  const reached = new Set<SourceNode>();
  const visit = (node: SourceNode): boolean => {
    const reference = referenceIn(node);
    const below =
      reference === undefined
        ? [...(mapOf(node)?.values() ?? listOf(node) ?? [])]
        : [targetOf(root, reference, node.place)];
    return below.some((one) => {
      if (one === start) return true;
      if (reached.has(one)) return false;
      reached.add(one);
      return visit(one);
    });
  };
  return visit(start);
}

/** What a reference denotes. It must lead to a place of the document. */
function targetOf(root: SourceNode, reference: string, place: Place): SourceNode {
  const at = `${formatPlace(place)}: $ref "${reference}"`;
  if (!reference.startsWith('#/'))
    throw new ToolError(
      'bad-reference',
      `${at} must be a JSON Pointer into this document, such as #/components/…`,
    );
  const target = descend(root, stepsOf(unescaped(reference.slice(1), at)));
  if (target === undefined) throw new ToolError('bad-reference', `${at} points to nothing`);
  return target;
}

function unescaped(fragment: string, at: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    throw new ToolError('bad-reference', `${at} has a broken escape`, { cause: error });
  }
}
