import { CycleRefinement } from './cycle-refinement.js';
import { type FactNode, NO_MEANING } from './fact-node.js';
import { stronglyConnected } from './strongly-connected.js';

/**
 * Numbers what nodes say. Two nodes get the same number if and only if they say the same when every
 * reference is followed, without end where references are circular: if they are bisimilar. Documents that
 * are to be compared share one instance.
 *
 * Nodes are numbered bottom-up by their kind, keys and children's numbers (hash-consing). Nodes of a cycle
 * have no bottom; see `CycleRefinement`.
 */
export class Meanings {
  readonly #numbers = new Map<string, number>();
  readonly #values = new Map<string, number>();
  readonly #fields = new Map<string, number>();
  #next = 0;
  readonly #counts: number[] = [];
  readonly #cycles: (number | undefined)[] = [];
  readonly #refinement = new CycleRefinement({
    number: (key) => this.#number(key),
    key: (node, label) => this.#key(node, label),
  });

  /** Gives every node that `root` leads to its meaning. */
  assign(root: FactNode): void {
    for (const group of stronglyConnected(root, hasMeaning)) {
      const [node] = group;
      if (node?.kind === 'value') this.#assignValue(node);
      else if (node !== undefined && group.length === 1 && !leadsToItself(node)) this.#assignOne(node);
      else this.#assignCycle(group);
    }
  }

  /**
   * How many facts a node holds when it is spelled out. Nodes of a cycle are spelled out once for each
   * place that leads into the cycle; whatever leads back to them is one fact. Schemas that share parts can
   * hold more facts than there are numbers for; the count ends at `Number.MAX_SAFE_INTEGER`.
   */
  countOf(node: FactNode): number {
    return this.#counts[node.meaning] ?? 0;
  }

  /** The cycle that a node is part of, if it is: the same number for the same cycle. */
  cycleOf(node: FactNode): number | undefined {
    return this.#cycles[node.meaning];
  }

  #assignValue(node: FactNode): void {
    node.meaning = this.#numberIn(this.#values, node.text);
    this.#counts[node.meaning] = 1;
  }

  #assignOne(node: FactNode): void {
    node.meaning = this.#number(this.#key(node, meaningLabel));
    this.#counts[node.meaning] ??= capped(sum(node, (child) => this.countOf(child)));
  }

  #assignCycle(group: readonly FactNode[]): void {
    if (this.#refinement.adopt(group)) return;
    const { cycle, members } = this.#refinement.refine(group);
    for (const node of members) {
      // What is outside the cycle and looks like a member is one: the same schema, written out once more.
      this.#numbers.set(this.#key(node, meaningLabel), node.meaning);
      this.#cycles[node.meaning] = cycle;
    }
    const count = this.#countCycle(cycle, members);
    for (const { meaning } of members) this.#counts[meaning] = count;
  }

  #countCycle(cycle: number, members: readonly FactNode[]): number {
    let outside = 0;
    let inside = 0;
    for (const member of members) {
      for (const { node } of member.children.values()) {
        if (this.cycleOf(node) === cycle) inside++;
        else outside += this.countOf(node);
      }
    }
    return capped(outside + inside - (members.length - 1));
  }

  #number(key: string): number {
    return this.#numberIn(this.#numbers, key);
  }

  /** Different for every text of every map. */
  #numberIn(numbers: Map<string, number>, text: string): number {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, this.#next);
    return this.#next++;
  }

  #key(node: FactNode, label: (node: FactNode) => string): string {
    const parts: string[] = [];
    if (node.kind === 'list') {
      for (const child of node.children.values()) parts.push(label(child.node));
      return `[${parts.join(',')}`;
    }
    for (const [key, child] of node.children) {
      parts.push(`${this.#numberIn(this.#fields, key)}:${label(child.node)}`);
    }
    return `{${parts.sort().join(',')}`;
  }
}

function hasMeaning({ meaning }: FactNode): boolean {
  return meaning !== NO_MEANING;
}

function meaningLabel(node: FactNode): string {
  return String(node.meaning);
}

function leadsToItself(node: FactNode): boolean {
  for (const child of node.children.values()) if (child.node === node) return true;
  return false;
}

function capped(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}

function sum(node: FactNode, count: (child: FactNode) => number): number {
  let total = 0;
  for (const child of node.children.values()) total += count(child.node);
  return total;
}
