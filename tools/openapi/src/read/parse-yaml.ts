import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Parser,
  type Document,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { duplicateKey } from './duplicate-key.js';
import { MAX_DEPTH } from './max-depth.js';
import type { Place } from './place.js';
import { readNumber } from './read-number.js';
import { SourceFile } from './source-file.js';
import type { SourceEntry, SourceNode, SourceScalar } from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * Reads one YAML 1.2 document that is also JSON in content, as OpenAPI asks for: keys are strings, values
 * are JSON's. Anchors and aliases are followed; tags of other kinds of value are refused.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parseYaml(file: SourceFile): SourceNode {
  const document = onlyDocument(file);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw notYaml(file, problem.pos[0], problem.message);
  if (document.contents === null) throw new ToolError('syntax', `${file.path}: holds no document`);
  return new YamlReader(file).read(document.contents, 0);
}

/**
 * The value of a map that is written from `start` to `end`, where nothing before or after matters to it.
 *
 * @returns undefined for what is no value by itself
 */
export function parseYamlPart(
  file: SourceFile,
  { start, end, depth }: { readonly start: number; readonly end: number; readonly depth: number },
): SourceNode | undefined {
  const key = 'k: ';
  const part = new SourceFile(file.path, key + file.text.slice(start, end));
  try {
    const { contents, errors, warnings } = onlyDocument(part);
    const [pair, other] = isMap(contents) ? contents.items : [];
    if (errors.length + warnings.length > 0 || pair === undefined || other !== undefined) return undefined;
    return new YamlReader(file, start - key.length).read(pair.value, depth);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function onlyDocument(file: SourceFile): Document.Parsed {
  const options = { prettyErrors: false, uniqueKeys: false, version: '1.2', schema: 'core' } as const;
  const composer = new Composer(options);
  const documents = [...composer.compose(tokensOf(file))];
  const [first, second] = documents;
  if (first === undefined) throw new ToolError('syntax', `${file.path}: holds no document`);
  if (second !== undefined) throw notYaml(file, second.range[0], 'more than one document');
  return first;
}

/** The library's calls nest as deep as the text does, and Node may abort where the stack ends. */
function* tokensOf(file: SourceFile): Generator<CST.Token> {
  for (const token of new Parser().parse(file.text)) {
    if (isTooDeep(token)) throw notYaml(file, 0, `nested more than ${MAX_DEPTH} levels deep`);
    yield token;
  }
}

function isTooDeep(token: CST.Token): boolean {
  const waiting: { token: CST.Token; depth: number }[] = [{ token, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return true;
    if (token.type === 'document' && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) waiting.push({ token: key, depth: depth + 1 });
      if (value) waiting.push({ token: value, depth: depth + 1 });
    }
  }
  return false;
}

class YamlReader {
  readonly #anchors = new Map<string, SourceNode | undefined>();

  constructor(
    readonly file: SourceFile,
    /** Where in the file the text starts that the library read. */
    readonly offset = 0,
  ) {}

  read(node: unknown, depth: number): SourceNode {
    if (isAlias(node)) return this.#aliased(node.source, node.range?.[0] ?? 0);
    if (depth > MAX_DEPTH) throw notYaml(this.file, 0, `nested more than ${MAX_DEPTH} levels deep`);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const read = this.#node(node, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #aliased(name: string, at: number): SourceNode {
    return (
      this.#anchors.get(name) ?? this.#fail(at, `alias *${name} does not follow a whole anchor of that name`)
    );
  }

  #node(node: unknown, depth: number): SourceNode {
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.read(item, depth + 1));
      return { kind: 'list', items, ...this.#place(node) };
    }
    if (isScalar(node)) return this.#scalar(node);
    return this.#fail(0, 'a node that is neither map, list nor scalar');
  }

  #map(map: YAMLMap, depth: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    for (const pair of map.items) {
      const { key, place } = this.#key(pair);
      const first = entries.get(key);
      if (first !== undefined) throw duplicateKey(this.file, key, place.start, first.start);
      entries.set(key, { ...place, value: this.#value(pair, place, depth) });
    }
    return { kind: 'map', entries, ...this.#place(map) };
  }

  #key({ key }: Pair): { key: string; place: Place } {
    if (!isScalar(key)) return this.#fail(nodeStart(key), 'a key that is no plain text');
    const text = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
    return { key: text, place: this.#place(key) };
  }

  #value({ value }: Pair, { file, end }: Place, depth: number): SourceNode {
    if (value === null) return { kind: 'scalar', value: null, file, start: end, end };
    return this.read(value, depth + 1);
  }

  #scalar(scalar: Scalar): SourceScalar {
    const place = this.#place(scalar);
    const { value, source } = scalar;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
      return { kind: 'scalar', value, ...place };
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return this.#fail(place.start, `${source ?? 'it'} is no value of JSON`);
    }
    return { kind: 'scalar', ...readNumber(decimal(value, source)), ...place };
  }

  #place(node: { range?: readonly number[] | null | undefined }): Place {
    const [start = 0, end = start] = node.range ?? [];
    return { file: this.file, start: this.offset + start, end: this.offset + end };
  }

  #fail(at: number, problem: string): never {
    throw notYaml(this.file, at, problem);
  }
}

/** The number as it is written, unless that is YAML's octal or hexadecimal notation. */
function decimal(value: number, source: string | undefined): string {
  return source === undefined || /^[-+]?0[ox]/.test(source) ? String(value) : source;
}

function nodeStart(node: unknown): number {
  return (node as { range?: readonly number[] } | null)?.range?.[0] ?? 0;
}

function notYaml(file: SourceFile, at: number, problem: string): ToolError {
  const line = problem.split('\n')[0] ?? problem;
  return new ToolError('syntax', `${file.path}:${file.lineAt(at)}: not YAML: ${line}`);
}
