import type { SourceFiles } from '../read/source-files.js';
import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';
import { ToolError } from '../read/tool-error.js';

/** Looks into an OpenAPI document wherever its parts are written. */
export class DocumentReader {
  readonly #files: SourceFiles;

  constructor(files: SourceFiles) {
    this.#files = files;
  }

  /** What a node stands for: itself, or what its `$ref` leads to. */
  follow(node: SourceNode): SourceNode {
    const seen = new Set<SourceNode>();
    let at = node;
    for (let reference = stringAt(at, '$ref'); reference !== undefined; reference = stringAt(at, '$ref')) {
      if (seen.has(at))
        throw new ToolError('bad-reference', `${at.file.path}: $ref "${reference}" leads to itself`);
      seen.add(at);
      at = this.#files.resolve(reference, at);
    }
    return at;
  }

  /** What stands under a key, `$ref`s followed. */
  at(node: SourceNode | undefined, key: string): SourceNode | undefined {
    const value = node === undefined ? undefined : valueAt(node, key);
    return value === undefined ? undefined : this.follow(value);
  }

  /** The entries of a map, `$ref`s followed; none where there is no map. */
  entries(node: SourceNode | undefined): (readonly [string, SourceNode])[] {
    if (node?.kind !== 'map') return [];
    return Array.from(node.entries, ([key, { value }]) => [key, this.follow(value)] as const);
  }

  /** The items of a list, `$ref`s followed; none where there is no list. */
  items(node: SourceNode | undefined): SourceNode[] {
    return node?.kind === 'list' ? node.items.map((item) => this.follow(item)) : [];
  }
}

/** A node as JSON text, on one line. */
export function jsonOf(node: SourceNode): string {
  return JSON.stringify(toPlain(node));
}
