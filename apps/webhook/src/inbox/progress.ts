/**
 * How far deliveries have been handled, as one number. They are claimed in the order of their ids but end in any
 * order; the number stands before the first that has not ended.
 */
export class Progress {
  /** Claimed and not ended, in the order of their ids. */
  readonly #open = new Set<number>();
  #claimedThrough: number;

  /** @param handledThrough everything up to this id has ended */
  constructor(handledThrough: number) {
    this.#claimedThrough = handledThrough;
  }

  /** The last id that was claimed. */
  get claimedThrough(): number {
    return this.#claimedThrough;
  }

  /** Claims the next id. */
  claim(id: number): void {
    this.#open.add(id);
    this.#claimedThrough = id;
  }

  /** Whether the id was claimed and has not ended. */
  has(id: number): boolean {
    return this.#open.has(id);
  }

  end(id: number): void {
    this.#open.delete(id);
  }

  /** The id up to which everything will have ended once these have. */
  endedThrough(ending: ReadonlySet<number>): number {
    for (const id of this.#open) {
      if (!ending.has(id)) return id - 1;
    }
    return this.#claimedThrough;
  }

  /** Those that have not ended although more than `distance` later ones were claimed. */
  stragglers(distance: number): number[] {
    const late: number[] = [];
    for (const id of this.#open) {
      if (this.#claimedThrough - id <= distance) break;
      late.push(id);
    }
    return late;
  }
}
