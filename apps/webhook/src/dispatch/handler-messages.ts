import type { Delivery } from '../inbox/inbox.js';
import type { ErrorDescription } from '../logging/describe-error.js';

/** An attempt to start. */
export interface NumberedAttempt {
  /** A delivery may come again while an earlier attempt that was aborted still runs. */
  readonly number: number;
  readonly delivery: Delivery;
}

/** An attempt that has ended; without an error, the delivery is handled. */
export interface EndedAttempt {
  readonly number: number;
  readonly error?: ErrorDescription;
}

/** From the receiver to the handler's process. Attempts that start together are one message, which costs half. */
export type ToHandler =
  | { readonly kind: 'start'; readonly attempts: readonly NumberedAttempt[] }
  | { readonly kind: 'abort'; readonly number: number; readonly reason: string }
  | { readonly kind: 'stop' };

/** From the handler's process to the receiver. */
export type FromHandler =
  { readonly kind: 'ready' } | { readonly kind: 'ended'; readonly attempts: readonly EndedAttempt[] };

/** The messages of one turn, sent together. */
export class MessageBatch<Entry> {
  #entries: Entry[] = [];

  constructor(private readonly send: (entries: readonly Entry[]) => void) {}

  add(entry: Entry): void {
    if (this.#entries.push(entry) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const entries = this.#entries;
    this.#entries = [];
    this.send(entries);
  }
}
