import jsonc from 'jsonc-parser';
import { countValue, MAX_DEPTH } from './limits.js';
import {
  duplicateKey,
  readNumber,
  type SourceEntry,
  type SourceFile,
  type SourceNode,
} from './source-node.js';
import { ToolError } from './tool-error.js';

/**
 * JSON as RFC 8259 has it, with the place of each node.
 *
 * @throws ToolError `syntax` or `duplicate-key`, with the line
 */
export function parseJson(file: SourceFile): SourceNode {
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
    countValue(this.file, node.start);
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
