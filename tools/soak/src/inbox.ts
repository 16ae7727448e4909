import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Ledger, type StoredDelivery, type Totals } from './ledger.js';
import { Operations } from './operations.js';
import { Receiver } from './receiver.js';

const HANDLER = fileURLToPath(new URL('../handler.mjs', import.meta.url));

const SETTINGS = {
  // Fewer than the default, so that what fails is parked within a round.
  HANDLER_MAX_ATTEMPTS: '3',
  HANDLER_BACKOFF_MS: '50',
  HANDLER_MAX_BACKOFF_MS: '500',
};

/** How long the handler may take for everything that waits, in milliseconds. */
const DRAIN_TIMEOUT = 60_000;

/** An inbox, the receivers that have it one after the other, and the ledger of what was sent to them. */
export class Inbox {
  readonly accessToken = 'arbitrary-token';
  readonly ledger: Ledger;
  readonly #handledFile: string;
  #receiver: Receiver | undefined;

  /**
   * @param folder for its files: an embedded inbox, the log, what was handled
   * @param url the INBOX_URL of its receivers
   */
  constructor(
    readonly folder: string,
    totals: Totals,
    private readonly url = `file:${join(folder, 'inbox')}`,
  ) {
    mkdirSync(folder);
    this.ledger = new Ledger(totals);
    this.#handledFile = join(folder, 'handled');
  }

  /** The receiver that was started last. */
  get receiver(): Receiver {
    return this.#receiver!;
  }

  /** Where deliveries go; undefined while nobody listens. */
  get deliveryUrl(): string | undefined {
    return this.#receiver?.url;
  }

  get operations(): Operations {
    return new Operations(this.receiver.operationsUrl!);
  }

  /**
   * Starts a receiver and doesn't wait for it.
   *
   * @param maxFileBlocks the largest file that it may write, in blocks of 512 bytes
   */
  spawn(settings: Readonly<Record<string, string>> = {}, maxFileBlocks?: number): void {
    const own = { INBOX_URL: this.url, ACCESS_TOKENS: this.accessToken };
    const handling = { HANDLER, SOAK_HANDLED: this.#handledFile };
    const environment = { ...own, ...handling, ...SETTINGS, ...settings };
    this.#receiver = new Receiver(environment, join(this.folder, 'log'), maxFileBlocks);
  }

  /** Starts a receiver and waits until it listens. */
  async start(...how: Parameters<Inbox['spawn']>): Promise<void> {
    this.spawn(...how);
    await this.receiver.listening();
  }

  /** Ends the receiver at once. */
  async kill(): Promise<void> {
    this.ledger.mayRepeat = true;
    this.ledger.totals.kills += 1;
    await this.receiver.end('SIGKILL');
  }

  /** Stops the receiver in order. */
  async stop(): Promise<void> {
    const exit = await this.receiver.end('SIGTERM');
    if (exit !== 0) throw new Error(`The receiver ended with ${exit} after SIGTERM.`);
  }

  /** Waits until everything is handled or parked, for a limited time: what isn't then is a fault in the ledger. */
  async drain(): Promise<void> {
    const deadline = Date.now() + DRAIN_TIMEOUT;
    while (Date.now() < deadline) {
      if (this.receiver.hasEnded) throw new Error('The receiver ended, and nothing had been done to end it.');
      // The database may be starting.
      if ((await this.operations.unhandled().catch(() => Infinity)) === 0) return;
      await pause(50);
    }
  }

  /**
   * Waits until everything is handled or parked, compares the inbox with the ledger, ends the receiver in order, and
   * removes the files.
   *
   * @throws if they differ
   */
  async finish(): Promise<void> {
    await this.drain();
    const stored: StoredDelivery[] = [];
    for await (const delivery of this.operations.read()) stored.push(delivery);
    const handled = existsSync(this.#handledFile) ? readFileSync(this.#handledFile, 'latin1') : '';
    for (const line of handled.split('\n').slice(0, -1)) this.ledger.handled(Number(line));
    const faults = this.ledger.compare(stored);
    if (faults.length > 0) throw new Error(`${faults.length} faults:\n  ${faults.slice(0, 10).join('\n  ')}`);
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }
}
