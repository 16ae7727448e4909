import type { Place, SourceNode } from '../read/source-node.js';
import type { Shape } from './openapi-objects.js';

/** One thing that a document states. */
export interface Fact {
  /**
   * JSON Pointer (RFC 6901) of its place. Where the document has a reference on the way, it
   * is the pointer that the place would have if what the reference denotes stood there.
   */
  readonly pointer: string;
  /** The value as JSON text. Empty maps and lists are values; a circular place is a `$ref` to the first. */
  readonly text: string;
  /** Where it is written: its key, or itself where it is an item of a list. */
  readonly place: Place;
  /** The value as it is written. */
  readonly source: SourceNode;
}

/**
 * A part of a document, reduced to what it states: references are followed, sets are sorted, defaults are
 * left out. Several places may lead to one node, and a node may lead back to itself.
 */
export interface FactNode {
  readonly source: SourceNode;
  readonly shape: Shape;
  kind: 'map' | 'list' | 'value';
  /** By key, or by index; empty for a value. */
  children: ReadonlyMap<string, FactChild>;
  /** A value as JSON text; empty maps and lists, and sets, are values. Empty for a map and a list. */
  text: string;
}

/** What a node has under a key, and where that is written: the place of the key, or of the item. */
export interface FactChild {
  readonly node: FactNode;
  readonly place: Place;
}

/** The children of every value: one map for all, because most nodes are values. */
export const NO_CHILDREN: ReadonlyMap<string, FactChild> = new Map();

/** A node at one of its places, as one fact. What has parts is outlined. */
export function factAt(pointer: string, { node, place }: FactChild): Fact {
  return { pointer, text: node.kind === 'value' ? node.text : outline(node), place, source: node.source };
}

/**
 * Place and name of a parameter, which identify it (OpenAPI 3.1.0 §4.8.12). Names of headers have no case (RFC 9110
 * §5.1).
 */
export function parameterName({ children }: FactNode): string {
  // A reference with a description beside it has the name of what it denotes.
  const named = children.get('$ref')?.node.children ?? children;
  const [place = '', name = ''] = ['in', 'name'].map((field) => named.get(field)?.node.text);
  return `${place} ${place === '"header"' ? name.toLowerCase() : name}`;
}

const MAX_PARTS = 8;
const MAX_LENGTH = 40;

/** A map or a list as one text: its first keys, short values, and `…` for everything longer. */
function outline({ kind, children }: FactNode): string {
  const parts = Array.from(children)
    .slice(0, MAX_PARTS)
    .map(([key, { node }]) => {
      const text = node.kind === 'value' && node.text.length <= MAX_LENGTH ? node.text : '…';
      return kind === 'map' ? `${JSON.stringify(key)}: ${text}` : text;
    });
  const all = children.size > parts.length ? [...parts, '…'] : parts;
  return kind === 'map' ? `{ ${all.join(', ')} }` : `[${all.join(', ')}]`;
}

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

/**
 * Whether something below a node is written at a place of this kind, also through references.
 *
 * @param others nodes below which nothing is; those that are found are added
 */
export function leadsTo(
  from: FactNode,
  isWanted: (place: Place) => boolean,
  others = new Set<FactNode>(),
): boolean {
  const reached = new Set([from]);
  // What is added on the way is iterated too.
  for (const { children } of reached) {
    for (const { node, place } of children.values()) {
      if (isWanted(place) || isWanted(node.source)) return true;
      if (!others.has(node)) reached.add(node);
    }
  }
  for (const node of reached) others.add(node);
  return false;
}

function isAlike(one: FactNode, other: FactNode): boolean {
  return one.kind === other.kind && one.text === other.text && one.children.size === other.children.size;
}

/** No comment stands further from its fact. A document on one line would be searched for each of its facts. */
const MAX_REST = 1000;

/**
 * What the comment on a fact's line says: the section that states it, by convention. In
 * `title: OpenAPI Plant Store # §1` that is `§1`. JSON has no comments.
 */
export function statedIn({ place, source }: Fact): string | undefined {
  const { file } = place;
  const isWrittenHere = source.file === file && file.lineAt(source.end) === file.lineAt(place.start);
  const rest = file.restOfLine(isWrittenHere ? Math.max(source.end, place.end) : place.end);
  if (rest.length > MAX_REST) return undefined;
  return /(?:^|\s)#\s*(\S.*)$/.exec(rest)?.[1];
}
