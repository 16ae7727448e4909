import { scalarText, type SourceNode } from '../read/source-node.js';

/** A value as JSON text on one line, its keys in order: two have the same text when they are the same value. */
export function valueText(node: SourceNode): string {
  if (node.kind === 'scalar') return scalarText(node);
  if (node.kind === 'list') return `[${node.items.map(valueText).join(',')}]`;
  const entries = [...node.entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, { value }]) => `${JSON.stringify(key)}:${valueText(value)}`).join(',')}}`;
}
