import { escapeStep } from '../read/json-pointer.js';
import { type Fact, factAt, type FactChild, type FactNode, NO_CHILDREN, parameterName } from './fact.js';
import { ListCounter } from './list-counter.js';
import { capped, countPlaces, type Part, placesOf, type Visit } from './places.js';
import { type CompareOptions, WholeParts } from './whole-parts.js';

/** A fact that is not the same in both documents, or one that has a label. */
export interface Comparison<Label> {
  readonly pointer: string;
  /** The other places of the same part, which both documents share there: the first 999 of them. */
  readonly alsoAt: readonly string[];
  /** How many places there are, this one and those that are not listed included. */
  readonly count: number;
  /** What the first document states; undefined if nothing. */
  readonly first?: Fact;
  /** What the second document states; undefined if nothing. */
  readonly second?: Fact;
  /** The labels of the places of the first document that lead here, the nearest one last. */
  readonly labels: readonly Label[];
}

/** The outcome of a comparison. */
export interface Comparisons<Label> {
  /** How many facts are equal and not listed, one in several places counted for each. */
  readonly equal: number;
  /** The equal facts of the first document at their places: the first 1000 of each. */
  readonly equalFacts: () => Iterable<Fact>;
  /** In the order of the first document, with what only the second has at the end of each part. */
  readonly listed: readonly Comparison<Label>[];
}

/**
 * Compares two documents part by part, parameters by name and place. A pair of parts that comes again, because both
 * documents share them or because they are circular, is compared once: two parts are the same unless something that
 * they lead to differs.
 *
 * A webhook, a path or an operation that only one document has is listed as one fact.
 *
 * @throws ToolError `too-large` if there is too much to list
 */
export function compare<Label = never>(
  first: FactNode,
  second: FactNode,
  options: Partial<CompareOptions<Label>> = {},
): Comparisons<Label> {
  return new Comparer({ labelOf: () => undefined, isTakenApart: () => false, ...options }).run(first, second);
}

/** The two documents at one place; a document that has nothing there is undefined. */
interface Pair<Label> extends Visit {
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  readonly labels: readonly Label[];
}

class Comparer<Label> {
  readonly #parts = new Map<string, Part>();
  readonly #numbers = new Map<unknown, number>();
  readonly #waiting: Pair<Label>[] = [];
  readonly #equal: { readonly at: Visit; readonly child: FactChild }[] = [];
  readonly #listed: Pair<Label>[] = [];

  readonly #wholeParts: WholeParts<Label>;

  constructor(readonly options: CompareOptions<Label>) {
    this.#wholeParts = new WholeParts(options);
  }

