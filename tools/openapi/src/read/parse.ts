import jsonc from 'jsonc-parser';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import {
  duplicateKey,
  MAX_DEPTH,
  type Place,
  readNumber,
  type SourceEntry,
  type SourceFile,
  type SourceNode,
  type SourceScalar,
} from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * Reads a JSON or YAML file, with the place of each node. A text that starts like JSON is tried as JSON first, because that is
 * many times as fast. A flow map of YAML starts the same way; it is read as YAML then.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parse(file: SourceFile): SourceNode {
  if (file.path.endsWith('.json')) return parseJson(file);
  if (!/^\s*[[{]/.test(file.text)) return parseYaml(file);
  try {
    return parseJson(file);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'syntax') return parseYaml(file);
    throw error;
  }
}

/** JSON as RFC 8259 has it. */
function parseJson(file: SourceFile): SourceNode {
  const builder = new JsonBuilder(file);
  jsonc.visit(
    file.text,
    {
      onObjectBegin: (start) => builder.open({ kind: 'map', entries: new Map(), file, start, end: start }),
      onObjectProperty: (key, start, length) => builder.key(key, start, start + length),
      onObjectEnd: (start, length) => builder.close(start + length),
      onArrayBegin: (start) => builder.open({ kind: 'list', items: [], file, start, end: start }),
      onArrayEnd: (start, length) => builder.close(start + length),
      onLiteralValue: (value: string | number | boolean | null, start, length) =>
        builder.scalar(value, start, start + length),
      onError: (code, start) => builder.fail(start, wordsOf(jsonc.printParseErrorCode(code))),
    },
    { disallowComments: true },
  );
  return builder.root ?? builder.fail(0, 'value expected');
}

type Open =
  | { kind: 'map'; entries: Map<string, SourceEntry>; file: SourceFile; start: number; end: number }
  | { kind: 'list'; items: SourceNode[]; file: SourceFile; start: number; end: number };

class JsonBuilder {
  root: SourceNode | undefined;
  /** The maps and lists around the current place, the innermost last; each map with the key that waits. */
  readonly #around: { node: Open; key: string; start: number; end: number }[] = [];

  constructor(readonly file: SourceFile) {}

  open(node: Open): void {
    if (this.#around.length === MAX_DEPTH) this.fail(node.start, `nested more than ${MAX_DEPTH} levels deep`);
    this.#add(node);
    this.#around.push({ node, key: '', start: 0, end: 0 });
  }

  key(key: string, start: number, end: number): void {
    const map = this.#around.at(-1);
    const first = map?.node.kind === 'map' ? map.node.entries.get(key) : undefined;
    if (first !== undefined) throw duplicateKey(this.file, key, start, first.start);
    if (map !== undefined) Object.assign(map, { key, start, end });
  }

  close(end: number): void {
    const closed = this.#around.pop();
    if (closed !== undefined) closed.node.end = end;
  }

  scalar(value: string | number | boolean | null, start: number, end: number): void {
    const place = { file: this.file, start, end };
    const read = typeof value === 'number' ? readNumber(this.file.text.slice(start, end)) : { value };
    this.#add({ kind: 'scalar', ...read, ...place });
  }

  fail(at: number, problem: string): never {
    throw new ToolError('syntax', `${this.file.path}:${this.file.lineAt(at)}: not JSON: ${problem}`);
  }

  #add(node: SourceNode): void {
    const parent = this.#around.at(-1);
    if (parent === undefined) this.root = node;
    else if (parent.node.kind === 'list') parent.node.items.push(node);
    else {
      const { key, start, end } = parent;
      parent.node.entries.set(key, { file: this.file, start, end, value: node });
    }
  }
}

/** `CommaExpected` as `comma expected`. */
function wordsOf(code: string): string {
  return code.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/**
 * One YAML 1.2 document that is also JSON in content, as OpenAPI asks for: keys are strings, values are JSON's.
 * Aliases share the node of their anchor. Tags of other kinds of value are refused.
 */
function parseYaml(file: SourceFile): SourceNode {
  const { contents, errors, warnings } = onlyDocument(file);
  const problem = errors[0] ?? warnings[0];
  if (problem !== undefined) throw notYaml(file, problem.pos[0], problem.message);
  if (contents === null) throw new ToolError('syntax', `${file.path}: the file is empty`);
  return new YamlReader(file).read(contents, 0);
}

function onlyDocument(file: SourceFile): Document.Parsed {
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, version: '1.2', schema: 'core' });
  const [first, second] = composer.compose(tokensOf(file));
  if (first === undefined) throw new ToolError('syntax', `${file.path}: the file is empty`);
  if (second !== undefined) throw notYaml(file, second.range[0], 'more than one document');
  return first;
}

