import { type FactNode, parameterName } from '../facts/fact.js';
import { pointerOf } from '../read/json-pointer.js';
import { descend, type SourceNode, toPlain } from '../read/source-node.js';

/** What an answer of the code adds to the document. */
export interface Implied {
  /** The actions that state it, at places of the baseline. So they fit in any order, and whatever else is answered. */
  readonly actions: readonly ImpliedAction[];
  /** The JSON Pointers of what they add. */
  readonly places: readonly string[];
  /** The other questions without whose answers the document wouldn't show all of it. */
  readonly needs: ReadonlySet<string>;
}

/** An action that an answer of the code implies. */
export interface ImpliedAction {
  /** The deepest place of the baseline that contains all that it adds. */
  readonly steps: readonly string[];
  readonly update: unknown;
}

/** A value of a document, a list that the baseline doesn't have, a parameter, or a map without what it contains. */
interface Part {
  readonly steps: readonly string[];
  readonly node: FactNode;
  /** Identifies the value; the same for every map, and for every place that leads back to a schema around it. */
  readonly text: string;
  readonly isListItem: boolean;
}

const MAP = 'map';
const CIRCLE = 'circle';

/** By what identifies them in several documents. */
type Parts = ReadonlyMap<string, Part>;

/**
 * What the answers of the code add to the document, by question.
 *
 * A part of the document follows from an answer if the document without this answer lacks the part, or shows it
 * differently. A part that follows from several answers belongs to the most specific of them: the one from which the
 * fewest parts follow. So a field of the plant belongs to `plant-fields`, although it also needs a method.
 *
 * @param without the document without one answer, by question
 */
export function impliedBy(
  baseline: FactNode,
  document: FactNode,
  without: ReadonlyMap<string, FactNode>,
): Map<string, Implied> {
  const stated = partsOf(baseline, baseline);
  const shown = partsOf(document, baseline);
  const rests = Array.from(without, ([question, root]) => ({ question, rest: partsOf(root, baseline) }));
  const all = [shown, ...rests.map(({ rest }) => rest)];
  // A map is what an answer adds if it stands alone. Otherwise it is there for what it contains.
  const isAlone = (id: string, { steps, text }: Part) =>
    text !== MAP || stated.has(idOf(steps.slice(0, -1))) || all.some((parts) => isEmpty(parts.get(id)));
  const added = [...shown].filter(([id, part]) => !stated.has(id) && isAlone(id, part));
  const following = rests
    .map(({ question, rest }) => {
      const parts = added.filter(([id, { text }]) => rest.get(id)?.text !== text);
      return { question, ids: new Set(parts.map(([id]) => id)) };
    })
    .sort((one, other) => one.ids.size - other.ids.size);
  const names = componentNames(document.source);
  const ownerOf = (id: string) => following.find(({ ids }) => ids.has(id))?.question;
  return new Map(
    following.map(({ question }) => {
      const own = added.filter(([id]) => ownerOf(id) === question);
      const needs = following.filter(({ ids }) => own.some(([id]) => ids.has(id))).map((one) => one.question);
      const parts = own.map(([, part]) => part);
      return [
        question,
        {
          actions: actionsOf(parts, stated, names),
          places: parts.map(({ steps }) => pointerOf(steps)),
          needs: new Set(needs.filter((other) => other !== question)),
        },
      ];
    }),
  );
}

function partsOf(root: FactNode, baseline: FactNode): Parts {
  const parts = new Map<string, Part>();
  collect(root, { stated: baseline, steps: [], around: new Set(), parts });
  return parts;
}

interface Place {
  /** What the baseline has at this place. */
  readonly stated: FactNode | undefined;
  readonly steps: readonly string[];
  /** The nodes that contain this one. */
  readonly around: ReadonlySet<FactNode>;
  readonly parts: Map<string, Part>;
}

