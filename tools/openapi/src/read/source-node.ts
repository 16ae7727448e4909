import { ToolError } from './tool-error.js';

/** The text of one file and where its lines start. */
export class SourceFile {
  #lineStarts: readonly number[] | undefined;

  constructor(
    /** As the user wrote it, or relative to the file that references it. */
    readonly path: string,
    readonly text: string,
  ) {}

  /** The 1-based line of an offset. */
  lineAt(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.text);
    let low = 0;
    let high = this.#lineStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** From `offset` to the end of its line, without the line break. */
  restOfLine(offset: number): string {
    const line = this.lineAt(offset);
    return this.text.slice(offset, this.#lineStarts?.[line]).trimEnd();
  }
}

/** Where something is written: `start` and `end` are offsets into the text of `file`. */
export interface Place {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** A place as `path:line`. */
export function formatPlace({ file, start }: Place): string {
  return `${file.path}:${file.lineAt(start)}`;
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** A part of a YAML or JSON file, with its place. What a YAML alias stands for has the place of the alias. */
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

const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/;

/**
 * A decimal number without loss: `value`, and `exact` where `value` loses digits, so that
 * 9007199254740993 and 9007199254740992 stay different while 1, 1.0 and 1e0 stay equal.
 */
export function readNumber(source: string): { value: number; exact?: string } {
  const value = Number(source) || 0;
  if (String(value) === source) return { value };
  const exact = normalise(source);
  return exact === undefined || exact === normalise(String(value)) ? { value } : { value, exact };
}

/** Sign, digits without outer zeros and a power of ten; undefined if `source` is no decimal number. */
function normalise(source: string): string | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(source) ?? [];
  if (matched === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

/** A node as a plain JavaScript value, for libraries that take one. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  const plain: Record<string, unknown> = {};
  for (const [key, { value }] of node.entries) {
    // Assigning to `__proto__` would set the prototype.
    const property = { value: toPlain(value), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(plain, key, property);
  }
  return plain;
}
