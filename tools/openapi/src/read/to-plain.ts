import type { SourceNode } from './source-node.js';

/** A node as a plain JavaScript value, for libraries that take one. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  const plain: Record<string, unknown> = {};
  for (const [key, { value }] of node.entries) {
    // Assigning to `__proto__` would set the prototype.
    const property = { value: toPlain(value), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(plain, key, property);
  }
  return plain;
}
