import { createHash, randomBytes } from 'node:crypto';

/**
 * What the handler does with a delivery. The content says it (handler.mjs).
 *
 * - `handle`, `wait`: succeeds, at once or after up to 20 ms
 * - `fail once`: fails at its first attempt
 * - `fail`: fails at each attempt
 */
export type Fate = 'handle' | 'wait' | 'fail once' | 'fail';

/** The errors of attempts that were cut off. Too many of them park a delivery whose handler would succeed. */
const CUT_OFF = /process (has )?ended/;

interface Entry {
  readonly digest: string;
  readonly fate: Fate;
  /** Whether a 2xx came, so that it must be stored, or have been handled. Without, it may be stored. */
  isAcknowledged: boolean;
  /** Whether the handler has succeeded on it. */
  isHandled: boolean;
  /** Whether an operator may have discarded it. */
  mayBeDiscarded: boolean;
}

/** A delivery as it is sent. */
export interface Sending {
  readonly sequence: number;
  readonly content: Buffer<ArrayBuffer>;
}

/** A delivery as the receiver has it. */
export interface StoredDelivery {
  readonly id: number;
  readonly state: 'waiting' | 'running' | 'retrying' | 'handled' | 'parked' | 'discarded';
  readonly error: string | null;
  /** Empty if it was discarded. */
  readonly content: Buffer;
}

/** What was counted over the whole soak, in all ledgers. */
export class Totals {
  /** How often a receiver was ended with SIGKILL. */
  kills = 0;
  acknowledged = 0;
  /** Sent, and no response came. */
  unknown = 0;
  /** Refused with 503. */
  refused = 0;
  lost = 0;
  /** Stored, and never sent like that. */
  invented = 0;
  handled = 0;
  handledAgain = 0;
  parked = 0;
}

/**
 * What was sent to one inbox, and what is known of it. What was acknowledged must be stored or handled, nothing may be
 * invented, and only after a fault may something be handled again.
 */
export class Ledger {
  /** Whether what was handled may be handled again: a receiver was killed, or couldn't store results. */
  mayRepeat = false;
  readonly #entries = new Map<number, Entry>();
  readonly #faults: string[] = [];

  constructor(readonly totals: Totals) {}

  /** Makes a delivery with content that no other one has. */
  begin(fate: Fate, bytes: number): Sending {
    const sequence = this.#entries.size + 1;
    const content = Buffer.concat([Buffer.from(`${sequence} ${fate}\n`), randomBytes(bytes)]);
    const entry = { digest: digestOf(content), fate };
    this.#entries.set(sequence, { ...entry, isAcknowledged: false, isHandled: false, mayBeDiscarded: false });
    return { sequence, content };
  }

  /** @param status undefined if no response came */
  responded({ sequence }: Sending, status: number | undefined): void {
    const { totals } = this;
    if (status === undefined) totals.unknown += 1;
    else if (status === 503) totals.refused += 1;
    else if (status < 200 || status >= 300) this.report(`delivery ${sequence} was refused with ${status}`);
    else {
      totals.acknowledged += 1;
      this.#entries.get(sequence)!.isAcknowledged = true;
    }
  }

  /** An operator is about to discard a delivery with this content. */
  discarding(content: Buffer): void {
    const entry = this.#entryOf(content);
    if (entry !== undefined) entry.mayBeDiscarded = true;
  }

  /** Something is wrong that the comparison has to say. */
  report(fault: string): void {
    this.#faults.push(fault);
  }

  /** The handler succeeded on a delivery. */
  handled(sequence: number): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) this.report(`the handler got delivery ${sequence}, which was never sent`);
    else if (!entry.isHandled) this.totals.handled += 1;
    else {
      this.totals.handledAgain += 1;
      if (!this.mayRepeat) this.report(`delivery ${sequence} was handled again although nothing had failed`);
    }
    if (entry !== undefined) entry.isHandled = true;
  }

  /**
   * Compares the inbox with what was sent. The handler must have had the time to handle everything.
   *
   * @returns what is wrong, a line each; nothing if the receiver kept its promises
   */
  compare(stored: readonly StoredDelivery[]): string[] {
    const faults = [...this.#faults];
    const found = new Set<number>();
    for (const delivery of stored.filter(({ state }) => state !== 'discarded')) {
      const sequence = sequenceOf(delivery.content);
      const fault = this.#faultOf(delivery, found.has(sequence));
      if (fault !== undefined) faults.push(`delivery ${sequence} (id ${delivery.id}) ${fault}`);
      if (delivery.state === 'parked') this.totals.parked += 1;
      found.add(sequence);
    }
    for (const [sequence, { isAcknowledged, isHandled, mayBeDiscarded }] of this.#entries) {
      if (!isAcknowledged || isHandled || mayBeDiscarded || found.has(sequence)) continue;
      this.totals.lost += 1;
      faults.push(`delivery ${sequence} was acknowledged and is lost`);
    }
    return faults;
  }

  #faultOf({ state, error, content }: StoredDelivery, isTwice: boolean): string | undefined {
    const entry = this.#entryOf(content);
    const isChanged = entry?.digest !== digestOf(content);
    if (entry === undefined || isChanged || isTwice) {
      this.totals.invented += 1;
      if (entry === undefined) return 'is stored and was never sent';
      return isChanged ? 'is stored with other bytes than were sent' : 'is stored twice';
    }
    if (['waiting', 'running', 'retrying'].includes(state))
      return `is ${state}, though the handler had the time`;
    if (state === 'handled' && !entry.isHandled) return 'is marked as handled and was not';
    if (state === 'parked' && entry.fate !== 'fail' && !CUT_OFF.test(error ?? ''))
      return `is parked though its handler succeeds: ${error}`;
    return undefined;
  }

  #entryOf(content: Buffer): Entry | undefined {
    return this.#entries.get(sequenceOf(content));
  }
}

/** The number in the first line of a content; NaN if no ledger made it. */
const sequenceOf = (content: Buffer): number =>
  Number(/^(\d+) [a-z ]+\n/.exec(content.toString('latin1', 0, 40))?.[1]);

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