/** The composer's calls nest as deep as the text does, so the depth is checked before. */
function* tokensOf(file: SourceFile): Generator<CST.Token> {
  for (const token of new Parser().parse(file.text)) {
    if (isTooDeep(token)) throw notYaml(file, 0, TOO_DEEP);
    yield token;
  }
}

function isTooDeep(root: CST.Token): boolean {
  const waiting = [{ token: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return true;
    const parts = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
    if (token.type === 'document') parts.push(token.value);
    for (const part of parts) if (part) waiting.push({ token: part, depth: depth + 1 });
  }
  return false;
}

class YamlReader {
  /** What each anchor stands for; undefined as long as its node isn't read to the end. */
  readonly #anchors = new Map<string, SourceNode | undefined>();

  constructor(readonly file: SourceFile) {}

  read(node: unknown, depth: number): SourceNode {
    if (isAlias(node)) return this.#anchored(node.source, node.range?.[0] ?? 0);
    if (depth > MAX_DEPTH) throw notYaml(this.file, 0, TOO_DEEP);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const read = this.#node(node, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #anchored(name: string, at: number): SourceNode {
    const problem = `alias *${name} does not follow a whole anchor of that name`;
    return this.#anchors.get(name) ?? this.#fail(at, problem);
  }

  #node(node: unknown, depth: number): SourceNode {
    if (isMap(node)) return this.#map(node, depth);
    if (isScalar(node)) return this.#scalar(node);
    if (!isSeq(node)) return this.#fail(0, 'expected a map, a list or a scalar');
    const items = node.items.map((item) => this.read(item, depth + 1));
    return { kind: 'list', items, ...this.#place(node) };
  }

  #map(map: YAMLMap, depth: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    for (const { key: written, value } of map.items) {
      const { key, place } = this.#key(written);
      const first = entries.get(key);
      if (first !== undefined) throw duplicateKey(this.file, key, place.start, first.start);
      const nothing = { kind: 'scalar', value: null, ...place, start: place.end } as const;
      entries.set(key, { ...place, value: value === null ? nothing : this.read(value, depth + 1) });
    }
    return { kind: 'map', entries, ...this.#place(map) };
  }

  #key(key: Pair['key']): { key: string; place: Place } {
    const place = this.#place(key as { range?: readonly number[] } | null);
    if (!isScalar(key)) return this.#fail(place.start, 'a key that is not plain text');
    const text = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
    return { key: text, place };
  }

  #scalar(scalar: Scalar): SourceScalar {
    const place = this.#place(scalar);
    const { value, source } = scalar;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
      return { kind: 'scalar', value, ...place };
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return this.#fail(place.start, `${source ?? 'it'} is not a JSON value`);
    }
    return { kind: 'scalar', ...readNumber(decimal(value, source)), ...place };
  }

  #place(node: { range?: readonly number[] | null | undefined } | null): Place {
    const [start = 0, end = start] = node?.range ?? [];
    return { file: this.file, start, end };
  }

  #fail(at: number, problem: string): never {
    throw notYaml(this.file, at, problem);
  }
}

/** The number as it is written, unless that is YAML's octal or hexadecimal notation. */
function decimal(value: number, source: string | undefined): string {
  return source === undefined || /^[-+]?0[ox]/.test(source) ? String(value) : source;
}

function notYaml(file: SourceFile, at: number, problem: string): ToolError {
  const line = problem.split('\n')[0] ?? problem;
  return new ToolError('syntax', `${file.path}:${file.lineAt(at)}: not YAML: ${line}`);
}
