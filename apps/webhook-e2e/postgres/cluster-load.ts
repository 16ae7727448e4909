import { soon } from '../support/port.js';
import { Load, type OpenSender } from '../support/sender.js';

/** Sizes of contents: within a page of PostgreSQL, across a few, across many. */
const SIZES = [32, 700, 700, 4_096, 20_000];

/** Waits for a delivery that was sent after `since` through this sender, or through any. */
interface Waiting {
  readonly sender: OpenSender | undefined;
  readonly since: number;
  readonly resolve: () => void;
}

/** Senders that go on whatever happens. */
export class ClusterLoad extends Load {
  readonly #sending: Promise<unknown>;
  #waiting: Waiting[] = [];
  #isStopped = false;

  /** @param inFlight at a time, by each sender */
  constructor(senders: readonly OpenSender[], inFlight: number) {
    super();
    const each = senders.flatMap((sender) => Array.from({ length: inFlight }, () => this.#run(sender)));
    this.#sending = Promise.all(each);
  }

  /** Resolves when a delivery is acknowledged that is sent from now on, by any sender or by this one. */
  untilAcknowledged(sender?: OpenSender): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ sender, since: performance.now(), resolve }));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sending;
  }

  async #run(sender: OpenSender): Promise<void> {
    while (!this.#isStopped) {
      const sentAt = performance.now();
      if ((await this.deliver(sender, SIZES)) === 'acknowledged') this.#tell(sender, sentAt);
      else await soon();
    }
  }

  #tell(sender: OpenSender, sentAt: number): void {
    const isOver = (each: Waiting): boolean => each.since <= sentAt && (each.sender ?? sender) === sender;
    for (const { resolve } of this.#waiting.filter(isOver)) resolve();
    this.#waiting = this.#waiting.filter((each) => !isOver(each));
  }
}
