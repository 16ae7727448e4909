import { type RateLimit, RateWindow } from '@plant-store/contract';
import { longestTimer } from './clocks.js';

interface Waiter {
  /** Called when the limit lets the waiter go on. It must not throw. */
  proceed(): void;
}

/** Lets deliveries wait, first come first served, until the rate limit has room for their next attempt. */
export class RateLimiter {
  readonly #window: RateWindow;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #isServing = false;

  constructor(limit: RateLimit) {
    this.#window = new RateWindow(limit);
  }

  /** Adds a waiter. It may go on at once. */
  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    // A waiter that joins while another goes on, as from its `headers` function, is served after that one.
    if (this.#timer === undefined && !this.#isServing) this.#serve();
  }

  /** Removes a waiter. */
  leave(waiter: Waiter): void {
    if (this.#waiters.delete(waiter) && this.#waiters.size === 0) this.#stop();
  }

  #serve(): void {
    this.#stop();
    this.#isServing = true;
    for (const waiter of this.#waiters) {
      const milliseconds = this.#window.take(performance.now());
      if (milliseconds > 0) {
        this.#timer = setTimeout(() => this.#serve(), Math.min(Math.ceil(milliseconds), longestTimer));
        break;
      }
      this.#waiters.delete(waiter);
      waiter.proceed();
    }
    this.#isServing = false;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
