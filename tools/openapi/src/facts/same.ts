import type { FactNode } from './fact.js';

/**
 * Whether two parts state the same, in one document or in two. Circular parts are the same unless something
 * that they lead to differs.
 */
export function isSame(first: FactNode, second: FactNode): boolean {
  if (first.kind === 'value' || second.kind === 'value') return isAlike(first, second);
  const compared = new Map<FactNode, Set<FactNode>>();
  const waiting: [FactNode, FactNode][] = [[first, second]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [one, other] = pair;
    const others = compared.get(one) ?? new Set();
    if (one === other || others.has(other)) continue;
    compared.set(one, others.add(other));
    if (!isAlike(one, other)) return false;
    for (const [key, { node }] of one.children) {
      const counterpart = other.children.get(key)?.node;
      if (counterpart === undefined) return false;
      waiting.push([node, counterpart]);
    }
  }
  return true;
}

function isAlike(one: FactNode, other: FactNode): boolean {
  return one.kind === other.kind && one.text === other.text && one.children.size === other.children.size;
}
