import type { SourceFiles } from '../read/source-files.js';
import {
  formatPlace,
  type Place,
  scalarText,
  type SourceEntry,
  type SourceList,
  type SourceMap,
  type SourceNode,
  stringAt,
} from '../read/source-node.js';
import { ToolError, type ToolErrorCode } from '../read/tool-error.js';
import { type ComponentNames, componentsWithout, keepComponents, unusedComponents } from './components.js';
import { isDefault } from './defaults.js';
import { type FactChild, type FactNode, NO_CHILDREN } from './fact.js';
import { isList, isObject, isReferable, type Shape, shapeBelow } from './openapi-objects.js';

/**
 * The facts of an OpenAPI document as a graph. A reference is replaced by what it denotes, so a schema is
 * the same whether it is written in place or referenced; a component that something references is not
 * repeated under `components`. A reference that has siblings is kept as a part named `$ref` beside them,
 * because JSON Schema and OpenAPI read the two together in different ways.
 *
 * @throws ToolError for a reference that denotes nothing, and `not-supported` for `$dynamicRef` and for a
 *   reference below an `$id`
 */
export function factGraph(files: SourceFiles, root: SourceNode): FactNode {
  const graph = new FactGraphBuilder(files, root).build();
  keepComponents(graph.root, graph.unused);
  return graph.root;
}

/** A document that has been read, with the files that its references lead to. */
export interface ReadDocument {
  readonly files: SourceFiles;
  readonly root: SourceNode;
}

/**
 * The facts of two documents that are compared. A component that is a fact of its own in one of them is one in the
 * other too, if it is there: that only one document uses it makes no difference of the component. Where an answer
 * states something of a component, the document must show it where the answer does.
 *
 * @param isAnswered whether an answer states what is at a place of the first document
 * @throws ToolError as `factGraph`
 */
export function factGraphs(
  first: ReadDocument,
  second: ReadDocument,
  isAnswered: (place: Place) => boolean = () => false,
): [FactNode, FactNode] {
  const one = new FactGraphBuilder(first.files, first.root).build();
  const other = new FactGraphBuilder(second.files, second.root).build();
  const unanswered = (names: ComponentNames) => componentsWithout(names, one.root, isAnswered);
  const [ours, theirs] = [unanswered(one.unused), unanswered(other.unused)];
  keepComponents(one.root, one.unused, theirs);
  keepComponents(other.root, other.unused, ours);
  return [one.root, other.root];
}

class FactGraphBuilder {
  readonly #known = new Map<Shape, Map<SourceNode, FactNode>>();
  /** What has a `$ref`, and what each denotes. */
  readonly #references = new Map<SourceNode, SourceNode>();
  /** What the references without siblings lead to in the end. */
  readonly #ends = new Map<SourceNode, SourceNode>();
  readonly #schemasWithId: SourceMap[] = [];
  readonly #unfilled: FactNode[] = [];

  constructor(
    readonly files: SourceFiles,
    readonly root: SourceNode,
  ) {}

