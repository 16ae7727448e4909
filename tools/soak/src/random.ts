/** Numbers that look random and are the same for the same seed: mulberry32, which is enough to choose faults. */
export class Random {
  #state: number;

  /** @param seed a whole number from 0 to 2³² − 1 */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** The items in another order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.map(() => left.splice(this.integer(0, left.length - 1), 1)[0]!);
  }

  /** A generator of its own, so that what it is asked doesn't change what this one draws. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }
}
