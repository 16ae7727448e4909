import { join } from 'node:path';

import type { Equipment, Fault } from './faults/fault.js';
import { Totals } from './ledger.js';
import { Load } from './load.js';
import type { Random } from './random.js';
import { Failure, type Usage } from './receiver.js';
import { Subject } from './subject.js';

/** After so many rounds, an inbox is verified for the last time and a new one takes its place. */
const ROUNDS_PER_INBOX = 12;

/** By how much the steady receiver may grow from the second quarter of a soak to the last. */
const MAX_GROWTH: Usage = { memory: 64 * 1_048_576, descriptors: 10 };

/** How a soak runs. */
export interface SoakOptions {
  /** For its inboxes. */
  readonly folder: string;
  readonly random: Random;
  /** The faults that happen, by family. */
  readonly families: readonly (readonly Fault[])[];
  /** With a PostgreSQL server, every inbox is a database of it. */
  readonly equipment: Equipment;
}

/** Rounds of deliveries, each with a fault and a verification after it. */
export class Soak {
  readonly totals = new Totals();
  /** What the steady receiver used after each of its rounds. Empty on a system without /proc. */
  readonly usages: Usage[] = [];
  /** How often each fault happened. */
  readonly rounds = new Map<string, number>();
  /** The fault of the current round. */
  current = '';
  readonly #began = performance.now();
  readonly #options: SoakOptions;
  /** The faults that are still to happen before each of them happens again. */
  #next: Fault[] = [];
  #inboxes = 0;
  #fragile: Subject | undefined;
  #fragileRounds = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    for (const { name } of options.families.flat()) this.rounds.set(name, 0);
  }

  /** How long it has been running. */
  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }

  /** How many rounds are over. */
  get count(): number {
    return Array.from(this.rounds.values()).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Goes on until it is told to stop.
   *
   * @throws Failure if the receiver broke a promise
   */
  async run(goesOn: () => boolean): Promise<void> {
    const steady = await this.#newSubject();
    await steady.start();
    while (goesOn()) await this.#round(this.#draw(), steady);
    this.current = 'the end';
    if (this.#fragile !== undefined) await finish(this.#fragile);
    await finish(steady);
    const leak = leakOf(this.usages);
    if (leak !== undefined) throw new Failure(leak);
  }

  /** Each fault once in random order, then again. First comes one of each family, so that a short soak has them all. */
  #draw(): Fault {
    if (this.#next.length === 0) {
      const { random, families } = this.#options;
      const shuffled = random.shuffle(families.map((family) => random.shuffle(family)));
      const longest = Math.max(...shuffled.map(({ length }) => length));
      const turns = Array.from({ length: longest }, (_, turn) =>
        shuffled.flatMap((family) => family[turn] ?? []),
      );
      this.#next = turns.flat();
    }
    return this.#next.shift()!;
  }

  async #round(fault: Fault, steady: Subject): Promise<void> {
    this.current = fault.name;
    if (fault.on === 'steady') {
      const { unknown } = this.totals;
      await this.#sendDuring(fault, steady);
      if (this.totals.unknown !== unknown) throw new Failure('A connection ended without a response.');
      await steady.settle();
      const usage = steady.receiver.usage();
      if (usage !== undefined) this.usages.push(usage);
    } else if (fault.on === 'fragile') {
      const subject = await this.#fragileSubject();
      await this.#sendDuring(fault, subject);
      await subject.verify();
    } else {
      const subject = await this.#newSubject();
      try {
        await this.#sendDuring(fault, subject);
        await finish(subject);
      } finally {
        await subject.undoAll();
      }
    }
    this.rounds.set(fault.name, this.rounds.get(fault.name)! + 1);
  }

  async #sendDuring(fault: Fault, subject: Subject): Promise<void> {
    const before = new Map(this.totals.refused);
    const random = this.#options.random.fork();
    const load = new Load(subject, random.fork());
    load.start();
    try {
      await fault.happen({ subject, load, random, equipment: this.#options.equipment });
      if (!subject.isRunning && fault.on !== 'steady') await subject.start();
    } finally {
      await load.stop();
    }
    subject.checkNotEnded();
    const allowed = fault.refusesWith ?? (fault.on === 'steady' ? undefined : 503);
    for (const [status, count] of this.totals.refused) {
      if (status !== allowed && count > (before.get(status) ?? 0))
        throw new Failure(`A delivery was refused with ${status}.`, subject.receiver.lastLines);
    }
  }

  async #fragileSubject(): Promise<Subject> {
    if (this.#fragile !== undefined && this.#fragileRounds === ROUNDS_PER_INBOX) {
      await finish(this.#fragile);
      this.#fragile = undefined;
    }
    if (this.#fragile === undefined) {
      this.#fragile = await this.#newSubject();
      await this.#fragile.start();
      this.#fragileRounds = 0;
    }
    this.#fragileRounds += 1;
    return this.#fragile;
  }

  async #newSubject(): Promise<Subject> {
    this.#inboxes += 1;
    const { folder, equipment } = this.#options;
    const database = await equipment.postgres?.createDatabase();
    return new Subject(join(folder, String(this.#inboxes)), this.totals, database);
  }
}

/** Lets everything be handled, verifies the inbox for the last time, and stops the receiver in order. */
async function finish(subject: Subject): Promise<void> {
  await subject.settle();
  await subject.remove();
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
