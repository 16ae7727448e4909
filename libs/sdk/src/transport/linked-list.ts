interface Node<Item> {
  readonly item: Item;
  before: Node<Item> | undefined;
  after: Node<Item> | undefined;
}

/**
 * Items in the order in which they came. Each of them can leave at any time.
 *
 * It stands in place of a `Set`, where items come and go quickly. V8 keeps the tables that a `Set` has outgrown, and all
 * that was in them, until the next full garbage collection: a sender took twice the time.
 */
export class LinkedList<Item> implements Iterable<Item> {
  #first: Node<Item> | undefined;
  #last: Node<Item> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** @returns Takes the item out, unless it is out already. */
  add(item: Item): () => void {
    const node: Node<Item> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
    return () => this.#remove(node);
  }

  /** Takes the first item out. */
  shift(): Item | undefined {
    const first = this.#first;
    if (first !== undefined) this.#remove(first);
    return first?.item;
  }

  /** Those that are in the list when the iteration begins. */
  [Symbol.iterator](): Iterator<Item> {
    const items: Item[] = [];
    for (let node = this.#first; node !== undefined; node = node.after) items.push(node.item);
    return items.values();
  }

  #remove(node: Node<Item>): void {
    const { before, after } = node;
    if (before === undefined && this.#first !== node) return;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    // An old item would keep all later ones alive.
    node.before = node.after = undefined;
  }
}
