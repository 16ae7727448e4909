import type { FactNode } from './fact-node.js';

/** What numbering nodes needs: a number for a text, and the text of a node, given a label for each child. */
export interface Numbering {
  readonly number: (key: string) => number;
  readonly key: (node: FactNode, label: (child: FactNode) => string) => string;
}

/** A cycle by its number, and one node for each different meaning in it. */
export interface RefinedCycle {
  readonly cycle: number;
  readonly members: readonly FactNode[];
}

/**
 * Gives meanings to the nodes of a cycle (a strongly connected group whose other children are numbered).
 *
 * The nodes start as equal as their kind, keys and outer children make them, and are told apart by their
 * inner children, round after round, until a round tells no more apart (Moore 1956). What is then equal
 * stays equal for ever. Numbers come from texts that both documents share, so that the same cycle gets the
 * same numbers in both, however often it is unrolled in one of them.
 */
export class CycleRefinement {
  /** Nodes of known cycles, by what can be seen of them without looking at their children. */
  readonly #known = new Map<number, FactNode[]>();

  constructor(readonly numbering: Numbering) {}

  refine(group: readonly FactNode[]): RefinedCycle {
    const colours = this.#colours(group);
    const members = firstOfEach(group, colours);
    const lines = members.map((node) => `${colours.get(node)}${this.numbering.key(node, labelIn(colours))}`);
    const cycle = this.numbering.number(`cycle ${lines.sort().join('\n')}`);
    for (const [node, colour] of colours) node.meaning = this.numbering.number(`member ${cycle} ${colour}`);
    for (const node of members) this.#remember(node);
    return { cycle, members };
  }

  /**
   * Finds whether the group says the same as a cycle that is known already and leads into it, as a copy of a
   * recursive schema does that refers to the original; if so, gives its nodes those meanings. Since each node
   * of the group leads to each other, one that does means that all do.
   */
  adopt(group: readonly FactNode[]): boolean {
    const [node] = group;
    if (node === undefined) return false;
    for (const candidate of this.#known.get(this.#outline(node)) ?? []) {
      const pairs = samePairs(node, candidate, new Set(group));
      if (pairs === undefined) continue;
      for (const [member, known] of pairs) member.meaning = known.meaning;
      return true;
    }
    return false;
  }

  #colours(group: readonly FactNode[]): Map<FactNode, number> {
    let colours = new Map(group.map((node) => [node, 0]));
    for (let different = 0; ;) {
      const label = labelIn(colours);
      const next = new Map(
        group.map((node) => [node, this.numbering.number(this.numbering.key(node, label))]),
      );
      const count = new Set(next.values()).size;
      if (count === different) return next;
      different = count;
      colours = next;
    }
  }

  #remember(node: FactNode): void {
    const outline = this.#outline(node);
    const others = this.#known.get(outline) ?? [];
    if (others.every(({ meaning }) => meaning !== node.meaning)) others.push(node);
    this.#known.set(outline, others);
  }

  #outline(node: FactNode): number {
    return this.numbering.number(`outline ${this.numbering.key(node, ({ kind }) => kind)}`);
  }
}

function labelIn(colours: ReadonlyMap<FactNode, number>): (node: FactNode) => string {
  return (node) => {
    const colour = colours.get(node);
    return colour === undefined ? String(node.meaning) : `~${colour}`;
  };
}

function firstOfEach(group: readonly FactNode[], colours: ReadonlyMap<FactNode, number>): FactNode[] {
  const first = new Map<number | undefined, FactNode>();
  for (const node of group) if (!first.has(colours.get(node))) first.set(colours.get(node), node);
  return [...first.values()];
}

/** Pairs every node of the group with the known node that says the same; undefined if one finds none. */
function samePairs(
  start: FactNode,
  known: FactNode,
  group: ReadonlySet<FactNode>,
): Map<FactNode, FactNode> | undefined {
  const pairs = new Map([[start, known]]);
  const waiting: [FactNode, FactNode][] = [[start, known]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [node, other] = pair;
    if (node.kind !== other.kind || node.children.size !== other.children.size) return undefined;
    for (const [key, { node: child }] of node.children) {
      const counterpart = other.children.get(key)?.node;
      if (counterpart === undefined) return undefined;
      const paired = group.has(child) ? pairs.get(child) : child;
      if (paired === undefined) {
        pairs.set(child, counterpart);
        waiting.push([child, counterpart]);
      } else if (paired.meaning !== counterpart.meaning) return undefined;
    }
  }
  return pairs;
}
