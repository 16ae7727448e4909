import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { countValue, MAX_DEPTH } from './limits.js';
import {
  duplicateKey,
  type Place,
  readNumber,
  type SourceEntry,
  type SourceFile,
  type SourceNode,
  type SourceScalar,
} from './source-node.js';
import { ToolError } from './tool-error.js';

const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/** How many tokens a YAML file may have: the parser needs about 500 bytes of memory for each. */
const MAX_TOKENS = 4_000_000;

/** How many values the aliases of a file may repeat: a few aliases of aliases can stand for more than fits in memory. */
const MAX_REPEATED = 100_000;

/**
 * One YAML 1.2 document that is also JSON in content, as OpenAPI asks for: keys are strings, values are JSON's. What an
 * alias stands for is a copy with the place of the alias. Tags of other kinds of value are refused.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parseYaml(file: SourceFile): SourceNode {
  const { contents, errors, warnings } = onlyDocument(file);
  const problem = errors[0] ?? warnings[0];
  if (problem !== undefined) throw notYaml(file, problem.pos[0], problem.message);
  if (contents === null) throw new ToolError('syntax', `${file.path}: the file is empty`);
  return new YamlReader(file).read(contents, 0);
}

function onlyDocument(file: SourceFile): Document.Parsed {
  // Tags of YAML 1.1 would be read, too: a set as a map of nulls.
  const schema = { version: '1.2', schema: 'core', resolveKnownTags: false } as const;
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, ...schema });
  const [first, second] = composer.compose(tokensOf(file));
  if (first === undefined) throw new ToolError('syntax', `${file.path}: the file is empty`);
  if (second !== undefined) throw notYaml(file, second.range[0], 'more than one document');
  return first;
}

/** The composer's calls nest as deep as the text does, so the depth is checked before. */
function* tokensOf(file: SourceFile): Generator<CST.Token> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(file.text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw notYaml(file, token.offset, token.message);
      yield token;
    }
    count += 1;
    if (count > MAX_TOKENS) {
      const rule = `a YAML file may have ${MAX_TOKENS} tokens; convert it to JSON`;
      throw new ToolError('too-large', `${file.path}:${file.lineAt(parser.offset)}: too large: ${rule}`);
    }
    // The document and a scalar are on the stack too.
    if (parser.stack.length > MAX_DEPTH + 2) throw notYaml(file, parser.offset, TOO_DEEP);
  }
  yield* parser.end();
}

type Ranged = { readonly range?: readonly number[] | null | undefined } | null;

class YamlReader {
  /** What each anchor stands for; undefined as long as its node isn't read to the end. */
  readonly #anchors = new Map<string, SourceNode | undefined>();
  #repeated = 0;

  constructor(readonly file: SourceFile) {}

  read(node: unknown, depth: number): SourceNode {
    if (isAlias(node)) return this.#repeat(this.#anchored(node), this.#place(node), depth);
    if (depth > MAX_DEPTH) throw notYaml(this.file, this.#place(node as Ranged).start, TOO_DEEP);
    countValue(this.file, this.#place(node as Ranged).start);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const read = this.#node(node, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #anchored(alias: Alias): SourceNode {
    const problem = `alias *${alias.source} does not follow a whole anchor of that name`;
    return this.#anchors.get(alias.source) ?? this.#fail(this.#place(alias).start, problem);
  }

  /** A copy of a node, all of it at the place of its alias. */
  #repeat(node: SourceNode, at: Place, depth: number): SourceNode {
    this.#repeated += 1;
    if (this.#repeated > MAX_REPEATED)
      this.#fail(at.start, `aliases repeat more than ${MAX_REPEATED} values`);
    if (depth > MAX_DEPTH) this.#fail(at.start, TOO_DEEP);
    if (node.kind === 'scalar') return { ...node, ...at };
    if (node.kind === 'list') {
      return { kind: 'list', items: node.items.map((item) => this.#repeat(item, at, depth + 1)), ...at };
    }
    const entries = new Map<string, SourceEntry>();
    for (const [key, { value }] of node.entries)
      entries.set(key, { value: this.#repeat(value, at, depth + 1), ...at });
    return { kind: 'map', entries, ...at };
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
    const place = this.#place(key as Ranged);
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

  #place(node: Ranged): Place {
    const [start = 0, end = start] = node?.range ?? [];
    return { file: this.file, start, end };
  }

  #fail(at: number, problem: string): never {
    throw notYaml(this.file, at, problem);
  }
}

/** The number as it is written, unless that is YAML's octal or hexadecimal notation. */
function decimal(value: number, source: string | undefined): string {
  if (source === undefined) return String(value);
  return /^0[ox]/.test(source) ? String(BigInt(source)) : source;
}

function notYaml(file: SourceFile, at: number, problem: string): ToolError {
  const line = problem.split('\n')[0] ?? problem;
  return new ToolError('syntax', `${file.path}:${file.lineAt(at)}: not YAML: ${line}`);
}
