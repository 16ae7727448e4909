import { type ExecutableAnswers, RateWindow } from '@plant-store/contract';
import { type Place, Queue } from '../transport/queue.js';
import { longestTimer } from './clocks.js';

interface Waiter {
  /** Called when the limit lets the waiter go on. It must not throw. */
  admit(): void;
}

/** Lets attempts wait, first come first served, until the rate limit has room for them. */
export class RateLimiter {
  readonly #window: RateWindow;
  readonly #waiters = new Queue<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: ExecutableAnswers['rate-limits']) {
    this.#window = new RateWindow(limit);
  }

  /** Takes room for one attempt, if there is any and nobody waits for it. */
  take(): boolean {
    return this.#waiters.isEmpty && this.#window.take(performance.now()) === 0;
  }

  /** Adds a waiter, which may leave again. It needs a timer of its own that keeps the process running. */
  wait(waiter: Waiter): Place<unknown> {
    const place = this.#waiters.add(waiter);
    this.#serve();
    return place;
  }

  #serve(): void {
    while (!this.#waiters.isEmpty) {
      const milliseconds = this.#window.take(performance.now());
      if (milliseconds > 0) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(
          () => this.#serve(),
          Math.min(Math.ceil(milliseconds), longestTimer),
        ).unref();
        return;
      }
      this.#waiters.shift()!.admit();
    }
  }
}
