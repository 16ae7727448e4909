import type { FactNode } from '../facts/fact-node.js';

/** A map or a list as one text that tells what is in it: values, and of what has parts only that it is there. */
export function outline({ kind, children }: FactNode): string {
  const parts = Array.from(children)
    .slice(0, MAX_PARTS)
    .map(([key, { node }]) => {
      const text = node.kind === 'value' && node.text.length <= MAX_LENGTH ? node.text : '…';
      return kind === 'map' ? `${JSON.stringify(key)}: ${text}` : text;
    });
  const all = children.size > parts.length ? [...parts, '…'] : parts;
  return kind === 'map' ? `{ ${all.join(', ')} }` : `[${all.join(', ')}]`;
}

const MAX_PARTS = 8;
const MAX_LENGTH = 40;
