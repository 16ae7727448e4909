import { type Fact, factAt, type FactChild, isSame } from '../facts/fact.js';
import { type SourceNode, stringAt } from '../read/source-node.js';
import type { Unit } from './unit.js';

/** What a change shows of both documents; nothing where one has nothing. */
export interface Difference {
  readonly before?: Fact;
  readonly after?: Fact;
}

/** Of a part that is at this place: its values, and of two lists the items that only one has. */
export function differenceOf({ first, second }: Unit, pointer: string): Difference {
  const before = first && factAt(pointer, first);
  const after = second && factAt(pointer, second);
  const [ours, theirs] = [first && itemsOf(first), second && itemsOf(second)];
  const isCompared = ours && theirs && ours.length * theirs.length <= MAX_PAIRS;
  if (!before || !after || !isCompared) return { ...(before && { before }), ...(after && { after }) };
  const [gone, come] = [without(ours, theirs), without(theirs, ours)];
  // The same items in another order.
  if (gone.length === 0 && come.length === 0) return { before, after };
  const text = (items: readonly Item[], all: readonly Item[]) => textOf(items, items.length < all.length);
  return { before: { ...before, text: text(gone, ours) }, after: { ...after, text: text(come, theirs) } };
}

/** Longer lists are shown from their start. */
const MAX_PAIRS = 1_000_000;

const MAX_ITEMS = 8;

/** `["a", "b", …]`: what isn't shown is in both, or too much. */
function textOf(items: readonly Item[], hasMore: boolean): string {
  const shown = items.slice(0, MAX_ITEMS).map(({ text }) => text);
  const isCut = hasMore || items.length > MAX_ITEMS;
  return `[${[...shown, ...(isCut ? ['…'] : [])].join(', ')}]`;
}

/** An item of a list as it is shown, and the node of it if it has one. */
interface Item {
  readonly text: string;
  readonly child?: FactChild;
}

function without(items: readonly Item[], others: readonly Item[]): readonly Item[] {
  return items.filter((item) => !others.some((other) => isSameItem(item, other)));
}

function isSameItem(one: Item, other: Item): boolean {
  if (one.child === undefined || other.child === undefined) return one.text === other.text;
  return isSame(one.child.node, other.child.node);
}

/** Undefined if it isn't a list. A set is one value, whose text is a list. */
function itemsOf({ node }: FactChild): readonly Item[] | undefined {
  if (node.source.kind !== 'list') return undefined;
  if (node.kind === 'list')
    return Array.from(node.children.values(), (child) => ({ child, text: itemText(child) }));
  const value: unknown = JSON.parse(node.text);
  return Array.isArray(value) ? value.map((item) => ({ text: JSON.stringify(item) })) : undefined;
}

/** What is referenced is shown by its reference. */
function itemText(child: FactChild): string {
  const written = child.place as SourceNode;
  const reference = stringAt(written, '$ref');
  return reference === undefined ? factAt('', child).text : `{ "$ref": ${JSON.stringify(reference)} }`;
}
