import { channel } from 'node:diagnostics_channel';
import { isNotAcknowledged } from '../errors/sender-error.js';
import type { OutageNotice, OutboxDiagnosticsMessages } from './relay-options.js';

const outages = channel('plant-store:outbox:outage' satisfies keyof OutboxDiagnosticsMessages);

/** Whether something that a relay needs fails. Meanwhile the relay tries again, and waits longer each time. */
export class Outage {
  /** Tries that failed; 0 if there is no outage. */
  #tries = 0;
  #began = 0;
  /** The {@link kindOf} each error that was reported. */
  readonly #reported = new Set<string>();

  /**
   * @param first The wait after the first try, in milliseconds.
   * @param longest The longest wait, in milliseconds.
   * @param report Gets the first error, and each other one once.
   */
  constructor(
    readonly part: OutageNotice['part'],
    readonly first: number,
    readonly longest: number,
    readonly report: (error: Error) => void,
  ) {}

  get isOn(): boolean {
    return this.#tries > 0;
  }

  /**
   * A try has failed.
   *
   * @param isNext Whether it began after the last one ended.
   * @returns Milliseconds until the next try. Up to half of them are random, so that relays don't try together.
   */
  fail(error: Error, isNext = true): number {
    if (!this.isOn) {
      this.#began = performance.now();
      this.#publish(error);
    }
    if (isNext || !this.isOn) this.#tries += 1;
    const kind = kindOf(error);
    if (!this.#reported.has(kind)) {
      this.#reported.add(kind);
      this.report(error);
    }
    return Math.min(this.first * 2 ** (this.#tries - 1), this.longest) * (1 - Math.random() / 2);
  }

  /** A try has succeeded. */
  end(): void {
    if (!this.isOn) return;
    this.#publish();
    this.#tries = 0;
    this.#reported.clear();
  }

  #publish(error?: Error): void {
    const seconds = Math.round((performance.now() - this.#began) / 1_000);
    const notice: OutageNotice = { part: this.part, seconds, tries: this.#tries, ...(error && { error }) };
    outages.publish(Object.freeze(notice));
  }
}

/** The message; for a response, its status, because each response may have another `Retry-After` or challenge. */
function kindOf(error: Error): string {
  return isNotAcknowledged(error) ? `${error.code} ${error.status}` : error.message;
}
