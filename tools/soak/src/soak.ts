import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Failure } from './failure.js';
import type { Fault } from './faults/fault.js';
import { Totals } from './ledger.js';
import { Load } from './load.js';
import { MAX_MORE_DESCRIPTORS, Measurements } from './measurements.js';
import type { Random } from './random.js';
import { Subject } from './subject.js';

/** After so many rounds, an inbox is verified for the last time and a new one takes its place. */
const ROUNDS_PER_INBOX = 12;

/** How long the receiver may take to close the connections of peers that have gone, in milliseconds. */
const CLOSING_TIMEOUT = 5_000;

/** How a soak runs. */
export interface SoakOptions {
  /** For its inboxes. */
  readonly folder: string;
  readonly random: Random;
  /** The faults that happen, by family. */
  readonly families: readonly (readonly Fault[])[];
  /** The library that reports writes; undefined if it can't be compiled, and then there are no power cuts. */
  readonly diskJournal: string | undefined;
}

/** The receiver that goes on until the end, and what is measured of it. */
export interface Steady {
  readonly subject: Subject;
  readonly measurements: Measurements;
  /** What it had before its first delivery. */
  readonly descriptors: number;
}

/** Rounds of deliveries, each with a fault and a verification after it. */
export class Soak {
  readonly totals = new Totals();
  /** Undefined until it has started. */
  steady: Steady | undefined;
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
   * Goes on until it is told to stop, and then handles and verifies what is left.
   *
   * @throws Failure if the receiver broke a promise
   */
  async run(goesOn: () => boolean): Promise<void> {
    const steady = await this.#startSteady();
    this.steady = steady;
    const { subject, measurements } = steady;
    const sampling = setInterval(() => measurements.sample(subject.receiver.usage()), 1_000);
    try {
      while (goesOn()) await this.#round(this.#draw(), steady);
      this.current = 'the end';
      if (this.#fragile !== undefined) await this.#finish(this.#fragile);
      await this.#finish(subject);
    } finally {
      clearInterval(sampling);
    }
    const [leak] = measurements.leaks();
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

  async #round(fault: Fault, steady: Steady): Promise<void> {
    this.current = fault.name;
    const random = this.#options.random.fork();
    if (fault.on === 'steady') await this.#roundOfSteady(fault, steady, random);
    else await this.#roundOfFragile(fault, random);
    this.rounds.set(fault.name, this.rounds.get(fault.name)! + 1);
  }

  async #roundOfSteady(fault: Fault, steady: Steady, random: Random): Promise<void> {
    const { subject, measurements } = steady;
    const { unknown } = this.totals;
    await this.#sendDuring(fault, subject, random, measurements.addLatency);
    if (this.totals.unknown !== unknown) throw new Failure('A connection ended without a response.');
    await subject.drain();
    subject.settle();
    await this.#measure(steady);
  }

  async #roundOfFragile(fault: Fault, random: Random): Promise<void> {
    const subject =
      fault.on === 'new' ? this.#newSubject(this.#options.diskJournal) : await this.#fragileSubject();
    await this.#sendDuring(fault, subject, random);
    if (fault.mayStoreRefused) subject.ledger.excuseRefused();
    subject.verify(false);
    if (fault.on === 'new') await this.#finish(subject);
  }

  async #sendDuring(
    fault: Fault,
    subject: Subject,
    random: Random,
    onLatency?: (milliseconds: number) => void,
  ): Promise<void> {
    const before = new Map(this.totals.refused);
    const load = new Load(subject, random.fork(), onLatency);
    load.start();
    try {
      await fault.happen({ subject, load, random });
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
      await this.#finish(this.#fragile);
      this.#fragile = undefined;
    }
    if (this.#fragile === undefined) {
      this.#fragile = this.#newSubject(this.#options.diskJournal);
      this.#fragileRounds = 0;
    }
    this.#fragileRounds += 1;
    if (!this.#fragile.isRunning) await this.#fragile.start();
    return this.#fragile;
  }

  async #startSteady(): Promise<Steady> {
    const subject = this.#newSubject(undefined);
    await subject.start();
    const descriptors = subject.receiver.usage()?.descriptors ?? NaN;
    return { subject, measurements: new Measurements(), descriptors };
  }

  /** @param diskJournal undefined if its power is never cut */
  #newSubject(diskJournal: string | undefined): Subject {
    this.#inboxes += 1;
    const folder = join(this.#options.folder, String(this.#inboxes));
    return new Subject({ folder, totals: this.totals, diskJournal });
  }

  /** Lets everything be handled, stops the receiver in order, and verifies the inbox for the last time. */
  async #finish(subject: Subject): Promise<void> {
    if (!subject.isRunning) await subject.start();
    await subject.drain();
    await subject.stop();
    subject.settle();
    subject.remove();
  }

  /** Measures a receiver once its senders have gone. */
  async #measure({ subject: { receiver }, measurements, descriptors }: Steady): Promise<void> {
    const most = descriptors + MAX_MORE_DESCRIPTORS;
    const deadline = Date.now() + CLOSING_TIMEOUT;
    let usage = receiver.usage();
    while (usage !== undefined && usage.descriptors > most) {
      if (Date.now() > deadline)
        throw new Failure(
          `The receiver has ${usage.descriptors} descriptors when nobody is connected, and had ${descriptors} at its start.`,
        );
      await pause(50);
      usage = receiver.usage();
    }
    measurements.add(usage);
  }
}
