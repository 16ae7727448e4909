/**
 * How many ids a delivery may lag behind before it moves to the backlog. Otherwise one slow handler would keep the
 * progress of all later deliveries from being stored.
 */
const MAX_LAG = 256;

/** A lag that every delivery exceeds that was claimed and has not ended. */
export const NO_LAG = -1;

/**
 * How far deliveries have been handled, as one number. They are claimed in the order of their ids but end in any
 * order; the number is the id before the first that has not ended.
 */
export class Progress {
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

  /** Claimed and not ended, in the order of their ids. */
  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** Whether the id was claimed and has not ended. */
  has(id: number): boolean {
    return this.#open.has(id);
  }

  end(id: number): void {
    this.#open.delete(id);
  }

  /** The id up to which everything will have ended once these have. */
  handledThrough(ending: ReadonlySet<number>): number {
    for (const id of this.#open) {
      if (!ending.has(id)) return id - 1;
    }
    return this.#claimedThrough;
  }

  /** Those that lag behind so far that they move to the backlog: more than `maxLag` later ones were claimed. */
  stragglers(maxLag = MAX_LAG): number[] {
    const late: number[] = [];
    for (const id of this.#open) {
      if (this.#claimedThrough - id <= maxLag) break;
      late.push(id);
    }
    return late;
  }
}
