import { dereference } from './references.js';
import { child, listOf, mapOf, type Place, pointerOf, referenceIn, type SourceNode, textOf } from './read.js';

/** One thing that a document states: a value that has no parts. */
export interface Fact {
  /** JSON Pointer (RFC 6901). What a `$ref` denotes has the pointer that it would have in the place of the `$ref`. */
  readonly pointer: string;
  /** The value as JSON text. */
  readonly text: string;
  readonly place: Place;
}

/** What a document states. */
export interface Facts {
  /** By pointer, in the order of the document. */
  readonly all: ReadonlyMap<string, Fact>;
  /** The components whose facts are where a `$ref` leads to them, by pointer. */
  readonly used: ReadonlyMap<string, Place>;
}

/** Lists of texts whose order says nothing. */
const SETS = ['required', 'tags', 'type'];

/**
 * The facts of a document. Parameters are recognised by place and name (OpenAPI 3.1.0 §4.8.12); names of headers have no
 * case (RFC 9110 §5.1).
 *
 * @throws ToolError `bad-reference`
 */
export function factsOf(document: SourceNode): Facts {
  const { root, used } = dereference(document);
  const all = new Map<string, Fact>();

  function visit(node: SourceNode, steps: readonly string[]): void {
    const pointer = pointerOf(steps);
    const state = (text: string): void => void all.set(pointer, { pointer, text, place: node.place });
    const reference = referenceIn(node);
    if (reference !== undefined) return state(JSON.stringify(reference));
    const entries = [...(mapOf(node) ?? [])];
    const items = listOf(node) ?? [];
    if (entries.length === 0 && items.length === 0) return state(textOf(node));
    const isSet = SETS.includes(steps.at(-1) ?? '') && items.every(({ value }) => typeof value === 'string');
    if (isSet && items.length > 0) return state(JSON.stringify(items.map(({ value }) => value).sort()));
    const isParameters = steps.at(-1) === 'parameters';
    items.forEach((item, index) =>
      visit(item, [...steps, (isParameters && parameterName(item)) || String(index)]),
    );
    for (const [key, value] of entries) visit(value, [...steps, key]);
  }

  for (const [key, value] of mapOf(root) ?? []) visit(value, [key]);
  return { all, used };
}

/** `header webhook-id`; undefined if it has no name. */
export function parameterName(parameter: SourceNode): string | undefined {
  const [place, name] = ['in', 'name'].map((field) => child(parameter, field)?.value);
  if (typeof place !== 'string' || typeof name !== 'string') return undefined;
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}
