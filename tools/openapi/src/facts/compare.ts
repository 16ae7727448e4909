import { escapeStep } from '../read/json-pointer.js';
import type { Place } from '../read/place.js';
import type { Fact } from './fact.js';
import { type FactChild, type FactNode, NO_CHILDREN } from './fact-node.js';
import type { Meanings } from './meanings.js';

/** A fact that is not the same in both documents, or one that was asked for although it is. */
export interface Comparison<Label> {
  readonly pointer: string;
  /**
   * Where the same stands again, because both documents share a part there: said once, with all its users,
   * or the first 999 of them.
   */
  readonly alsoAt: readonly string[];
  /** What the first document states; undefined if nothing. */
  readonly first?: Fact;
  /** What the second document states; undefined if nothing. */
  readonly second?: Fact;
  /** The labels of the places of the first document that lead here, the nearest one last. */
  readonly labels: readonly Label[];
}

/** What to list although it is equal, and how to name it. */
export interface Attention<Label> {
  /** Nodes of the first document that hold something to list. */
  readonly nodes: ReadonlySet<FactNode>;
  /** The label of a place, which holds for everything below it. Equal facts with a label are listed. */
  readonly labelOf: (place: Place) => Label | undefined;
}

/** The outcome of a comparison. */
export interface Comparisons<Label> {
  /**
   * How many facts are equal and not listed. A part that several places share counts for each of them if all
   * of it is equal, and once if it is not.
   */
  readonly equal: number;
  /** In the order of the first document, with what only the second has at the end of each part. */
  readonly listed: readonly Comparison<Label>[];
}

/**
 * Compares two documents whose nodes have meanings from the same `Meanings`. Parts that say the same are not
 * looked into, so the work grows with the differences and not with the facts.
 */
export function compare<Label>(
  first: FactNode,
  second: FactNode,
  meanings: Meanings,
  attention?: Attention<Label>,
): Comparisons<Label> {
  return new Comparer(meanings, attention).run(first, second);
}

/** A pair of parts that may come again, and the places where it does: the first one was looked into. */
interface Shared {
  readonly pointer: string;
  readonly visits: Visit[];
  /** All its places, once they are known. */
  places?: readonly string[];
}

interface Visit {
  readonly pointer: string;
  readonly within: Shared | undefined;
}

/** The two documents at one pointer; a document that has nothing there is undefined. */
interface Pair<Label> {
  readonly pointer: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  readonly labels: readonly Label[];
  readonly within: Shared | undefined;
}

type Listed<Label> = Omit<Comparison<Label>, 'alsoAt'> & { readonly within: Shared | undefined };

class Comparer<Label> {
  readonly #seen = new Map<string, Shared>();
  readonly #listed: Listed<Label>[] = [];
  readonly #waiting: Pair<Label>[] = [];
  readonly #labels = new Map<Label | undefined, number>();
  #equal = 0;

  constructor(
    readonly meanings: Meanings,
    readonly attention: Attention<Label> | undefined,
  ) {}

