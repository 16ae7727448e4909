import { createHistogram } from 'node:perf_hooks';

/** How many deliveries have a name, such as a method. */
export interface NameCount {
  readonly name: string;
  readonly deliveries: number;
}

/** Names, those of the most deliveries first. */
export interface Names {
  readonly names: readonly NameCount[];
  /** How often another name came: one beyond the limits of a {@link Tally}. */
  readonly further: number;
}

/** Most names that a {@link Tally} shows, and the longest one. */
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 64;

/** Counts names in bounded memory. */
export class Tally {
  readonly #counts = new Map<string, number>();
  #further = 0;

  add(name: string): void {
    const count = this.#counts.get(name);
    const isShown = count !== undefined || (this.#counts.size < MAX_NAMES && name.length <= MAX_NAME_LENGTH);
    if (isShown) this.#counts.set(name, (count ?? 0) + 1);
    else this.#further += 1;
  }

  result(): Names {
    const names = [...this.#counts].map(([name, deliveries]) => ({ name, deliveries }));
    names.sort((one, other) => other.deliveries - one.deliveries || (one.name < other.name ? -1 : 1));
    return { names, further: this.#further };
  }
}

/** How numbers are spread. The percentiles are exact to three figures. */
export interface Spread {
  readonly least: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
}

/** Counts whole numbers in bounded memory. */
export class SpreadCounter {
  // Node's histogram has no 0.
  readonly #histogram = createHistogram();
  #least = Infinity;
  #most = -Infinity;

  add(value: number): void {
    this.#histogram.record(value + 1);
    this.#least = Math.min(this.#least, value);
    this.#most = Math.max(this.#most, value);
  }

  /** Null if there was no number. */
  result(): Spread | null {
    if (this.#most === -Infinity) return null;
    const percentile = (percent: number): number =>
      Math.min(this.#histogram.percentile(percent) - 1, this.#most);
    const [p50, p90, p99] = [percentile(50), percentile(90), percentile(99)];
    return { least: this.#least, p50, p90, p99, most: this.#most };
  }
}
