import { ToolError } from '../tool-error.js';
import {
  descend,
  formatPlace,
  listOf,
  mapOf,
  type Place,
  pointerOf,
  type SourceNode,
  stepsOf,
  textOf,
} from './read.js';

/** One thing that a document states: a value that has no parts. */
export interface Fact<Label = unknown> {
  /** JSON Pointer (RFC 6901). What a `$ref` denotes has the pointer that it would have in the place of the `$ref`. */
  readonly pointer: string;
  /** The value as JSON text. */
  readonly text: string;
  readonly place: Place;
  /** The label of the nearest node around it that has one. */
  readonly label?: Label | undefined;
}

/** What a document states. */
export interface Facts<Label = unknown> {
  /** By pointer, in the order of the document. */
  readonly all: ReadonlyMap<string, Fact<Label>>;
  /** The components that a `$ref` leads to, by pointer. Their facts are where they are used. */
  readonly used: ReadonlyMap<string, Place>;
}

/** Lists of texts whose order says nothing. */
const SETS = ['required', 'tags', 'type'];

/**
 * The facts of a document. Each local `$ref` that stands alone is replaced by what it denotes; a component that is used
 * shows where it is used. Parameters are recognised by place and name (OpenAPI 3.1.0 §4.8.12); names of headers have no
 * case (RFC 9110 §5.1).
 *
 * @throws ToolError `bad-reference`
 */
export function factsOf<Label>(
  root: SourceNode,
  labels: ReadonlyMap<SourceNode, Label> = new Map(),
): Facts<Label> {
  const all = new Map<string, Fact<Label>>();
  const used = new Map<SourceNode, string>();

  function visit(node: SourceNode, steps: readonly string[], above: Label | undefined, around: SourceNode[]) {
    const label = labels.get(node) ?? above;
    const pointer = pointerOf(steps);
    const state = (text: string): void => void all.set(pointer, { pointer, text, place: node.place, label });
    const reference = referenceIn(node);
    if (reference !== undefined) {
      const target = targetOf(root, reference, node.place);
      used.set(target, reference.slice(1));
      if (around.includes(target)) return state(JSON.stringify(reference));
      return visit(target, steps, label, [...around, target]);
    }
    const entries = mapOf(node);
    if (entries !== undefined && entries.size > 0) {
      for (const [key, value] of entries) visit(value, [...steps, key], label, around);
      return;
    }
    const items = listOf(node) ?? [];
    if (items.length === 0) return state(textOf(node));
    const isSet = SETS.includes(steps.at(-1) ?? '') && items.every(({ value }) => typeof value === 'string');
    if (isSet) return state(JSON.stringify(items.map(({ value }) => value as string).sort()));
    const isParameters = steps.at(-1) === 'parameters';
    items.forEach((item, index) =>
      visit(item, [...steps, (isParameters && parameterName(root, item)) || String(index)], label, around),
    );
  }

  for (const [key, value] of mapOf(root) ?? []) if (key !== 'components') visit(value, [key], undefined, []);
  const components = descend(root, ['components']);
  for (const [section, members] of mapOf(components) ?? []) {
    const named = mapOf(members);
    if (named === undefined || named.size === 0) visit(members, ['components', section], undefined, []);
    for (const [name, value] of named ?? []) {
      if (!used.has(value)) visit(value, ['components', section, name], labels.get(members), [value]);
    }
  }
  if (components !== undefined && mapOf(components)?.size === 0)
    visit(components, ['components'], undefined, []);
  return { all, used: new Map(Array.from(used, ([{ place }, pointer]) => [pointer, place])) };
}

/** The reference that is all of a node. */
export function referenceIn(node: SourceNode): string | undefined {
  const entries = mapOf(node);
  const reference = entries?.size === 1 ? entries.get('$ref')?.value : undefined;
  return typeof reference === 'string' ? reference : undefined;
}

/**
 * What a reference denotes.
 *
 * @throws ToolError `bad-reference` if it leads to nothing, or out of the document
 */
export function targetOf(root: SourceNode, reference: string, place: Place): SourceNode {
  const at = `${formatPlace(place)}: $ref "${reference}"`;
  if (!reference.startsWith('#/'))
    throw new ToolError(
      'bad-reference',
      `${at} must be a JSON Pointer into this document, such as #/components/…`,
    );
  const target = descend(root, stepsOf(unescaped(reference.slice(1), at)));
  if (target === undefined) throw new ToolError('bad-reference', `${at} points to nothing`);
  return target;
}

function unescaped(fragment: string, at: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    throw new ToolError('bad-reference', `${at} has a broken escape`, { cause: error });
  }
}

/** `header webhook-id`; undefined if it has no name. */
export function parameterName(root: SourceNode, item: SourceNode): string | undefined {
  const reference = referenceIn(item);
  const parameter = reference === undefined ? item : targetOf(root, reference, item.place);
  const [place, name] = ['in', 'name'].map((field) => descend(parameter, [field])?.value);
  if (typeof place !== 'string' || typeof name !== 'string') return undefined;
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}