function collect(node: FactNode, { stated, steps, around, parts }: Place): void {
  const isMap = node.kind === 'map' || (node.kind === 'value' && node.text === '{}');
  const isParameters = node.shape === 'parameter[]' && node.kind === 'list';
  const isWhole = !isMap && !isParameters && !(node.kind === 'list' && stated?.kind === 'list');
  const isCircle = around.has(node);
  if (isWhole || isMap) {
    const text = isCircle ? CIRCLE : isMap ? MAP : textOf(node);
    parts.set(idOf(steps), { steps, node, text, isListItem: false });
  }
  if (isWhole || isCircle) return;
  for (const [key, { node: child }] of node.children) {
    const below = [...steps, key];
    if (isParameters) {
      const id = idOf([...steps, parameterName(child)]);
      parts.set(id, { steps: below, node: child, text: textOf(child), isListItem: true });
    } else {
      const counterpart = stated?.children.get(key)?.node;
      collect(child, { stated: counterpart, steps: below, around: new Set(around).add(node), parts });
    }
  }
}

function isEmpty(part: Part | undefined): boolean {
  return part?.text === MAP && part.node.children.size === 0;
}

function idOf(steps: readonly string[]): string {
  return JSON.stringify(steps);
}

function textOf(node: FactNode): string {
  return node.kind === 'value' ? node.text : JSON.stringify(plainOf(node, () => CIRCLE));
}

/**
 * The value of a node, a set in the order in which it is written.
 *
 * @param referTo what stands where it leads back to a node around it; undefined leaves the place out
 */
function plainOf(
  node: FactNode,
  referTo: (node: FactNode) => unknown,
  around: ReadonlySet<FactNode> = new Set(),
): unknown {
  if (node.kind === 'value') return toPlain(node.source);
  if (around.has(node)) return referTo(node);
  const within = new Set(around).add(node);
  const values = Array.from(
    node.children,
    ([key, child]) => [key, plainOf(child.node, referTo, within)] as const,
  );
  return node.kind === 'list' ? values.map(([, value]) => value) : Object.fromEntries(values);
}

/** The names of a document's schemas. */
function componentNames(document: SourceNode): ReadonlyMap<SourceNode, string> {
  const schemas = descend(document, ['components', 'schemas']);
  if (schemas?.kind !== 'map') return new Map();
  return new Map(Array.from(schemas.entries, ([name, { value }]) => [value, name]));
}

/** A schema that leads back to itself is written as a component too. One without a name can't be. */
function actionsOf(
  parts: readonly Part[],
  stated: Parts,
  names: ReadonlyMap<SourceNode, string>,
): ImpliedAction[] {
  const actions = new Map<string, { steps: readonly string[]; update: Record<string, unknown> }>();
  const circular = new Map<string, FactNode>();
  const referTo = (node: FactNode) => {
    const name = names.get(node.source);
    if (name === undefined) return undefined;
    circular.set(name, node);
    return { $ref: `#${pointerOf(['components', 'schemas', name])}` };
  };
  const add = (steps: readonly string[], value: unknown, isListItem = false) => {
    let depth = steps.length - 1;
    while (depth > 0 && stated.get(idOf(steps.slice(0, depth)))?.text !== MAP) depth -= 1;
    const target = steps.slice(0, depth);
    const action = actions.get(idOf(target)) ?? { steps: target, update: {} };
    actions.set(idOf(target), action);
    put(action.update, steps.slice(depth, isListItem ? -1 : undefined), isListItem ? [value] : value);
  };
  for (const { steps, node, text, isListItem } of parts) {
    const value = text === CIRCLE ? referTo(node) : text === MAP ? {} : plainOf(node, referTo);
    if (value !== undefined) add(steps, value, isListItem);
  }
  // A component may refer to others, which are added while this goes on.
  for (const [name, node] of circular) add(['components', 'schemas', name], plainOf(node, referTo));
  return [...actions.values()];
}

/** Puts a value at a path. A list is added to the one that is there. */
function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let map = root;
  for (const step of path.slice(0, -1)) map = (map[step] ??= {}) as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  const known = map[last];
  map[last] =
    Array.isArray(known) && Array.isArray(value) ? [...(known as unknown[]), ...(value as unknown[])] : value;
}
