import { posix } from 'node:path';
import { type Anchor, anchorsBelow } from './anchors.js';
import { pointerSteps } from './json-pointer.js';
import { parseSource } from './parse-source.js';
import { formatPlace, type Place } from './place.js';
import { SourceFile } from './source-file.js';
import type { SourceNode } from './source-node.js';
import { ToolError } from './tool-error.js';

/** Gives the text of a file, or throws a `ToolError`. */
export type ReadText = (path: string) => string;

/** The files that a document consists of: each is read once, when something first needs it. */
export class SourceFiles {
  readonly #roots = new Map<string, SourceNode>();
  readonly #bases = new Map<string, string>();
  readonly #anchors = new Map<string, ReadonlyMap<string, readonly Anchor[]>>();

  constructor(readonly readText: ReadText) {}

  /** @throws ToolError if the file cannot be read or parsed */
  root(path: string): SourceNode {
    const key = posix.normalize(path);
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const root = parseSource(new SourceFile(key, this.readText(path).replace(/^\uFEFF/, '')));
    this.#roots.set(key, root);
    return root;
  }

  /** Puts a changed root in the place of a file's own, for references into that file. */
  replaceRoot(path: string, root: SourceNode): void {
    this.#roots.set(posix.normalize(path), root);
    this.#anchors.delete(posix.normalize(path));
  }

  /** References that are written in `path` are meant as if they were written in `base`. */
  resolveAs(path: string, base: string): void {
    this.#bases.set(posix.normalize(path), posix.normalize(base));
  }

  /**
   * What a `$ref` denotes: a JSON Pointer or an anchor in the same file or in another local one.
   *
   * @param from the place of the reference
   * @throws ToolError `bad-reference` for an address that is not local or an anchor that is not the only one
   *   of its name, `missing-target`
   */
  resolve(reference: string, from: Place): SourceNode {
    const [address, fragment] = split(reference);
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)) {
      const problem = `$ref "${reference}" is not a local file; save what it points to beside the document`;
      throw new ToolError('bad-reference', `${formatPlace(from)}: ${problem}`);
    }
    const base = this.#bases.get(from.file.path) ?? from.file.path;
    const path = address === '' ? base : beside(base, decode(address, from));
    const target = this.#find(path, decode(fragment, from), from, reference);
    if (target !== undefined) return target;
    throw new ToolError('missing-target', `${formatPlace(from)}: $ref "${reference}" points to nothing`);
  }

  /** Every place that a `$dynamicAnchor` of this name has in the files that were read so far. */
  dynamicAnchors(name: string): readonly SourceNode[] {
    const found = Array.from(this.#roots, ([path, root]) => this.#anchorsIn(path, root).get(name) ?? []);
    const dynamic = found.flat().filter(({ isDynamic }) => isDynamic);
    return [...new Set(dynamic.map(({ node }) => node))];
  }

  #find(path: string, fragment: string, from: Place, reference: string): SourceNode | undefined {
    const root = this.#rootFor(path, from, reference);
    if (fragment === '' || fragment.startsWith('/')) return descend(root, pointerSteps(fragment));
    const [anchor, other] = this.#anchorsIn(path, root).get(fragment) ?? [];
    if (anchor === undefined || other === undefined) return anchor?.node;
    const places = `${formatPlace(anchor.node)} and ${formatPlace(other.node)}`;
    const problem = `$ref "${reference}" points to more than one place, ${places}`;
    throw new ToolError('bad-reference', `${formatPlace(from)}: ${problem}`);
  }

  #anchorsIn(path: string, root: SourceNode): ReadonlyMap<string, readonly Anchor[]> {
    const anchors = this.#anchors.get(path) ?? anchorsBelow(root);
    this.#anchors.set(path, anchors);
    return anchors;
  }

  #rootFor(path: string, from: Place, reference: string): SourceNode {
    try {
      return this.root(path);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'unreadable') throw error;
      throw new ToolError('missing-target', `${formatPlace(from)}: $ref "${reference}": ${error.message}`);
    }
  }
}

function beside(base: string, address: string): string {
  return posix.isAbsolute(address) ? address : posix.join(posix.dirname(base), address);
}

function split(reference: string): [string, string] {
  const hash = reference.indexOf('#');
  return hash === -1 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

function decode(text: string, from: Place): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ToolError('bad-reference', `${formatPlace(from)}: $ref has a broken percent-encoding`);
  }
}

/** The node that the steps of a JSON Pointer lead to. */
export function descend(root: SourceNode, steps: readonly string[]): SourceNode | undefined {
  let node: SourceNode | undefined = root;
  for (const step of steps) {
    if (node?.kind === 'map') node = node.entries.get(step)?.value;
    else if (node?.kind === 'list')
      node = /^(?:0|[1-9]\d*)$/.test(step) ? node.items[Number(step)] : undefined;
    else return undefined;
  }
  return node;
}
