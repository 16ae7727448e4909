import { setTimeout as pause } from 'node:timers/promises';

import type { Inbox } from './inbox.js';
import { integer, pick } from './random.js';

/** Longest time between two operations, in milliseconds. */
const MAX_PAUSE = 60;

/** Somebody who lists, replays, discards and pauses, until told to stop. */
export class Operator {
  #isStopped = false;
  readonly #working: Promise<void>;

  constructor(private readonly inbox: Inbox) {
    this.#working = this.#work();
  }

  /** Waits for the operation under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    const resume = (): Promise<void> => this.inbox.operations.change('/handler/resume');
    const tasks = [
      () => this.#replay('parked'),
      () => this.#replay('handled'),
      () => this.#discard(),
      () => this.inbox.operations.change('/handler/pause'),
      ...[resume, resume],
    ];
    while (!this.#isStopped) {
      try {
        await pick(tasks)();
      } catch (error) {
        // If the receiver is killed meanwhile, nobody knows whether it was done.
        if (!(error instanceof TypeError)) this.inbox.ledger.report((error as Error).message);
      }
      await pause(integer(0, MAX_PAUSE));
    }
  }

  async #replay(state: 'parked' | 'handled'): Promise<void> {
    const ids = await this.inbox.operations.list(state);
    if (ids.length === 0) return;
    if (state === 'handled') this.inbox.ledger.mayRepeat = true;
    const lastId = pick(ids);
    const filter = { state, firstId: Math.max(1, lastId - 5), lastId };
    await this.inbox.operations.change('/acts', { kind: 'replay', filter });
  }

  async #discard(): Promise<void> {
    const ids = await this.inbox.operations.list('parked');
    if (ids.length === 0) return;
    const id = pick(ids);
    this.inbox.ledger.discarding(await this.inbox.operations.content(id));
    const discard = { kind: 'discard', filter: { ids: [id] }, reason: 'not needed' };
    await this.inbox.operations.change('/acts', discard);
  }
}
