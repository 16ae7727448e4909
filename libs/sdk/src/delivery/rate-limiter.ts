import { type ExecutableAnswers, RateWindow } from '@plant-store/contract';
import { LinkedList } from '../transport/linked-list.js';
import { longestTimer } from './clocks.js';

/** Lets attempts wait, first come first served, until the rate limit has room for them. */
export class RateLimiter {
  readonly #window: RateWindow;
  readonly #waiting = new LinkedList<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: ExecutableAnswers['rate-limits']) {
    this.#window = new RateWindow(limit);
  }

  /** Takes room for one attempt, if there is any and nobody waits for it. */
  take(): boolean {
    return this.#waiting.isEmpty && this.#window.take(performance.now()) === 0;
  }

  /**
   * Waits for room. The waiter needs a timer of its own that keeps the process running.
   *
   * @param proceed Called when there is room. It must not throw.
   * @returns Ends the wait.
   */
  wait(proceed: () => void): () => void {
    const leave = this.#waiting.add(proceed);
    this.#serve();
    return leave;
  }

  #serve(): void {
    while (!this.#waiting.isEmpty) {
      const milliseconds = this.#window.take(performance.now());
      if (milliseconds > 0) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(
          () => this.#serve(),
          Math.min(Math.ceil(milliseconds), longestTimer),
        ).unref();
        return;
      }
      this.#waiting.shift()!();
    }
  }
}
