import type { Place, SourceNode } from '../read/source-node.js';
import { type FactNode, leadsTo, NO_CHILDREN } from './fact.js';
import { isMap, isObject } from './openapi-objects.js';

/** Its names are cited by security requirements, so they are facts whoever uses them. */
const NAMED_SECTION = 'securitySchemes';

/** Components by section and name. */
export type ComponentNames = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The components that are facts of their own, because nothing outside `components` leads to them: they are published
 * too. The others show where they are used.
 *
 * @param referenced everything that a reference denotes
 */
export function unusedComponents(root: FactNode, referenced: ReadonlySet<SourceNode>): ComponentNames {
  const sections = sectionsOf(root);
  const isReferenced = (section: FactNode, name: string) => {
    const written = section.source.kind === 'map' ? section.source.entries.get(name)?.value : undefined;
    return written !== undefined && referenced.has(written);
  };
  const used = new Set(sections.values());
  reach(root, used);
  for (const section of sections.values()) {
    for (const [name, { node }] of section.children) if (!isReferenced(section, name)) reach(node, used);
  }
  const unused = (section: FactNode) =>
    [...section.children].filter(([name, { node }]) => !used.has(node) || !isReferenced(section, name));
  return new Map(
    Array.from(sections, ([title, section]) => [title, new Set(unused(section).map(([name]) => name))]),
  );
}

/**
 * Takes all other components out of `components`.
 *
 * @param root changed in place
 */
export function keepComponents(root: FactNode, ...kept: readonly ComponentNames[]): void {
  const components = root.children.get('components')?.node;
  const sections = sectionsOf(root);
  if (components === undefined || sections.size === 0) return;
  for (const [title, section] of sections)
    keepChildren(section, (name) => kept.some((names) => names.get(title)?.has(name) === true));
  keepChildren(components, (title, node) => !sections.has(title) || node.children.size > 0);
  keepChildren(root, (_, node) => node !== components || node.children.size > 0);
}

/** Those of the components that have nothing of this kind, where a document has them. */
export function componentsWithout(
  names: ComponentNames,
  root: FactNode,
  isWanted: (place: Place) => boolean,
): ComponentNames {
  const sections = sectionsOf(root);
  const hasNone = (title: string, name: string): boolean => {
    const child = sections.get(title)?.children.get(name);
    if (child === undefined) return true;
    const { node, place } = child;
    return !isWanted(place) && !isWanted(node.source) && !leadsTo(node, isWanted);
  };
  return new Map(
    Array.from(names, ([title, all]) => [title, new Set([...all].filter((name) => hasNone(title, name)))]),
  );
}

/** The sections of `components` that have names, without the one whose names are cited. */
function sectionsOf(root: FactNode): ReadonlyMap<string, FactNode> {
  const children = root.children.get('components')?.node.children ?? NO_CHILDREN;
  return new Map(
    [...children]
      .filter(([title, { node }]) => title !== NAMED_SECTION && isMap(node.shape) && node.kind === 'map')
      .map(([title, { node }]) => [title, node]),
  );
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
