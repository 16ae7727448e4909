import { channel } from 'node:diagnostics_channel';
import type { OutageNotice, OutboxDiagnosticsMessages } from './relay-options.js';

const outages = channel('plant-store:outbox:outage' satisfies keyof OutboxDiagnosticsMessages);

/** Whether something that a relay needs fails. It tells when that begins and ends. */
export class Outage {
  /** Tries in a row that failed; 0 if there is no outage. */
  tries = 0;
  #began = 0;

  constructor(
    readonly part: OutageNotice['part'],
    readonly report: (error: Error) => void,
  ) {}

  /** A try has failed. */
  fail(error: Error): void {
    if (this.tries === 0) {
      this.#began = performance.now();
      this.#publish(error);
      this.report(error);
    }
    this.tries += 1;
  }

  /** A try has succeeded. */
  end(): void {
    if (this.tries > 0) this.#publish();
    this.tries = 0;
  }

  #publish(error?: Error): void {
    const seconds = Math.round((performance.now() - this.#began) / 1_000);
    const notice: OutageNotice = { part: this.part, seconds, tries: this.tries, ...(error && { error }) };
    outages.publish(Object.freeze(notice));
  }
}

/** Milliseconds of a wait that doubles with each try. Up to half of it is random, so that relays don't try together. */
export function waitAfter(tries: number, first: number, longest: number): number {
  return Math.min(first * 2 ** (tries - 1), longest) * (1 - Math.random() / 2);
}
