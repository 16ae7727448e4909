import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Disk } from './disk.js';
import { Failure } from './failure.js';
import { countInState, readInbox, type StoredDelivery } from './inbox.js';
import { Ledger, type Totals } from './ledger.js';
import { randomCut } from './power-cut.js';
import type { Random } from './random.js';
import { Receiver } from './receiver.js';

/** A delivery is parked after this many failures. Fewer than the default, so that poison is parked within a round. */
const MAX_ATTEMPTS = 3;

const SETTINGS = {
  LOG_LEVEL: 'debug',
  HANDLER_MAX_ATTEMPTS: String(MAX_ATTEMPTS),
  // A handler that blocks ends the receiver a second later.
  HANDLER_TIMEOUT_MS: '3000',
  HANDLER_BACKOFF_MS: '50',
  HANDLER_MAX_BACKOFF_MS: '500',
};

/** How long the handler may take for everything that waits, in milliseconds. */
const DRAIN_TIMEOUT = 60_000;

/** How many starts a poison delivery may need until it is parked. */
const MAX_STARTS = MAX_ATTEMPTS + 3;

/** How an inbox is used. */
export interface SubjectOptions {
  readonly folder: string;
  readonly totals: Totals;
  /** The library that reports writes; without it there are no power cuts. */
  readonly diskJournal: string | undefined;
}

/** One process of the receiver in the life of an inbox. */
interface Run {
  readonly receiver: Receiver;
  readonly handledFile: string;
  /** How much of that file was read. */
  read: number;
  /** Whether what it handled may be handled again: it ended without order, or couldn't write results. */
  mayRepeat: boolean;
  /** Whether a fault ends it. */
  mayEnd: boolean;
}

/** An inbox, the receivers that have it one after the other, and the ledger of what was sent to them. */
export class Subject {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly inbox: string;
  /** How long handled deliveries stay stored, in milliseconds. Undefined if they all do. */
  retention: number | undefined;
  /** The access token that senders use. */
  token = 'arbitrary-first-token';
  readonly #tokensFile: string;
  readonly #options: SubjectOptions;
  readonly #disk: Disk | undefined;
  readonly #runs: Run[] = [];
  /** Up to this id, everything was verified and dropped. */
  #verifiedThrough = 0;

  constructor(options: SubjectOptions) {
    this.#options = options;
    this.folder = options.folder;
    this.inbox = join(this.folder, 'inbox');
    this.#tokensFile = join(this.folder, 'tokens');
    mkdirSync(this.inbox, { recursive: true });
    this.ledger = new Ledger(options.totals);
    this.#disk = options.diskJournal === undefined ? undefined : new Disk(this.inbox);
    this.acceptTokens(this.token);
  }

