import type { Clock } from '../../src/clock.js';

/** Numbers that a seed decides (mulberry32): the same seed draws the same ones. */
export class Random {
  constructor(private state: number) {}

  /** From 0 up to 1, without 1. */
  readonly next = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number, both limits included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)]!;
  }
}

/** Time that passes from one event to the next, in milliseconds. */
export class VirtualTime {
  now = 0;
  /** In the order in which they happen, the next one last. */
  readonly #events: { readonly time: number; readonly run: () => void }[] = [];

  /** At the same time, what was called first happens first. */
  at(time: number, run: () => void): void {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.time > time) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, { time, run });
  }

  /** Lets the next event happen, and everything that follows from it without waiting. */
  async step(): Promise<void> {
    const event = this.#events.pop()!;
    this.now = Math.max(this.now, event.time);
    event.run();
    // Promises settle before the next turn of Node's event loop.
    await new Promise(setImmediate);
  }
}

/** The clock of a process. Nothing happens there while a handler blocks it, nor after its end. */
export class ProcessClock implements Clock {
  isAlive = true;
  #blockedUntil = 0;

  constructor(
    private readonly time: VirtualTime,
    readonly random: () => number,
  ) {}

  readonly now = (): number => Math.max(this.time.now, this.#blockedUntil);

  setTimeout(run: () => void, milliseconds: number): { isCancelled: boolean } {
    const timer = { isCancelled: false };
    this.at(this.now() + milliseconds, () => {
      if (!timer.isCancelled) run();
    });
    return timer;
  }

  clearTimeout(timer: { isCancelled: boolean } | undefined): void {
    if (timer !== undefined) timer.isCancelled = true;
  }

  setImmediate(run: () => void): void {
    this.at(this.now(), run);
  }

  /** Has the event loop of the process do something, as soon as it can from a time on. */
  at(time: number, run: () => void): void {
    this.time.at(time, () => {
      if (!this.isAlive) return;
      if (this.#blockedUntil > this.time.now) this.at(this.#blockedUntil, run);
      else run();
    });
  }

  /** Takes time in which the event loop does nothing else. */
  block(milliseconds: number): void {
    this.#blockedUntil = this.now() + milliseconds;
  }
}
