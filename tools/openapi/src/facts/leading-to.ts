import type { Place } from '../read/place.js';
import type { FactNode } from './fact-node.js';

/** The nodes from which a place that `isWanted` can be reached. */
export function leadingTo(root: FactNode, isWanted: (place: Place) => boolean): ReadonlySet<FactNode> {
  const parents = new Map<FactNode, FactNode[]>([[root, []]]);
  const leading = new Set<FactNode>();
  const visiting = [root];
  for (let node = visiting.pop(); node !== undefined; node = visiting.pop()) {
    for (const { node: child, place } of node.children.values()) {
      if (isWanted(place)) leading.add(node);
      const known = parents.get(child);
      if (known !== undefined) known.push(node);
      else {
        parents.set(child, [node]);
        visiting.push(child);
      }
    }
  }
  for (const node of leading) for (const parent of parents.get(node) ?? []) leading.add(parent);
  return leading;
}
