import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Ledger, type StoredDelivery, type Totals } from './ledger.js';
import { Operations } from './operations.js';
import { type Exit, Failure, Receiver } from './receiver.js';

const SETTINGS = {
  LOG_LEVEL: 'debug',
  // Fewer than the default, so that poison is parked within a round.
  HANDLER_MAX_ATTEMPTS: '3',
  // A handler that blocks ends the receiver a second later.
  HANDLER_TIMEOUT_MS: '3000',
  HANDLER_BACKOFF_MS: '50',
  HANDLER_MAX_BACKOFF_MS: '500',
};

/** How long the handler may take for everything that waits, in milliseconds. */
const DRAIN_TIMEOUT = 60_000;

/** How a receiver is started. */
export interface StartOptions {
  /** The largest file that it may write, in blocks of 512 bytes. */
  readonly maxFileBlocks?: number;
  readonly settings?: Readonly<Record<string, string>>;
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
  /** How long handled deliveries stay stored, in milliseconds. Undefined if they all do. */
  retention: number | undefined;
  /** Whether the handler may end each receiver, until everything is handled or parked. */
  handlerEnds = false;
  /** The access token that senders use. */
  token = 'arbitrary-first-token';
  readonly #tokensFile: string;
  readonly #runs: Run[] = [];
  readonly #undos: (() => unknown)[] = [];
  /** Up to this id, everything was verified and dropped. */
  #forgottenThrough = 0;

  /**
   * @param folder for its files, such as an embedded inbox
   * @param inboxUrl the INBOX_URL of its receivers
   */
  constructor(
    readonly folder: string,
    totals: Totals,
    public inboxUrl = `file:${join(folder, 'inbox')}`,
  ) {
    this.#tokensFile = join(folder, 'tokens');
    mkdirSync(folder, { recursive: true });
    this.ledger = new Ledger(totals);
    this.acceptTokens(this.token);
  }

  get #run(): Run | undefined {
    return this.#runs.at(-1);
  }

  /** The receiver that was started last. */
  get receiver(): Receiver {
    return this.#run!.receiver;
  }

  get operations(): Operations {
    return new Operations(this.receiver.operationsUrl!);
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
  spawn({ maxFileBlocks, settings }: StartOptions = {}): Receiver {
    const handledFile = join(this.folder, `handled-${this.#runs.length + 1}`);
    const receiver = new Receiver({
      inboxUrl: this.inboxUrl,
      tokensFile: this.#tokensFile,
      handledFile,
      settings: {
        ...SETTINGS,
        ...(this.retention !== undefined && { RETENTION_MS: String(this.retention) }),
        ...settings,
      },
      maxFileBlocks,
    });
    const mayEnd = this.handlerEnds;
    this.#runs.push({ receiver, handledFile, read: 0, mayRepeat: mayEnd, mayEnd });
    return receiver;
  }

  /** Starts a receiver and waits until it listens. */
  async start(options?: StartOptions): Promise<void> {
    await this.spawn(options).listening();
  }

  /** From now on a fault may end the receiver. */
  expectEnd(): void {
    this.#run!.mayEnd = true;
    this.expectRepeats();
  }

  /** What this receiver handled, and will handle, may be handled again. */
  expectRepeats(): void {
    this.#run!.mayRepeat = true;
  }

  /** Ends the receiver at once, if it hasn't ended. */
  async kill(): Promise<Exit> {
    this.expectEnd();
    this.ledger.totals.kills += 1;
    this.receiver.signal('SIGKILL');
    return this.receiver.ended();
  }

  /** Stops the receiver in order. */
  async stop(): Promise<void> {
    this.#run!.mayEnd = true;
    this.receiver.signal('SIGTERM');
    const { code, signal } = await this.receiver.ended();
    if (code !== 0)
      throw new Failure(`The receiver ended with ${code ?? signal} after SIGTERM.`, this.receiver.lastLines);
  }

  /**
   * Waits until everything is handled or parked, and compares the inbox with the ledger. A receiver that a fault has
   * ended is started again.
   *
   * @returns what is stored and was not verified and forgotten before
   * @throws Failure
   */
  async verify(): Promise<StoredDelivery[]> {
    const deadline = Date.now() + DRAIN_TIMEOUT;
    while ((await this.#unhandled()) > 0 && Date.now() < deadline) await pause(50);
    const stored: StoredDelivery[] = [];
    for await (const delivery of this.operations.read(this.#forgottenThrough)) stored.push(delivery);
    this.handlerEnds = false;
    this.#readHandled();
    const faults = this.ledger.compare(stored);
    if (faults.length > 0) throw new Failure(summary(faults), this.receiver.lastLines);
    return stored;
  }

  /** Verifies, and drops what was verified. */
  async settle(): Promise<void> {
    const stored = await this.verify();
    this.ledger.forget(stored);
    this.#run!.mayRepeat = false;
    this.#forgottenThrough = stored.at(-1)?.id ?? this.#forgottenThrough;
  }

  /** @throws Failure if the receiver ended and no fault did it */
  checkNotEnded(): void {
    const run = this.#run;
    if (run !== undefined && run.receiver.hasEnded && !run.mayEnd)
      throw new Failure('The receiver ended, and nothing had been done to end it.', run.receiver.lastLines);
  }

  /** Undoes something when the subject is no longer used. */
  cleanUp = (undo: () => unknown): void => void this.#undos.push(undo);

  async undoAll(): Promise<void> {
    for (const undo of this.#undos.reverse()) await undo();
  }

  /** Ends the receiver in order, and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  async #unhandled(): Promise<number> {
    this.checkNotEnded();
    if (!this.isRunning) await this.start();
    // The receiver may be blocked, about to end, or unable to read its inbox.
    return this.operations.unhandled().catch(() => Infinity);
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
