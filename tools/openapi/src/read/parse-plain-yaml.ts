import { MAX_DEPTH } from './max-depth.js';
import { parseYamlPart } from './parse-yaml.js';
import type { SourceFile } from './source-file.js';
import type { SourceEntry, SourceNode } from './source-node.js';

/** What could be read in more than one way, or is a line break elsewhere. */
const UNUSUAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\uffff]/;
const KEY = /(?:"([^"\\\n]{0,999})"|'([^'\n]{0,999})'|([\w$/](?:[^\s:#]|:(?=[^\s])){0,999})):(?= |\n|$)/y;
const QUOTED = /(?:"([^"\\\n]*)"|'([^'\n]*)')(?= *(?:\n|$)| +#)/y;
const PLAIN = /[A-Za-z_$/(^<](?:[^\n:#]|:(?=[^ \n])|(?<! )#)*(?=\n|$| #)/y;
const INTEGER = /(?:0|[1-9]\d{0,14})(?= *(?:\n|$)| +#)/y;
const EMPTY = /(?:\{\}|\[\])(?= *(?:\n|$)| +#)/y;
const BLOCK_SCALAR = /[|>][-+]? *(?:\n|$)/y;
const NOTHING = / *(?:#[^\n]*)?(?=\n|$)/y;
const PROPERTY = /(?:^|[\s,:[{])[&*!]/;
const WORDS = new Map<string, boolean | null>([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

/** Thrown and caught in this file, for what is left to the library. */
const LEFT = new Error('left to the library');

/**
 * Reads the YAML that people and tools mostly write, in a tenth of the time that the library needs: block
 * maps and lists whose keys and values stand on one line. Any other value is handed to the library by itself.
 *
 * @returns the same as `parseYaml`, but that a block ends where its last value does; undefined for all that
 *   it is not sure of, errors included
 */
export function parsePlainYaml(file: SourceFile): SourceNode | undefined {
  if (UNUSUAL.test(file.text)) return undefined;
  try {
    return new PlainYamlReader(file).read();
  } catch (error) {
    if (error === LEFT) return undefined;
    throw error;
  }
}

class PlainYamlReader {
  readonly #text: string;
  /** Where the current line starts to say something, and how far that is indented; -1 after the last one. */
  #at = 0;
  #indent = 0;
  #depth = 0;

  constructor(readonly file: SourceFile) {
    this.#text = file.text;
  }

  read(): SourceNode {
    this.#toLine(this.#text.startsWith('---\n') ? 4 : 0);
    const node = this.#block();
    if (this.#indent !== -1) throw LEFT;
    return node;
  }

  /** The block whose first line is the current one. */
  #block(): SourceNode {
    if (++this.#depth > MAX_DEPTH) throw LEFT;
    const node = this.#isItem() ? this.#list(this.#indent) : this.#map(this.#indent);
    this.#depth--;
    return node;
  }

  #map(column: number): SourceNode {
    const start = this.#at;
    const entries = new Map<string, SourceEntry>();
    let end = start;
    while (this.#indent === column && (entries.size === 0 || !this.#isItem())) {
      const from = this.#at;
      const match = this.#match(KEY, from) ?? left();
      const key = match[1] ?? match[2] ?? match[3] ?? '';
      if (entries.has(key)) throw LEFT;
      const value = this.#value(from + match[0].length, column, true);
      entries.set(key, { file: this.file, start: from, end: from + match[0].length - 1, value });
      end = value.end;
    }
    if (entries.size === 0) throw LEFT;
    return { kind: 'map', entries, file: this.file, start, end };
  }

  #list(column: number): SourceNode {
    const start = this.#at;
    const items: SourceNode[] = [];
    while (this.#indent === column && this.#isItem()) items.push(this.#item(column));
    return { kind: 'list', items, file: this.file, start, end: items.at(-1)?.end ?? start };
  }

  #item(column: number): SourceNode {
    const after = this.#at + 1;
    const at = this.#skipSpaces(after);
    if (this.#match(KEY, at) === undefined) return this.#value(after, column, false);
    this.#indent = column + at - this.#at;
    this.#at = at;
    return this.#block();
  }

  /** What stands from `after` on in a block that is indented by `column`; `isInMap` lets a list start there. */
  #value(after: number, column: number, isInMap: boolean): SourceNode {
    const start = this.#skipSpaces(after);
    if (this.#match(NOTHING, start) === undefined) return this.#scalar(start, column);
    this.#toLine(this.#lineEnd(start));
    if (isInMap && this.#indent === column && this.#isItem()) return this.#block();
    if (this.#indent <= column) throw LEFT;
    const isBlock = this.#isItem() || this.#match(KEY, this.#at) !== undefined;
    return isBlock ? this.#block() : this.#part(start, column);
  }

  #scalar(start: number, column: number): SourceNode {
    const read = this.#onOneLine(start);
    if (read !== undefined) {
      this.#toLine(this.#lineEnd(start));
      if (this.#indent <= column) return read;
    }
    return this.#part(start, column);
  }

  #onOneLine(start: number): SourceNode | undefined {
    const { file } = this;
    const quoted = this.#match(QUOTED, start);
    if (quoted !== undefined) {
      return {
        kind: 'scalar',
        value: quoted[1] ?? quoted[2] ?? '',
        file,
        start,
        end: start + quoted[0].length,
      };
    }
    const integer = this.#match(INTEGER, start)?.[0];
    if (integer !== undefined) {
      return { kind: 'scalar', value: Number(integer), file, start, end: start + integer.length };
    }
    const empty = this.#match(EMPTY, start)?.[0];
    const place = { file, start, end: start + 2 };
    if (empty !== undefined) {
      return empty === '{}'
        ? { kind: 'map', entries: new Map(), ...place }
        : { kind: 'list', items: [], ...place };
    }
    const plain = this.#match(PLAIN, start)?.[0].replace(/ +$/, '');
    if (plain === undefined) return undefined;
    const word = WORDS.get(plain);
    return {
      kind: 'scalar',
      value: word === undefined ? plain : word,
      file,
      start,
      end: start + plain.length,
    };
  }

  /** What goes on below the line that it starts on, or is written in another way. */
  #part(start: number, column: number): SourceNode {
    let end = this.#lineEnd(start);
    while (end < this.#text.length && this.#isWithin(end + 1, column)) end = this.#lineEnd(end + 1);
    const stop = Math.min(end + 1, this.#text.length);
    const isBlockScalar = '|>'.includes(this.#text[start] ?? '');
    if (isBlockScalar ? !this.#match(BLOCK_SCALAR, start) : PROPERTY.test(this.#text.slice(start, stop))) {
      throw LEFT;
    }
    const node = parseYamlPart(this.file, { start, end: stop, depth: this.#depth }) ?? left();
    this.#toLine(end);
    return node;
  }

  /** Whether the line that starts at `at` is empty or indented further than `column`. */
  #isWithin(at: number, column: number): boolean {
    const first = this.#skipSpaces(at);
    return first === this.#text.length || this.#text[first] === '\n' || first - at > column;
  }

  /** Goes to the first line that says something, at `at` or below. */
  #toLine(at: number): void {
    let start = this.#text[at] === '\n' ? at + 1 : at;
    for (;;) {
      const first = this.#skipSpaces(start);
      if (first >= this.#text.length) {
        this.#indent = -1;
        return;
      }
      if (this.#text[first] !== '\n' && this.#text[first] !== '#') {
        this.#at = first;
        this.#indent = first - start;
        return;
      }
      start = this.#lineEnd(first) + 1;
    }
  }

  #isItem(): boolean {
    const next = this.#text[this.#at + 1];
    return this.#text[this.#at] === '-' && (next === ' ' || next === '\n' || next === undefined);
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === 0x20) at++;
    return at;
  }

  #lineEnd(from: number): number {
    const end = this.#text.indexOf('\n', from);
    return end === -1 ? this.#text.length : end;
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text) ?? undefined;
  }
}

function left(): never {
  throw LEFT;
}