  run(first: FactNode, second: FactNode): Comparisons<Label> {
    this.#waiting.push({
      pointer: '',
      within: undefined,
      first: { node: first, place: first.source },
      second: { node: second, place: second.source },
      labels: [],
    });
    for (let pair = this.#waiting.pop(); pair !== undefined; pair = this.#waiting.pop()) this.#visit(pair);
    // In the order in which they were found, so that a long chain of parts is no deep recursion.
    for (const part of this.#parts.values()) countPlaces(part);
    const facts = this.#equal;
    return {
      equal: facts.reduce((sum, { at }) => capped(sum + countPlaces(at.within)), 0),
      *equalFacts() {
        const counter = new ListCounter('are stated');
        for (const { at, child } of facts) {
          const pointers = placesOf(at);
          counter.count(child.place, pointers);
          for (const pointer of pointers) yield factAt(pointer, child);
        }
      },
      listed: this.#comparisons(),
    };
  }

  #comparisons(): Comparison<Label>[] {
    const counter = new ListCounter('differ');
    return this.#listed.map((pair) => {
      const comparison = toComparison(pair);
      const { first, second } = pair;
      const place = (first ?? second)?.place;
      if (place !== undefined) counter.count(place, [comparison.pointer, ...comparison.alsoAt]);
      return comparison;
    });
  }

  #visit(pair: Pair<Label>): void {
    if (isLeaf(pair.first) && isLeaf(pair.second)) this.#state(pair);
    else if (this.#wholeParts.isOneFact(pair)) this.#state(pair);
    else {
      const part = this.#newPart(pair);
      if (part !== undefined) this.#descend({ ...pair, within: part });
    }
  }

  /** Undefined if the same two parts were compared already. */
  #newPart(pair: Pair<Label>): Part | undefined {
    const { pointer, within, first, second, labels } = pair;
    const key = [first?.node, second?.node, labels.at(-1)].map((one) => this.#number(one)).join(' ');
    const known = this.#parts.get(key);
    if (known === undefined) {
      const part = { pointer, visits: [{ pointer, within }] };
      this.#parts.set(key, part);
      return part;
    }
    const isCircle = pointer.startsWith(`${known.pointer}/`);
    if (isCircle) this.#stateCircle(pair, known.pointer);
    else known.visits.push({ pointer, within });
    return undefined;
  }

  #number(one: unknown): number {
    const number = this.#numbers.get(one) ?? this.#numbers.size;
    this.#numbers.set(one, number);
    return number;
  }

  /** A circle is one fact: what leads back to its start. What one document adds may be nothing but a circle. */
  #stateCircle(pair: Pair<Label>, start: string): void {
    const text = JSON.stringify({ $ref: `#${start}` });
    const backTo = (child: FactChild | undefined): FactChild | undefined =>
      child && { ...child, node: { ...child.node, kind: 'value', text } };
    this.#state({ ...pair, first: backTo(pair.first), second: backTo(pair.second) });
  }

  #descend(pair: Pair<Label>): void {
    const { first, second } = pair;
    if (first === undefined || second === undefined || first.node.kind === second.node.kind) {
      this.#children(pair);
    } else if (isEmpty(first.node)) {
      this.#state(pair);
      this.#children({ ...pair, first: undefined });
    } else {
      if (!isEmpty(second.node)) this.#sideOf({ ...pair, first: undefined });
      this.#sideOf({ ...pair, second: undefined });
    }
  }

  #sideOf(pair: Pair<Label>): void {
    if (isLeaf(pair.first) && isLeaf(pair.second)) this.#state(pair);
    else this.#children(pair);
  }

  /** Pushes in reverse, so that the first child is visited first. */
  #children({ pointer, within, first, second, labels }: Pair<Label>): void {
    const theirs = second?.node.children ?? NO_CHILDREN;
    const ours = alignParameters(first?.node.children ?? NO_CHILDREN, theirs);
    const keys = new Set([...ours.keys(), ...theirs.keys()]);
    for (const key of [...keys].reverse()) {
      const child = ours.get(key);
      this.#waiting.push({
        pointer: `${pointer}/${escapeStep(key)}`,
        within,
        first: child,
        second: theirs.get(key),
        labels: this.#labelled(child, labels),
      });
    }
  }

  #labelled(child: FactChild | undefined, labels: readonly Label[]): readonly Label[] {
    const label = child && this.options.labelOf(child.place);
    return label === undefined || label === labels.at(-1) ? labels : [...labels, label];
  }

  #state(pair: Pair<Label>): void {
    const { first, second, labels } = pair;
    const isEqual = first !== undefined && second !== undefined && isSameValue(first.node, second.node);
    if (isEqual && labels.length === 0) this.#equal.push({ at: pair, child: first });
    else this.#listed.push(pair);
  }
}

/**
 * Parameters of the first document with the keys that the same parameters have in the second, because their order says
 * nothing. Those that only the first has come after them. Other children stay as they are.
 */
function alignParameters(ours: FactNode['children'], theirs: FactNode['children']): FactNode['children'] {
  const [one] = ours.values();
  if (one?.node.shape !== 'parameter' || theirs.size === 0) return ours;
  const keys = new Map<string, string[]>();
  for (const [key, { node }] of theirs) {
    const name = parameterName(node);
    keys.set(name, [...(keys.get(name) ?? []), key]);
  }
  let next = theirs.size;
  return new Map(
    Array.from(ours.values(), (child) => {
      // A second parameter of that name is another one.
      const key = keys.get(parameterName(child.node))?.shift() ?? String(next++);
      return [key, child];
    }),
  );
}

function isLeaf(child: FactChild | undefined): boolean {
  return child === undefined || child.node.kind === 'value';
}

function isSameValue(first: FactNode, second: FactNode): boolean {
  return first.kind === 'value' && second.kind === 'value' && first.text === second.text;
}

function isEmpty({ kind, text, source }: FactNode): boolean {
  return kind === 'value' && source.kind !== 'scalar' && (text === '{}' || text === '[]');
}

function toComparison<Label>({ first, second, labels, ...visit }: Pair<Label>): Comparison<Label> {
  const [pointer = visit.pointer, ...alsoAt] = placesOf(visit);
  return {
    pointer,
    alsoAt,
    count: countPlaces(visit.within),
    ...(first && { first: factAt(pointer, first) }),
    ...(second && { second: factAt(pointer, second) }),
    labels,
  };
}
