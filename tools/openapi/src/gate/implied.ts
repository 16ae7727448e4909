import { parameterName } from './facts.js';
import type { Finding } from './gate.js';
import { dereference } from './references.js';
import {
  descend,
  listOf,
  mapOf,
  plain,
  pointerOf,
  readOpenapi,
  referenceIn,
  type Source,
  type SourceNode,
} from './read.js';

/** An action that an answer of the code implies. */
export interface ImpliedAction {
  /** The deepest place of the baseline that contains all that it adds. So it fits in any order. */
  readonly steps: readonly string[];
  readonly update: Record<string, unknown>;
}

/** What an answer of the code adds to the document. */
export interface Implied {
  readonly actions: readonly ImpliedAction[];
  /** The JSON Pointers of what they add. */
  readonly places: readonly string[];
}

/** A value that is added whole: one without parts, a list, or one parameter of a list. */
interface Part {
  readonly steps: readonly string[];
  readonly value: unknown;
  /** Equal values have equal texts. Every map that has parts has the same. */
  readonly text: string;
}

const MAP = 'map';

/**
 * What the answers of the code add to the document, by question.
 *
 * A part follows from an answer if the document without this answer lacks it or shows it differently. A part that
 * follows from several answers belongs to the most specific of them, the one from which the fewest parts follow: a field
 * of the plant belongs to `plant-fields`, although it also needs a method.
 *
 * @param without the document without one answer, by question
 * @throws ToolError if a text cannot be understood
 */
export function impliedBy(
  specification: Source,
  document: Source,
  without: ReadonlyMap<string, Source>,
): Map<string, Implied> {
  const { root: baseline } = dereference(readOpenapi(specification));
  const partsIn = (source: Source) => partsOf(dereference(readOpenapi(source)).root, baseline);
  const stated = partsOf(baseline, baseline);
  const added = [...partsIn(document)].filter(([id]) => !stated.has(id));
  const following = Array.from(without, ([question, source]) => {
    const rest = partsIn(source);
    const ids = added.filter(([id, { text }]) => rest.get(id)?.text !== text).map(([id]) => id);
    return { question, ids: new Set(ids), left: rest.size };
    // Without an answer that others are built on, less is left than without one of those.
  }).sort((one, other) => one.ids.size - other.ids.size || other.left - one.left);
  const ownerOf = (id: string) => following.find(({ ids }) => ids.has(id))?.question;
  return new Map(
    following.map(({ question }) => {
      const own = added.filter(([id, { text }]) => text !== MAP && ownerOf(id) === question);
      const parts = own.map(([, part]) => part);
      return [question, { actions: actionsOf(parts, baseline), places: own.map(([id]) => id) }];
    }),
  );
}

/** The question whose answer a finding follows from: that of its action, or the one that adds what is there. */
export function questionOf(
  { pointer, action }: Finding,
  implied: ReadonlyMap<string, Implied> = new Map(),
): string | undefined {
  if (action !== undefined) return action.question;
  const within = (place: string) => pointer === place || pointer.startsWith(`${place}/`);
  return [...implied].find(([, { places }]) => places.some(within))?.[0];
}

/** By JSON Pointer. */
function partsOf(root: SourceNode, baseline: SourceNode): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const add = (id: string, steps: readonly string[], value: unknown): void =>
    void parts.set(id, { steps, value, text: JSON.stringify(value) });

  function visit(node: SourceNode, steps: readonly string[]): void {
    const entries = referenceIn(node) === undefined ? [...(mapOf(node) ?? [])] : [];
    const items = listOf(node) ?? [];
    if (entries.length > 0) {
      parts.set(pointerOf(steps), { steps, value: undefined, text: MAP });
      for (const [key, value] of entries) visit(value, [...steps, key]);
    } else if (items.length > 0 && listOf(descend(baseline, steps)) !== undefined) {
      items.forEach((item, index) => visit(item, [...steps, String(index)]));
    } else if (items.length > 0 && steps.at(-1) === 'parameters') {
      items.forEach((item, index) => {
        const name = parameterName(item) ?? String(index);
        add(pointerOf([...steps, name]), steps, [plain(item)]);
      });
    } else add(pointerOf(steps), steps, plain(node));
  }

  for (const [key, value] of mapOf(root) ?? []) visit(value, [key]);
  return parts;
}

/** One action for each place of the baseline. */
function actionsOf(parts: readonly Part[], baseline: SourceNode): ImpliedAction[] {
  const actions = new Map<string, ImpliedAction>();
  for (const { steps, value } of parts) {
    let depth = steps.length - 1;
    while (depth > 0 && mapOf(descend(baseline, steps.slice(0, depth))) === undefined) depth -= 1;
    const target = steps.slice(0, depth);
    const action = actions.get(pointerOf(target)) ?? { steps: target, update: {} };
    actions.set(pointerOf(target), action);
    put(action.update, steps.slice(depth), value);
  }
  return [...actions.values()];
}

/** Puts a value at a path. A list is added to the one that is there. */
function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [last = '', ...above] = [...path].reverse();
  let map = root;
  for (const step of above.reverse()) map = (map[step] ??= {}) as Record<string, unknown>;
  const known = map[last];
  map[last] =
    Array.isArray(known) && Array.isArray(value) ? [...(known as unknown[]), ...(value as unknown[])] : value;
}
