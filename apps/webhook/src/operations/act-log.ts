import type { Logger } from 'pino';

import type { Act } from '../inbox/inbox-operations.js';

/** An act is over when no further part of it has come for so long, in milliseconds. */
const END = 2_000;

const MESSAGES = {
  replay: 'an operator replayed deliveries',
  discard: 'an operator discarded deliveries',
  pause: 'an operator paused the handler',
  resume: 'an operator resumed the handler',
};

/** Writes a line for each act. Nobody says which part of an act is the last one. */
export class ActLog {
  readonly #open = new Map<number, { readonly act: Act; changed: number; timer?: NodeJS.Timeout }>();

  constructor(private readonly logger: Pick<Logger, 'info'>) {}

  /** @param changed how many deliveries its latest part has changed */
  add(act: Act, changed: number): void {
    const open = this.#open.get(act.id) ?? { act, changed: 0 };
    this.#open.set(act.id, open);
    open.changed += changed;
    clearTimeout(open.timer);
    if (act.kind === 'pause' || act.kind === 'resume') this.#write(act.id);
    else open.timer = setTimeout(() => this.#write(act.id), END).unref();
  }

  /** Writes what is not written yet. */
  close(): void {
    for (const id of this.#open.keys()) this.#write(id);
  }

  #write(id: number): void {
    const { act, changed, timer } = this.#open.get(id)!;
    this.#open.delete(id);
    clearTimeout(timer);
    const { kind, operator, source, reason, filters } = act;
    const isChange = kind === 'replay' || kind === 'discard';
    this.logger.info(
      { act: id, ...(isChange && { filters, changed }), operator, source, reason },
      MESSAGES[kind],
    );
  }
}
