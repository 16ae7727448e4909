import type { SourceNode } from '../read/source-node.js';
import type { FactNode } from './fact.js';
import { isMap, isObject } from './openapi-objects.js';

/** Its names are cited by security requirements, so they are facts whoever uses them. */
const NAMED_SECTION = 'securitySchemes';

/**
 * Takes out of `components` what shows where it is used. What nobody uses stays, because it is published too.
 *
 * @param root changed in place
 * @param referenced everything that a reference denotes
 */
export function dropUsedComponents(root: FactNode, referenced: ReadonlySet<SourceNode>): void {
  const components = root.children.get('components')?.node;
  if (components === undefined) return;
  const sections = [...components.children]
    .filter(([name, { node }]) => name !== NAMED_SECTION && isMap(node.shape) && node.kind === 'map')
    .map(([, { node }]) => node);
  const isReferenced = (section: FactNode, name: string) => {
    const written = section.source.kind === 'map' ? section.source.entries.get(name)?.value : undefined;
    return written !== undefined && referenced.has(written);
  };
  const used = new Set(sections);
  reach(root, used);
  for (const section of sections) {
    for (const [name, { node }] of section.children) if (!isReferenced(section, name)) reach(node, used);
  }
  for (const section of sections) {
    keepChildren(section, (name, node) => !used.has(node) || !isReferenced(section, name));
  }
  keepChildren(components, (_, node) => !sections.includes(node) || node.children.size > 0);
  if (sections.length > 0) keepChildren(root, (_, node) => node !== components || node.children.size > 0);
}

/** Adds what `from` leads to. Values that are data are left out: there are many, and no component is one. */
function reach(from: FactNode, reached: Set<FactNode>): void {
  const waiting = [from];
  reached.add(from);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { node: child } of node.children.values()) {
      if (reached.has(child) || (child.kind === 'value' && !isObject(child.shape))) continue;
      reached.add(child);
      waiting.push(child);
    }
  }
}

function keepChildren(parent: FactNode, isKept: (name: string, node: FactNode) => boolean): void {
  parent.children = new Map([...parent.children].filter(([name, { node }]) => isKept(name, node)));
}
