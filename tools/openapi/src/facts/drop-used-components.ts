import type { SourceNode } from '../read/source-node.js';
import type { FactNode } from './fact-node.js';

/** Its names are cited by security requirements, so they are facts whoever uses them. */
const NAMED_SECTION = 'securitySchemes';

/** A component: the section that lists it, its name there, and what it is. */
interface Component {
  readonly section: FactNode;
  readonly name: string;
  readonly node: FactNode;
  readonly isReferenced: boolean;
}

/**
 * Takes out of `components` what shows where it is used. What nobody uses stays: it is published too. Of
 * components that use only one another, the first by name stays and shows the others.
 *
 * @param root changed in place
 * @param referenced everything that a reference denotes
 */
export function dropUsedComponents(root: FactNode, referenced: ReadonlySet<SourceNode>): void {
  const listed = root.children.get('components')?.node;
  if (listed === undefined) return;
  const components = componentsOf(listed, referenced);
  const reached = new Set<FactNode>(components.map(({ section }) => section));
  reach(root, reached);
  for (const { node } of components.filter(({ isReferenced }) => !isReferenced)) reach(node, reached);
  const dropped = components.filter(({ node, isReferenced }) => isReferenced && isReached(node, reached));
  for (const section of new Set(dropped.map((component) => component.section))) {
    const names = new Set(dropped.filter((one) => one.section === section).map(({ name }) => name));
    keepChildren(section, (name) => !names.has(name));
    if (section.children.size === 0) keepChildren(listed, (_, node) => node !== section);
  }
  if (dropped.length > 0 && listed.children.size === 0) keepChildren(root, (_, node) => node !== listed);
}

function componentsOf(listed: FactNode, referenced: ReadonlySet<SourceNode>): Component[] {
  const components: Component[] = [];
  for (const [sectionName, { node: section }] of listed.children) {
    if (sectionName === NAMED_SECTION || section.shape.is !== 'map' || section.source.kind !== 'map')
      continue;
    for (const [name, { node }] of section.children) {
      const written = section.source.entries.get(name)?.value;
      components.push({
        section,
        name,
        node,
        isReferenced: written !== undefined && referenced.has(written),
      });
    }
  }
  return components.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

/** Whether a node shows already; one that does not is kept, and what it leads to shows from then on. */
function isReached(node: FactNode, reached: Set<FactNode>): boolean {
  if (reached.has(node)) return true;
  reach(node, reached);
  return false;
}

/** Values that are data are left out: there are many, and no component is one. */
function reach(from: FactNode, reached: Set<FactNode>): void {
  const waiting = [from];
  reached.add(from);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { node: child } of node.children.values()) {
      if ((child.kind === 'value' && child.shape.is !== 'object') || reached.has(child)) continue;
      waiting.push(child);
      reached.add(child);
    }
  }
}

function keepChildren(parent: FactNode, isKept: (name: string, node: FactNode) => boolean): void {
  parent.children = new Map([...parent.children].filter(([name, { node }]) => isKept(name, node)));
}
