import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { isDamage } from './damage.js';

/** Where damage is logged. */
export type DamageLog = { readonly error: (fields: object, message: string) => void };

/** Damage of the tables of an inbox that is open, found since it was opened. It is logged, and kept for its stats. */
export class FoundDamage {
  readonly #log: WriteLine;
  #first: string | undefined;

  /** @param location the file */
  constructor(
    private readonly location: string,
    log: DamageLog | undefined,
  ) {
    this.#log = throttledLog((fields) =>
      log?.error(fields, 'the inbox is damaged; what can be read is handled'),
    );
  }

  /** The first that was found, as a sentence; undefined if there is none. */
  get first(): string | undefined {
    return this.#first;
  }

  /**
   * Reports an error that damage has caused.
   *
   * @param what can't be done, as a clause
   * @returns whether it is damage
   */
  report(error: unknown, what: string): boolean {
    const isOne = isDamage(error) || isDamage((error as Error).cause ?? {});
    if (isOne) this.#add(what, error);
    return isOne;
  }

  /** Reports rows of the backlog that can't be read. */
  reportRows(ids: readonly number[]): void {
    if (ids.length > 0)
      this.#add(`the backlog's rows of deliveries ${rangeOf(ids)} cannot be read`, undefined, ids);
  }

  #add(what: string, err: unknown, deliveries?: readonly number[]): void {
    this.#first ??= `${this.location} is damaged: ${what}. Stop the receiver and restore a backup.`;
    this.#log({ damage: what, ...(err !== undefined && { err }), ...(deliveries && { deliveries }) });
  }
}

/** Names deliveries by the first and the last of their ids. */
export function rangeOf(ids: readonly number[]): string {
  const [first, last] = [Math.min(...ids), Math.max(...ids)];
  return ids.length === 1 ? String(first) : `${first} to ${last} (${ids.length} of them)`;
}
