import type { Place, SourceFile } from './place.js';
import { ToolError } from './tool-error.js';

/** How deep a file may nest. No interface needs it; a file that goes deeper is an accident or an attack. */
export const MAX_DEPTH = 500;

/** A part of a YAML or JSON file, with its place. Anchors and aliases share one node. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

/** A map by key, in the order of the file. */
export interface SourceMap extends Place {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

/** One entry of a map: the place of its key, and its value. */
export interface SourceEntry extends Place {
  readonly value: SourceNode;
}

/** A list in the order of the file. */
export interface SourceList extends Place {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
}

/** A value without parts. */
export interface SourceScalar extends Place {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The number as decimal text, where a JavaScript number would lose digits of it. */
  readonly exact?: string;
}

/** A scalar as JSON text; two numbers have the same text when they are equal, whatever their notation. */
export function scalarText({ value, exact }: SourceScalar): string {
  return exact ?? JSON.stringify(value);
}

/** The value under `key`, if `node` is a map that has it. */
export function valueAt(node: SourceNode, key: string): SourceNode | undefined {
  return node.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

/** The string under `key`, if `node` is a map that has one there. */
export function stringAt(node: SourceNode, key: string): string | undefined {
  const value = valueAt(node, key);
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
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

/** The error for a key that a map has twice. */
export function duplicateKey(file: SourceFile, key: string, second: number, first: number): ToolError {
  const at = `${file.path}:${file.lineAt(second)}`;
  return new ToolError('duplicate-key', `${at}: duplicate key "${key}", first on line ${file.lineAt(first)}`);
}
