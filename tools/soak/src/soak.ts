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
  /** Those that happen. */
  readonly faults: readonly Fault[];
  /** The library that reports writes; undefined if it can't be compiled, and then there are no power cuts. */
  readonly diskJournal: string | undefined;
}

/** Rounds of deliveries, each with a fault and a verification after it. */
export class Soak {
  readonly totals = new Totals();
  readonly measurements = new Measurements();
  /** How often each fault happened. */
  readonly rounds = new Map<string, number>();
  /** The fault of the current round. */
  current = '';
  readonly #options: SoakOptions;
  /** The faults that are still to happen before each of them happens again. */
  #next: Fault[] = [];
  #inboxes = 0;
  #steady: Subject | undefined;
  #fragile: Subject | undefined;
  #fragileRounds = 0;
  /** What the steady receiver had before its first delivery. */
  #descriptors = NaN;

  constructor(options: SoakOptions) {
    this.#options = options;
    for (const { name } of options.faults) this.rounds.set(name, 0);
  }

  get count(): number {
    return Array.from(this.rounds.values()).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Goes on until it is told to stop, and then handles and verifies what is left.
   *
   * @throws Failure if the receiver broke a promise
   */
  async run(goesOn: () => boolean): Promise<void> {
    this.#steady = this.#newSubject(false);
    await this.#steady.start();
    this.#descriptors = this.#steady.receiver.usage()?.descriptors ?? NaN;
    const sampling = setInterval(() => this.measurements.sample(this.#steady?.receiver.usage()), 1_000);
    try {
      while (goesOn()) await this.#round(this.#draw());
      this.current = 'the end';
      if (this.#fragile !== undefined) await this.#finish(this.#fragile);
      await this.#finish(this.#steady);
    } finally {
      clearInterval(sampling);
    }
    const [leak] = this.measurements.leaks();
    if (leak !== undefined) throw new Failure(leak);
  }

  #draw(): Fault {
    if (this.#next.length === 0) this.#next = this.#options.random.shuffle(this.#options.faults);
    return this.#next.pop()!;
  }

  async #round(fault: Fault): Promise<void> {
    this.current = fault.name;
    const random = this.#options.random.fork();
    const subject = await this.#subjectFor(fault);
    const refused = new Map(this.totals.refused);
    const { unknown } = this.totals;
    const isSteady = fault.on === 'steady';
    const load = new Load(subject, random.fork(), isSteady ? this.measurements.addLatency : undefined);
    load.start();
    try {
      await fault.happen({ subject, load, random });
      if (!subject.isRunning) await subject.start();
    } finally {
      await load.stop();
    }
    subject.checkNotEnded();
    this.#checkRefused(refused, isSteady ? 401 : 503);
    if (isSteady) {
      if (this.totals.unknown !== unknown) throw new Failure('A connection ended without a response.');
      await subject.drain();
      subject.settle();
      await this.#measure(subject);
    } else {
      subject.verify(false);
      if (fault.on === 'new') await this.#finish(subject);
    }
    this.rounds.set(fault.name, this.rounds.get(fault.name)! + 1);
  }

  async #subjectFor({ on }: Fault): Promise<Subject> {
    if (on === 'steady') return this.#steady!;
    if (on === 'new') return this.#newSubject();
    if (this.#fragile !== undefined && this.#fragileRounds === ROUNDS_PER_INBOX) {
      await this.#finish(this.#fragile);
      this.#fragile = undefined;
    }
    if (this.#fragile === undefined) {
      this.#fragile = this.#newSubject();
      this.#fragileRounds = 0;
    }
    this.#fragileRounds += 1;
    if (!this.#fragile.isRunning) await this.#fragile.start();
    return this.#fragile;
  }

  #newSubject(mayCutPower = true): Subject {
    this.#inboxes += 1;
    const folder = join(this.#options.folder, String(this.#inboxes));
    return new Subject(folder, this.totals, mayCutPower ? this.#options.diskJournal : undefined);
  }

  /** Lets everything be handled, stops the receiver in order, and verifies the inbox for the last time. */
  async #finish(subject: Subject): Promise<void> {
    if (!subject.isRunning) await subject.start();
    await subject.drain();
    await subject.stop();
    subject.settle();
    subject.remove();
  }

  #checkRefused(before: ReadonlyMap<number, number>, allowed: number): void {
    for (const [status, count] of this.totals.refused) {
      if (status !== allowed && count > (before.get(status) ?? 0))
        throw new Failure(`A delivery with an accepted token was refused with ${status}.`);
    }
  }

  /** Measures the receiver once its senders have gone. */
  async #measure({ receiver }: Subject): Promise<void> {
    const most = this.#descriptors + MAX_MORE_DESCRIPTORS;
    const deadline = Date.now() + CLOSING_TIMEOUT;
    let usage = receiver.usage();
    while (usage !== undefined && usage.descriptors > most) {
      if (Date.now() > deadline)
        throw new Failure(
          `The receiver has ${usage.descriptors} descriptors when nobody is connected, and had ${this.#descriptors} at its start.`,
        );
      await pause(50);
      usage = receiver.usage();
    }
    this.measurements.add(usage);
  }
}