  /** The whole document, and which of its components nothing uses. */
  build(): { readonly root: FactNode; readonly unused: ComponentNames } {
    const root = this.#node(this.root, 'openapi');
    // An explicit queue: a chain of references may be longer than the call stack is deep.
    for (let node = this.#unfilled.pop(); node !== undefined; node = this.#unfilled.pop()) this.#fill(node);
    for (const schema of this.#schemasWithId) this.#refuseReferencesBelow(schema);
    return { root, unused: unusedComponents(root, new Set(this.#references.values())) };
  }

  #node(written: SourceNode, shape: Shape): FactNode {
    const source = this.#followed(written, shape);
    if (source.kind === 'scalar' && !isObject(shape)) return newNode(source, shape, scalarText(source));
    const nodes = this.#known.get(shape) ?? new Map<SourceNode, FactNode>();
    this.#known.set(shape, nodes);
    const known = nodes.get(source);
    if (known !== undefined) return known;
    const node = newNode(source, shape, '');
    nodes.set(source, node);
    this.#unfilled.push(node);
    return node;
  }

  /** What a reference without siblings denotes, through any number of references. */
  #followed(written: SourceNode, shape: Shape): SourceNode {
    const seen = new Set<SourceNode>();
    let source = written;
    for (let to = referenceAlone(source, shape); to !== undefined; to = referenceAlone(source, shape)) {
      source = this.#ends.get(source) ?? this.#target(to, source);
      if (seen.has(source))
        throw fault(written, 'bad-reference', `$ref "${to}" leads back to itself and never to a value`);
      seen.add(source);
    }
    // Without this, a long chain would be followed from each of its references.
    for (const one of [written, ...seen]) if (one !== source) this.#ends.set(one, source);
    return source;
  }

  #target(reference: string, from: SourceNode): SourceNode {
    const target = this.files.resolve(reference, from);
    this.#references.set(from, target);
    return target;
  }

  #fill(node: FactNode): void {
    const { source, shape } = node;
    if (source.kind === 'scalar') node.text = scalarText(source);
    else if (source.kind === 'map') this.#fillMap(node, source);
    else if (shape === 'set' || shape === 'string-or-set') this.#fillSet(node, source);
    else this.#fillList(node, source);
  }

  #fillMap(node: FactNode, source: SourceMap): void {
    if (node.shape === 'schema') this.#checkSchema(source);
    const children = new Map<string, FactChild>();
    for (const [key, entry] of source.entries) {
      const child = this.#childOf(node.shape, source, key, entry);
      if (child !== undefined) children.set(key, { node: child, place: entry });
    }
    become(node, 'map', children);
  }

  #childOf(shape: Shape, siblings: SourceMap, key: string, { value }: SourceEntry): FactNode | undefined {
    const reference = key === '$ref' && isReferable(shape) ? stringAt(siblings, key) : undefined;
    if (reference !== undefined) return this.#node(this.#target(reference, siblings), shape);
    if (isDefault(shape, key, siblings)) return undefined;
    return this.#node(value, shapeBelow(shape, key));
  }

  #checkSchema(schema: SourceMap): void {
    if (stringAt(schema, '$id') !== undefined) this.#schemasWithId.push(schema);
    if (stringAt(schema, '$dynamicRef') !== undefined)
      throw fault(schema, 'not-supported', '$dynamicRef is not supported: write a $ref');
  }

  /**
   * Such a reference is relative to the `$id` and not to the document (JSON Schema 2020-12 §8.2.1). This tool
   * knows schemas only by where they are written.
   */
  #refuseReferencesBelow(schema: SourceMap): void {
    for (const from of this.#references.keys()) {
      if (from.file !== schema.file || from.start < schema.start || from.end > schema.end) continue;
      const problem = `$ref below the $id at ${formatPlace(schema)} is not supported: take the $id away`;
      throw fault(from, 'not-supported', problem);
    }
  }

  #fillList(node: FactNode, { items }: SourceList): void {
    const shape = isList(node.shape) ? shapeBelow(node.shape, '') : 'data';
    const children = new Map<string, FactChild>();
    for (const [index, item] of items.entries())
      children.set(String(index), { node: this.#node(item, shape), place: item });
    become(node, 'list', children);
  }

  #fillSet(node: FactNode, source: SourceList): void {
    const texts = source.items.flatMap((item) => (item.kind === 'scalar' ? scalarText(item) : []));
    if (texts.length < source.items.length) return this.#fillList(node, source);
    const isSingle = node.shape === 'string-or-set' && texts.length === 1;
    node.text = isSingle ? (texts[0] ?? '') : `[${texts.sort().join(',')}]`;
  }
}

function newNode(source: SourceNode, shape: Shape, text: string): FactNode {
  return { source, shape, kind: 'value', children: NO_CHILDREN, text };
}

function become(node: FactNode, kind: 'map' | 'list', children: Map<string, FactChild>): void {
  if (children.size === 0) node.text = kind === 'map' ? '{}' : '[]';
  else {
    node.kind = kind;
    node.children = children;
  }
}

/** The reference that stands in the place of an object, if it has no siblings. */
function referenceAlone(source: SourceNode, shape: Shape): string | undefined {
  const isAlone = source.kind === 'map' && source.entries.size === 1 && isReferable(shape);
  return isAlone ? stringAt(source, '$ref') : undefined;
}

function fault(from: SourceNode, code: ToolErrorCode, problem: string): ToolError {
  return new ToolError(code, `${formatPlace(from)}: ${problem}`);
}
