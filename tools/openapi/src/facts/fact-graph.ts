import { formatPlace } from '../read/place.js';
import type { SourceFiles } from '../read/source-files.js';
import {
  scalarText,
  type SourceEntry,
  type SourceList,
  type SourceMap,
  type SourceNode,
  stringAt,
  valueAt,
} from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import { isDefault } from './defaults.js';
import { Discriminators } from './discriminators.js';
import { dropUsedComponents } from './drop-used-components.js';
import { type FactChild, type FactNode, NO_CHILDREN, NO_MEANING } from './fact-node.js';
import { OPENAPI_OBJECTS, shapeOfField } from './openapi-objects.js';
import { refuseReferencesBelowId } from './refuse-references-below-id.js';
import { data, object, type ObjectName, type Shape } from './shape.js';

/**
 * The facts of an OpenAPI document as a graph. A reference is replaced by what it denotes, so a schema is
 * the same whether it is written in place or referenced; a component that something references is not
 * repeated under `components`. A reference that has siblings is kept as a part named `$ref` beside them,
 * because JSON Schema and OpenAPI read the two together in different ways. So is a `$dynamicRef`, as what it
 * denotes when only one schema has the dynamic anchor (JSON Schema 2020-12 §8.2.3.2). What a discriminator means by a
 * name is spelled out; see `Discriminators`.
 *
 * @throws ToolError for a reference that denotes nothing, or that only an evaluation could follow
 */
export function factGraph(files: SourceFiles, root: SourceNode): FactNode {
  return new FactGraphBuilder(files, root).build();
}

class FactGraphBuilder {
  readonly #known = new Map<Shape, Map<SourceNode, FactNode>>();
  readonly #referenced = new Set<SourceNode>();
  readonly #unfilled: FactNode[] = [];
  readonly #dynamic = new Map<string, SourceNode>();
  readonly #discriminators: Discriminators;

  constructor(
    readonly files: SourceFiles,
    readonly source: SourceNode,
  ) {
    this.#discriminators = new Discriminators(files, source);
  }

  build(): FactNode {
    const root = this.#node(this.source, object('openapi'));
    this.#fillAll();
    for (const [name, from] of this.#dynamic) this.#refuseChoice(name, from);
    dropUsedComponents(root, this.#referenced);
    return root;
  }

  /** An explicit queue: a chain of references may be longer than the call stack is deep. */
  #fillAll(): void {
    for (let node = this.#unfilled.pop(); node !== undefined; node = this.#unfilled.pop()) this.#fill(node);
  }

  #node(written: SourceNode, shape: Shape): FactNode {
    const source = this.#followed(written, shape);
    if (source.kind === 'scalar' && shape.is !== 'object') return newNode(source, shape, scalarText(source));
    const nodes = this.#nodesOf(shape);
    let node = nodes.get(source);
    if (node === undefined) {
      node = newNode(source, shape, '');
      nodes.set(source, node);
      this.#unfilled.push(node);
    }
    return node;
  }

  #nodesOf(shape: Shape): Map<SourceNode, FactNode> {
    const known = this.#known.get(shape) ?? new Map<SourceNode, FactNode>();
    this.#known.set(shape, known);
    return known;
  }

