import { duplicateKey } from './duplicate-key.js';
import { MAX_DEPTH } from './max-depth.js';
import { readNumber } from './read-number.js';
import type { SourceFile } from './source-file.js';
import type { SourceEntry, SourceNode, SourceScalar } from './source-node.js';
import { ToolError } from './tool-error.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/**
 * Reads JSON (RFC 8259) with the place of every node.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parseJson(file: SourceFile): SourceNode {
  return new JsonReader(file).read();
}

class JsonReader {
  #at = 0;
  #depth = 0;

  constructor(readonly file: SourceFile) {}

  read(): SourceNode {
    const node = this.#value();
    this.#skipSpace();
    if (this.#at < this.file.text.length) this.#fail('unexpected text after the end of the document');
    return node;
  }

  #value(): SourceNode {
    this.#skipSpace();
    switch (this.file.text[this.#at]) {
      case '{':
        return this.#map();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      default:
        return this.#wordOrNumber();
    }
  }

  #map(): SourceNode {
    const start = this.#open();
    const entries = new Map<string, SourceEntry>();
    if (!this.#skip('}')) {
      do this.#entry(entries);
      while (this.#skip(','));
      this.#expect('}');
    }
    this.#depth--;
    return { kind: 'map', entries, file: this.file, start, end: this.#at };
  }

  #open(): number {
    if (++this.#depth > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`);
    return this.#at++;
  }

  #entry(entries: Map<string, SourceEntry>): void {
    this.#skipSpace();
    const start = this.#at;
    const key = this.#text();
    const end = this.#at;
    const first = entries.get(key);
    if (first !== undefined) throw duplicateKey(this.file, key, start, first.start);
    this.#expect(':');
    entries.set(key, { file: this.file, start, end, value: this.#value() });
  }

  #list(): SourceNode {
    const start = this.#open();
    const items: SourceNode[] = [];
    if (!this.#skip(']')) {
      do items.push(this.#value());
      while (this.#skip(','));
      this.#expect(']');
    }
    this.#depth--;
    // An array that grew has room for more, which a copy has not.
    return { kind: 'list', items: items.slice(), file: this.file, start, end: this.#at };
  }

  #string(): SourceScalar {
    const start = this.#at;
    const value = this.#text();
    return { kind: 'scalar', value, file: this.file, start, end: this.#at };
  }

  #text(): string {
    const start = this.#at;
    if (this.file.text.charCodeAt(start) !== QUOTE) this.#fail('expected a string');
    const escapes = this.#stringEnd(start);
    return escapes ? this.#unescape(start) : this.file.text.slice(start + 1, this.#at - 1);
  }

  /** Moves to the end of the string that starts here; tells whether it has escapes. */
  #stringEnd(start: number): boolean {
    const { text } = this.file;
    let escapes = false;
    for (this.#at = start + 1; ; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escapes = true;
        this.#at++;
      } else if (!(code >= 0x20)) this.#fail('a string that does not end on its line');
    }
    this.#at++;
    return escapes;
  }

  #unescape(start: number): string {
    try {
      return JSON.parse(this.file.text.slice(start, this.#at)) as string;
    } catch {
      return this.#fail('a string with an escape that JSON does not know');
    }
  }

  #wordOrNumber(): SourceScalar {
    const start = this.#at;
    const word = this.#match(WORD);
    if (word !== undefined) {
      return { kind: 'scalar', value: WORDS[word] ?? null, file: this.file, start, end: this.#at };
    }
    const { value, exact } = readNumber(this.#match(NUMBER) ?? this.#fail('expected a value'));
    const number = { kind: 'scalar', value, file: this.file, start, end: this.#at } as const;
    return exact === undefined ? number : { ...number, exact };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.file.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skipSpace(): void {
    const { text } = this.file;
    for (let code = text.charCodeAt(this.#at); isSpace(code); code = text.charCodeAt(++this.#at));
  }

  #skip(character: string): boolean {
    this.#skipSpace();
    if (this.file.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) this.#fail(`expected \`${character}\``);
  }

  #fail(problem: string): never {
    throw new ToolError('syntax', `${this.file.path}:${this.file.lineAt(this.#at)}: not JSON: ${problem}`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
