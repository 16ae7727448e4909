import { type SourceNode, stringAt } from './source-node.js';

/** What a plain name in the fragment of a reference denotes (JSON Schema 2020-12 §8.2.2). */
export interface Anchor {
  readonly node: SourceNode;
  /** From `$dynamicAnchor`, and not from `$anchor`. */
  readonly isDynamic: boolean;
}

/** The anchors of a file by name; more than one where the name stands for several places. */
export function anchorsBelow(root: SourceNode): ReadonlyMap<string, readonly Anchor[]> {
  const anchors = new Map<string, Anchor[]>();
  const seen = new Set<SourceNode>();
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = stringAt(node, keyword);
      if (name === undefined) continue;
      const others = anchors.get(name) ?? [];
      if (others.every((other) => other.node !== node))
        others.push({ node, isDynamic: keyword !== '$anchor' });
      anchors.set(name, others);
    }
    if (node.kind === 'map') for (const { value } of node.entries.values()) waiting.push(value);
    if (node.kind === 'list') waiting.push(...node.items);
  }
  return anchors;
}
