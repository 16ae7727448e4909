import { readFileSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { systemReason, ToolError } from '../tool-error.js';

/** A text, and the file that errors and places name. */
export interface Source {
  readonly text: string;
  readonly file: string;
}

/** A file, and a line of it. The first line is 1. */
export interface Position {
  readonly file: string;
  readonly line?: number | undefined;
}

/** Where something is written. */
export interface Place extends Position {
  readonly line: number;
  /** The comment at the end of this line, without `#`: in the baseline, the section that states the fact. */
  readonly comment?: string;
}

/** A value of a YAML or JSON file, with the place of its key, or its own in a list. */
export interface SourceNode<Value = SourceValue> {
  readonly value: Value;
  readonly place: Place;
}

export type SourceMap = ReadonlyMap<string, SourceNode>;

export type SourceValue = SourceMap | readonly SourceNode[] | string | number | boolean | null;

/** A file of this repository is smaller. */
const MAX_BYTES = 1_000_000;

/** The text of a file. @throws ToolError `unreadable` or `too-large` */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ToolError('unreadable', `${file}: cannot be read: ${systemReason(error)}`, { cause: error });
  }
  if (bytes.length > MAX_BYTES) throw new ToolError('too-large', `${file}: has more than ${MAX_BYTES} bytes`);
  return bytes.toString();
}

/**
 * Reads YAML 1.2 without aliases, or JSON.
 *
 * @param file is named in places and errors
 * @throws ToolError `syntax` with the line
 */
export function parse(text: string, file: string): SourceNode {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const lineAt = (offset = 0): number => lines.linePos(offset).line;
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw syntax(file, lineAt(problem.pos[0]), problem.message);
  if (document.contents === null) throw syntax(file, 1, 'the file is empty');
  const comments = text.split('\n').map((line) => /(?:^|\s)#\s*(\S.*)$/.exec(line)?.[1]);

  const placeAt = (offset: number | undefined): Place => {
    const line = lineAt(offset);
    const comment = comments[line - 1];
    return { file, line, ...(comment !== undefined && { comment }) };
  };
  const read = (node: unknown, place: Place): SourceNode => {
    if (isAlias(node)) throw syntax(file, place.line, 'an alias is not allowed: write the value itself');
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }): [string, SourceNode] => {
        if (!isScalar(key)) throw syntax(file, place.line, 'a key is not plain text');
        const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
        return [name, read(value, placeAt(key.range?.[0]))];
      });
      return { value: new Map(entries), place };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => read(item, placeAt((item as Node).range?.[0])));
      return { value: items, place };
    }
    return { value: isScalar(node) ? scalar(node.value, place) : null, place };
  };
  return read(document.contents, placeAt(document.contents.range[0]));
}

/** Reads an OpenAPI 3.1 document. @throws ToolError `syntax` or `not-openapi-3.1` */
export function readOpenapi({ text, file }: Source): SourceNode {
  const root = parse(text, file);
  const version = child(root, 'openapi')?.value;
  if (typeof version !== 'string' || !/^3\.1\.\d+$/.test(version))
    throw new ToolError('not-openapi-3.1', `${file}: not an OpenAPI 3.1 document`);
  return root;
}

function scalar(value: unknown, { file, line }: Place): SourceValue {
  const isJson = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  if (isJson) return value as SourceValue;
  throw syntax(file, line, `${Number(value)} is not a JSON value`);
}

function syntax(file: string, line: number, message: string): ToolError {
  return new ToolError('syntax', `${file}:${line}: ${message.split('\n')[0] ?? message}`);
}

/** What a map has under a key, or a list at an index. */
export function child({ value }: SourceNode, step: string): SourceNode | undefined {
  if (value instanceof Map) return (value as SourceMap).get(step);
  return Array.isArray(value) && /^\d+$/.test(step) ? (value as SourceNode[])[Number(step)] : undefined;
}

/** The node to which the steps lead. */
export function descend(root: SourceNode, steps: readonly string[]): SourceNode | undefined {
  return steps.reduce<SourceNode | undefined>((node, step) => node && child(node, step), root);
}

/** A map as a map; nothing else is one. */
export function mapOf(node: SourceNode | undefined): SourceMap | undefined {
  return node?.value instanceof Map ? (node.value as SourceMap) : undefined;
}

/** A list as a list; nothing else is one. */
export function listOf(node: SourceNode | undefined): readonly SourceNode[] | undefined {
  return Array.isArray(node?.value) ? (node.value as readonly SourceNode[]) : undefined;
}

/** The `$ref` that is all of a node. */
export function referenceIn(node: SourceNode): string | undefined {
  const entries = mapOf(node);
  const reference = entries?.size === 1 ? entries.get('$ref')?.value : undefined;
  return typeof reference === 'string' ? reference : undefined;
}

/** A node as plain JSON. */
export function plain({ value }: SourceNode): unknown {
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value as SourceMap, ([key, node]) => [key, plain(node)]));
  return Array.isArray(value) ? (value as SourceNode[]).map(plain) : value;
}

/** A value as JSON on one line, its keys sorted: equal values have equal texts. */
export function textOf({ value }: SourceNode): string {
  if (value instanceof Map) {
    const entries = [...(value as SourceMap)].sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${entries.map(([key, node]) => `${JSON.stringify(key)}:${textOf(node)}`).join(',')}}`;
  }
  if (Array.isArray(value)) return `[${(value as SourceNode[]).map(textOf).join(',')}]`;
  return JSON.stringify(value);
}

/** `path:line`, or `path`. */
export function formatPlace({ file, line }: Position): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** RFC 6901 §3. */
export function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** RFC 6901 §4. */
export function stepsOf(pointer: string): string[] {
  const unescape = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
  return pointer.split('/').slice(1).map(unescape);
}

/** The place of a fact as a person reads it: `webhooks › /plant/webhook › summary`. */
export function nameOf(pointer: string): string {
  return stepsOf(pointer).join(' › ');
}
