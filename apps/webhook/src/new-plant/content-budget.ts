/** Bounds the content that is in memory at a time, over all requests together. A guard, in bytes. */
export class ContentBudget {
  #left: number;

  constructor(size: number) {
    this.#left = size;
  }

  /** Takes this many bytes if there are as many left. */
  take(size: number): boolean {
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }

  /** Gives back what was taken. */
  giveBack(size: number): void {
    this.#left += size;
  }
}