  /** What a reference without siblings denotes, through any number of references. */
  #followed(written: SourceNode, shape: Shape): SourceNode {
    const reference = referenceIn(written, shape);
    if (reference === undefined || !isAlone(written)) return written;
    const chain = this.#chain(written, shape);
    return chain.find((source) => !isAlone(source) || referenceIn(source, shape) === undefined) ?? written;
  }

  /** Everything that references lead to, one after the other, whether they have siblings or not. */
  #chain(written: SourceNode, shape: Shape): SourceNode[] {
    const chain: SourceNode[] = [];
    let source = written;
    for (let to = referenceIn(source, shape); to !== undefined; to = referenceIn(source, shape)) {
      source = this.#target(to, source);
      if (chain.includes(source)) throw endless(written, to);
      chain.push(source);
    }
    return chain;
  }

  #fill(node: FactNode): void {
    const { source, shape } = node;
    if (source.kind === 'scalar') node.text = scalarText(source);
    else if (source.kind === 'map') this.#fillMap(node, source);
    else if (shape.is === 'set' || shape.is === 'string-or-set') this.#fillSet(node, source);
    else this.#fillList(node, source);
  }

  #fillMap(node: FactNode, source: SourceMap): void {
    if (isObject(node.shape, 'schema')) refuseReferencesBelowId(source);
    const children = new Map<string, FactChild>();
    for (const [key, entry] of source.entries) {
      const child = this.#childOf(node.shape, source, key, entry);
      if (child !== undefined) children.set(key, { node: child, place: entry });
    }
    become(node, 'map', children);
  }

  #childOf(shape: Shape, siblings: SourceMap, key: string, { value }: SourceEntry): FactNode | undefined {
    if (shape.is === 'map') return this.#node(value, shape.of);
    if (shape.is !== 'object') return this.#node(value, data);
    const reference = key === '$ref' ? referenceIn(siblings, shape) : undefined;
    if (reference !== undefined) return this.#node(this.#chain(siblings, shape)[0] ?? value, shape);
    const dynamic = key === '$dynamicRef' && shape.name === 'schema' ? stringAt(siblings, key) : undefined;
    if (dynamic !== undefined) return this.#node(this.#dynamicTarget(dynamic, siblings), shape);
    if (isDefault(shape.name, key, siblings)) return undefined;
    const field = shapeOfField(shape.name, key);
    return this.#node(
      isObject(field, 'discriminator') ? this.#discriminators.spelledOut(siblings, value) : value,
      field,
    );
  }

  #target(reference: string, from: SourceNode): SourceNode {
    const target = this.files.resolve(reference, from);
    this.#referenced.add(target);
    return target;
  }

  #dynamicTarget(reference: string, from: SourceNode): SourceNode {
    const target = this.#target(reference, from);
    const name = stringAt(target, '$dynamicAnchor');
    if (name !== undefined && reference.endsWith(`#${name}`)) this.#dynamic.set(name, from);
    return target;
  }

  /** Of several dynamic anchors with one name, the way by which a schema was come to would choose. */
  #refuseChoice(name: string, from: SourceNode): void {
    const places = this.files.dynamicAnchors(name);
    if (places.length < 2) return;
    const problem = `$dynamicRef "#${name}" may lead to ${places.map(formatPlace).join(' or to ')}`;
    throw new ToolError('bad-reference', `${formatPlace(from)}: ${problem}, which is not supported`);
  }

  #fillList(node: FactNode, { items }: SourceList): void {
    const shape = node.shape.is === 'list' ? node.shape.of : data;
    const children = new Map<string, FactChild>();
    items.forEach((item, index) =>
      children.set(String(index), { node: this.#node(item, shape), place: item }),
    );
    become(node, 'list', children);
  }

  #fillSet(node: FactNode, source: SourceList): void {
    const texts = source.items.map((item) => (item.kind === 'scalar' ? scalarText(item) : undefined));
    if (texts.includes(undefined)) return this.#fillList(node, source);
    const single = node.shape.is === 'string-or-set' && texts.length === 1;
    node.text = single ? (texts[0] ?? '') : `[${texts.sort().join(',')}]`;
  }
}

function newNode(source: SourceNode, shape: Shape, text: string): FactNode {
  return { source, shape, kind: 'value', children: NO_CHILDREN, text, meaning: NO_MEANING };
}

function become(node: FactNode, kind: 'map' | 'list', children: Map<string, FactChild>): void {
  if (children.size === 0) node.text = kind === 'map' ? '{}' : '[]';
  else {
    node.kind = kind;
    node.children = children;
  }
}

/** The reference that stands in the place of an object, if one does. */
function referenceIn(source: SourceNode, shape: Shape): string | undefined {
  if (shape.is !== 'object' || OPENAPI_OBJECTS[shape.name].reference === undefined) return undefined;
  return valueAt(source, '$ref') === undefined ? undefined : stringAt(source, '$ref');
}

function isObject(shape: Shape, name: ObjectName): boolean {
  return shape.is === 'object' && shape.name === name;
}

function isAlone(reference: SourceNode): boolean {
  return reference.kind === 'map' && reference.entries.size === 1;
}

function endless(from: SourceNode, reference: string): ToolError {
  const problem = `$ref "${reference}" leads back to itself and never to a value`;
  return new ToolError('bad-reference', `${formatPlace(from)}: ${problem}`);
}