  run(first: FactNode, second: FactNode): Comparisons<Label> {
    this.#waiting.push({
      pointer: '',
      first: { node: first, place: first.source },
      second: { node: second, place: second.source },
      labels: [],
      within: undefined,
    });
    for (let pair = this.#waiting.pop(); pair !== undefined; pair = this.#waiting.pop()) this.#visit(pair);
    return { equal: this.#equal, listed: this.#listed.map(withUsers) };
  }

  #visit(pair: Pair<Label>): void {
    const { first, second, labels } = pair;
    const isEqual = first !== undefined && first.node.meaning === second?.node.meaning;
    if (isEqual && labels.length === 0 && this.attention?.nodes.has(first.node) !== true) {
      this.#equal = Math.min(this.#equal + this.meanings.countOf(first.node), Number.MAX_SAFE_INTEGER);
    } else if (isLeaf(first) && isLeaf(second)) this.#list(pair);
    else {
      const shared = this.#firstVisit(pair);
      if (shared !== undefined) this.#descend({ ...pair, within: shared });
    }
  }

  /** Undefined if the same two parts were visited already. */
  #firstVisit(pair: Pair<Label>): Shared | undefined {
    const { pointer, first, second, labels, within } = pair;
    const key = `${first?.node.meaning} ${second?.node.meaning} ${this.#labelNumber(labels.at(-1))}`;
    const seen = this.#seen.get(key);
    if (seen === undefined) {
      const shared = { pointer, visits: [{ pointer, within }] };
      this.#seen.set(key, shared);
      return shared;
    }
    if (!pointer.startsWith(`${seen.pointer}/`)) seen.visits.push({ pointer, within });
    else if (first === undefined || second === undefined) this.#listCircle(pair, seen.pointer);
    return undefined;
  }

  /** What only one document has may consist of nothing but a circle. */
  #listCircle(pair: Pair<Label>, start: string): void {
    const text = JSON.stringify({ $ref: `#${start}` });
    const backTo = (child: FactChild | undefined) => child && { ...child, node: { ...child.node, text } };
    this.#list({ ...pair, first: backTo(pair.first), second: backTo(pair.second) });
  }

  #labelNumber(label: Label | undefined): number {
    const number = this.#labels.get(label) ?? this.#labels.size;
    this.#labels.set(label, number);
    return number;
  }

  #descend(pair: Pair<Label>): void {
    const { first, second } = pair;
    if (first === undefined || second === undefined || first.node.kind === second.node.kind) {
      this.#children(pair);
    } else if (isEmpty(first.node)) {
      this.#list({ ...pair, second: { ...second, node: outlined(second.node) } });
      this.#children({ ...pair, first: undefined });
    } else {
      if (!isEmpty(second.node)) this.#sideOf({ ...pair, first: undefined });
      this.#sideOf({ ...pair, second: undefined });
    }
  }

  #sideOf(pair: Pair<Label>): void {
    if (isLeaf(pair.first) && isLeaf(pair.second)) this.#list(pair);
    else this.#children(pair);
  }

  /** Pushes in reverse, so that the first child is visited first. */
  #children({ pointer, first, second, labels, within }: Pair<Label>): void {
    const ours = first?.node.children ?? NO_CHILDREN;
    const theirs = second?.node.children ?? NO_CHILDREN;
    const keys = new Set([...ours.keys(), ...theirs.keys()]);
    for (const key of [...keys].reverse()) {
      const child = ours.get(key);
      this.#waiting.push({
        pointer: `${pointer}/${escapeStep(key)}`,
        first: child,
        second: theirs.get(key),
        labels: this.#labelled(child, labels),
        within,
      });
    }
  }

  #labelled(child: FactChild | undefined, labels: readonly Label[]): readonly Label[] {
    const label = child && this.attention?.labelOf(child.place);
    return label === undefined || label === labels.at(-1) ? labels : [...labels, label];
  }

  #list({ pointer, first, second, labels, within }: Pair<Label>): void {
    const isEqual = first?.node.meaning === second?.node.meaning;
    if (isEqual && labels.length === 0) {
      this.#equal++;
      return;
    }
    this.#listed.push({
      pointer,
      within,
      ...(first && { first: factAt(pointer, first) }),
      ...(second && { second: factAt(pointer, second) }),
      labels,
    });
  }
}

const MAX_PLACES = 1000;

function isLeaf(child: FactChild | undefined): boolean {
  return child === undefined || child.node.kind === 'value';
}

function isEmpty({ kind, text, source }: FactNode): boolean {
  return kind === 'value' && source.kind !== 'scalar' && (text === '{}' || text === '[]');
}

/** A node as one value that tells what is in it without spelling it out. */
function outlined(node: FactNode): FactNode {
  const keys = [...node.children.keys()]
    .slice(0, 3)
    .map((key) => (node.kind === 'map' ? `${JSON.stringify(key)}: …` : '…'));
  const all = node.children.size > keys.length ? [...keys, '…'] : keys;
  return {
    ...node,
    kind: 'value',
    text: node.kind === 'map' ? `{ ${all.join(', ')} }` : `[${all.join(', ')}]`,
  };
}

function factAt(pointer: string, { node, place }: FactChild): Fact {
  return { pointer, text: node.text, place, source: node.source };
}

function withUsers<Label>({ within, ...listed }: Listed<Label>): Comparison<Label> {
  const [, ...alsoAt] = placesOf({ pointer: listed.pointer, within });
  return { ...listed, alsoAt };
}

/** All places of what was visited, the visited one first. Visits never lead in a circle, but they multiply. */
function placesOf({ pointer, within }: Visit): readonly string[] {
  if (within === undefined) return [pointer];
  within.places ??= placesOfAll(within.visits);
  const rest = pointer.slice(within.pointer.length);
  return within.places.map((place) => place + rest);
}

function placesOfAll(visits: readonly Visit[]): string[] {
  const places: string[] = [];
  for (const visit of visits) {
    if (places.length >= MAX_PLACES) break;
    places.push(...placesOf(visit));
  }
  return places.slice(0, MAX_PLACES);
}
