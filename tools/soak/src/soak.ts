import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { PostgresServer } from '@plant-store/test-support/postgres';

import type { Fault } from './faults.js';
import { Inbox } from './inbox.js';
import { Totals } from './ledger.js';
import { Load } from './load.js';
import type { Usage } from './receiver.js';

/** How long the steady receiver gets deliveries after each round, in milliseconds. */
const STEADY_TIME = 1_000;

/** By how much the steady receiver may grow from the second quarter of a soak to the last. */
const MAX_GROWTH: Usage = { memory: 64 * 1_048_576, descriptors: 10 };

/**
 * Rounds of deliveries, each with a new inbox, a fault and a comparison at its end. Between them, one receiver that
 * lasts as long as the soak gets deliveries, and what it uses is measured.
 */
export class Soak {
  readonly totals = new Totals();
  /** What the steady receiver used after each round. Empty on a system without /proc. */
  readonly usages: Usage[] = [];
  /** How often each fault happened. */
  readonly rounds: Map<string, number>;
  /** How many rounds are over. */
  count = 0;
  readonly #began = performance.now();
  #inboxes = 0;

  /**
   * @param folder for its inboxes
   * @param faults those that happen
   * @param postgres the server of its inboxes. Without, they are embedded
   */
  constructor(
    private readonly folder: string,
    private readonly faults: readonly Fault[],
    private readonly postgres?: PostgresServer,
  ) {
    this.rounds = new Map(faults.map(({ name }) => [name, 0]));
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }

  /**
   * Lets one fault happen after the other, and then again, until it is told to stop.
   *
   * @throws if the receiver broke a promise
   */
  async run(goesOn: () => boolean): Promise<void> {
    const steady = await this.#newInbox();
    await steady.start();
    while (goesOn()) {
      const fault = this.faults[this.count % this.faults.length]!;
      await this.#round(fault);
      await this.#steadyRound(steady);
      this.rounds.set(fault.name, this.rounds.get(fault.name)! + 1);
      this.count += 1;
      const { acknowledged, lost } = this.totals;
      console.log(`${this.seconds.toFixed(0)} s: ${fault.name}; ${acknowledged} acknowledged, ${lost} lost`);
    }
    await steady.finish();
    const leak = leakOf(this.usages);
    if (leak !== undefined) throw new Error(leak);
  }

  async #round(fault: Fault): Promise<void> {
    const inbox = await this.#newInbox();
    try {
      await underLoad(inbox, async (load) => {
        await fault.happen({ inbox, load, postgres: this.postgres });
        if (inbox.receiver.hasEnded) await inbox.start();
      });
      await inbox.finish();
    } catch (error) {
      throw new Error(`${fault.name}: ${(error as Error).message}`, { cause: error });
    }
  }

  async #steadyRound(steady: Inbox): Promise<void> {
    const { refused } = this.totals;
    await underLoad(steady, () => pause(STEADY_TIME));
    if (this.totals.refused !== refused) throw new Error('A delivery was refused, and nothing had failed.');
    await steady.drain();
    const usage = steady.receiver.usage();
    if (usage !== undefined) this.usages.push(usage);
  }

  async #newInbox(): Promise<Inbox> {
    this.#inboxes += 1;
    const database = await this.postgres?.createDatabase();
    return new Inbox(join(this.folder, String(this.#inboxes)), this.totals, database);
  }
}

/** Sends deliveries to an inbox until something is over. */
async function underLoad(inbox: Inbox, run: (load: Load) => Promise<unknown>): Promise<void> {
  const load = new Load(inbox);
  load.start();
  try {
    await run(load);
  } finally {
    await load.stop();
  }
}

/** What grew without bound; undefined if nothing did. */
function leakOf(usages: readonly Usage[]): string | undefined {
  const quarter = Math.floor(usages.length / 4);
  if (quarter === 0) return undefined;
  for (const what of ['memory', 'descriptors'] as const) {
    const values = usages.map((usage) => usage[what]);
    const before = median(values.slice(quarter, 2 * quarter));
    const after = median(values.slice(-quarter));
    if (after > before + MAX_GROWTH[what])
      return `${what} grew from ${before} (median of the second quarter) to ${after} (of the last)`;
  }
  return undefined;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
