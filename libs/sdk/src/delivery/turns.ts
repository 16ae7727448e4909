import { type RateLimit, RateWindow } from '@plant-store/contract';
import { longestTimer } from '../options/read-guards.js';

interface Waiter {
  takeTurn(): void;
}

/** Has deliveries wait, in the order in which they come, until a rate limit has room for them. */
export class Turns {
  readonly #window: RateWindow;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: RateLimit) {
    this.#window = new RateWindow(limit);
  }

  /** Waits for a turn, which may be now. */
  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    if (this.#timer === undefined) this.#serve();
  }

  /** Waits no longer. */
  leave(waiter: Waiter): void {
    if (this.#waiters.delete(waiter) && this.#waiters.size === 0) this.#stop();
  }

  #serve(): void {
    this.#stop();
    for (const waiter of this.#waiters) {
      const milliseconds = this.#window.take(performance.now());
      if (milliseconds > 0) return this.#serveIn(milliseconds);
      this.#waiters.delete(waiter);
      waiter.takeTurn();
    }
  }

  #serveIn(milliseconds: number): void {
    this.#stop();
    this.#timer = setTimeout(() => this.#serve(), Math.min(Math.ceil(milliseconds), longestTimer));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