  get #run(): Run | undefined {
    return this.#runs.at(-1);
  }

  /** The receiver that was started last. */
  get receiver(): Receiver {
    return this.#run!.receiver;
  }

  get port(): number | undefined {
    return this.#run?.receiver.port;
  }

  get isRunning(): boolean {
    return this.#run !== undefined && !this.#run.receiver.hasEnded;
  }

  /** Replaces the file of access tokens in one step. */
  acceptTokens(...tokens: readonly string[]): void {
    writeFileSync(`${this.#tokensFile}.next`, tokens.map((token) => `${token}\n`).join(''));
    renameSync(`${this.#tokensFile}.next`, this.#tokensFile);
  }

  /** Starts a receiver and doesn't wait for it. */
  spawn(maxFileBlocks?: number): Run {
    this.#replay();
    this.ledger.mayRemoveHandled ||= this.retention !== undefined;
    const handledFile = join(this.folder, `handled-${this.#runs.length + 1}`);
    const receiver = new Receiver({
      inbox: this.inbox,
      tokensFile: this.#tokensFile,
      handledFile,
      settings: {
        ...SETTINGS,
        ...(this.retention !== undefined && { RETENTION_MS: String(this.retention) }),
      },
      diskJournal: this.#options.diskJournal,
      maxFileBlocks,
    });
    const run: Run = {
      receiver,
      handledFile,
      read: 0,
      mayRepeat: maxFileBlocks !== undefined,
      mayEnd: false,
    };
    this.#runs.push(run);
    return run;
  }

  /** Starts a receiver and waits until it listens. */
  async start(maxFileBlocks?: number): Promise<void> {
    const { receiver } = this.spawn(maxFileBlocks);
    await receiver.listening();
  }

  /** From now on the handler may end the receiver. */
  expectEnd(): void {
    this.#run!.mayEnd = true;
    this.expectRepeats();
  }

  /** Until the inbox is settled, what was handled may be handled again. */
  expectRepeats(): void {
    this.#run!.mayRepeat = true;
  }

  /** Ends the receiver at once. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.expectEnd();
    this.receiver.signal('SIGKILL');
    await this.receiver.ended();
  }

  /** Stops the receiver in order. */
  async stop(): Promise<void> {
    this.#run!.mayEnd = true;
    this.receiver.signal('SIGTERM');
    const { code, signal } = await this.receiver.ended();
    if (code !== 0)
      throw new Failure(`The receiver ended with ${code ?? signal} after SIGTERM.`, this.receiver.lastLines);
  }

  /** Cuts the power: the receiver ends at once, and the folder of the inbox has what a disk could have kept. */
  async cutPower(random: Random): Promise<void> {
    await this.kill();
    this.#replay();
    const disk = this.#disk!;
    disk.become(disk.stateAfter(randomCut(random)));
  }

  /** Starts the receiver again whenever the handler ends it, until as many deliveries are parked. */
  async superviseUntilParked(parked: number): Promise<void> {
    for (let starts = 0; starts <= MAX_STARTS; starts += 1) {
      if (!this.isRunning) await this.start();
      this.expectEnd();
      const { receiver } = this;
      while (!receiver.hasEnded) {
        if (this.countParked() >= parked) return;
        await pause(100);
      }
      await this.receiver.ended();
    }
    throw new Failure(`A poison delivery isn't parked after ${MAX_STARTS} starts.`, this.receiver.lastLines);
  }

  countParked(): number {
    return countInState(this.inbox, 'parked', this.#verifiedThrough);
  }

  /** Size of the largest file of the inbox, in bytes. */
  largestFile(): number {
    return statSync(join(this.inbox, 'inbox.sqlite')).size;
  }

  /** Waits until nothing waits for the handler. */
  async drain(): Promise<void> {
    const deadline = Date.now() + DRAIN_TIMEOUT;
    while (countInState(this.inbox, 'waiting', this.#verifiedThrough) > 0 && Date.now() < deadline)
      await pause(50);
  }

  /**
   * Compares the inbox with the ledger.
   *
   * @param isDone whether the handler had the time to handle everything
   * @throws Failure
   */
  verify(isDone: boolean): StoredDelivery[] {
    this.checkNotEnded();
    // In this order: what is stored as handled has been handled before.
    const stored = this.isRunning ? readInbox(this.inbox, this.#verifiedThrough) : this.#readCopy();
    this.#readHandled();
    const faults = this.ledger.compare(stored, isDone);
    if (faults.length > 0) throw new Failure(summary(faults), this.#run?.receiver.lastLines);
    return stored;
  }

  /** Compares, and drops what was compared. Everything must have been handled or parked. */
  settle(): void {
    const stored = this.verify(true);
    this.ledger.forget(stored);
    this.#run!.mayRepeat = false;
    this.#verifiedThrough = stored.at(-1)?.id ?? this.#verifiedThrough;
  }

  /** @throws Failure if the receiver ended and no fault did it */
  checkNotEnded(): void {
    const run = this.#run;
    if (run !== undefined && run.receiver.hasEnded && !run.mayEnd)
      throw new Failure('The receiver ended, and nothing had been done to end it.', run.receiver.lastLines);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** What the last receiver wrote is on the disk. It must have ended. */
  #replay(): void {
    if (this.#run !== undefined) this.#disk?.replay(this.receiver.takeJournal());
  }

  /** Reads a copy, so that the next receiver finds the files as the last one left them. */
  #readCopy(): StoredDelivery[] {
    const copy = join(this.folder, 'copy');
    rmSync(copy, { recursive: true, force: true });
    // Of its socket there is no copy.
    cpSync(this.inbox, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    return existsSync(join(copy, 'inbox.sqlite')) ? readInbox(copy, this.#verifiedThrough) : [];
  }

  #readHandled(): void {
    for (const [process, run] of this.#runs.entries()) {
      if (!existsSync(run.handledFile)) continue;
      const text = readFileSync(run.handledFile, 'latin1');
      const end = text.lastIndexOf('\n') + 1;
      const mayRepeat = (earlier: number): boolean =>
        earlier === process
          ? run.mayRepeat
          : this.#runs.slice(earlier, process).some((each) => each.mayRepeat);
      for (const line of text.slice(run.read, end).split('\n')) {
        if (line !== '') this.ledger.handled(Number(line), process, mayRepeat);
      }
      run.read = end;
    }
  }
}

function summary(faults: readonly string[]): string {
  const shown = faults.slice(0, 10).join('\n  ');
  return `${faults.length} deliveries are not as they should be:\n  ${shown}${faults.length > 10 ? '\n  …' : ''}`;
}
