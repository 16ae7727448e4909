import { digestOf, type Fate, isPoison, makeContent, sequenceOf } from './content.js';
import type { StoredDelivery } from './inbox.js';

/**
 * What the sender knows of a delivery.
 *
 * - `incomplete`: it was never sent whole, so it must not be stored
 * - `unknown`: it was sent whole, and no whole response came; it may be stored
 * - `acknowledged`: a 2xx came, so it must be stored
 * - `refused`: another status came, so it must not be stored
 */
type Outcome = 'incomplete' | 'unknown' | 'acknowledged' | 'refused';

interface Entry {
  readonly digest: string;
  readonly fate: Fate;
  outcome: Outcome;
  /** The last process whose handler succeeded on it. */
  handledBy: number | undefined;
  /** Whether an operator may have discarded it. */
  mayBeDiscarded: boolean;
}

/** A delivery as it is sent. */
export interface Sending {
  readonly sequence: number;
  readonly content: Buffer;
}

/** What was counted over the whole soak, in all ledgers. */
export class Totals {
  acknowledged = 0;
  unknown = 0;
  readonly refused = new Map<number, number>();
  lost = 0;
  changed = 0;
  unexpected = 0;
  handled = 0;
  handledAgain = 0;
  parked = 0;
}

/** The errors with which decision 015 parks a delivery that was cut off too often. */
const CUT_OFF = /process (has )?ended/;

/** The sender's side: what was sent to one inbox, and what is known of it. */
export class Ledger {
  readonly totals: Totals;
  /** Whether the retention may have deleted what was handled. */
  mayRemoveHandled = false;
  readonly #entries = new Map<number, Entry>();
  readonly #faults: string[] = [];
  #lastSequence = 0;

  constructor(totals: Totals) {
    this.totals = totals;
  }

  /** Makes a delivery with content of its own. It is incomplete until `sent` is called. */
  begin(fate: Fate, bytes: number): Sending {
    const sequence = ++this.#lastSequence;
    const content = makeContent(sequence, fate, bytes);
    const digest = digestOf(content);
    this.#entries.set(sequence, {
      digest,
      fate,
      outcome: 'incomplete',
      handledBy: undefined,
      mayBeDiscarded: false,
    });
    return { sequence, content };
  }

  /** Its last byte is about to be written. */
  sent({ sequence }: Sending): void {
    this.#entries.get(sequence)!.outcome = 'unknown';
    this.totals.unknown += 1;
  }

  /** A whole response came. */
  responded({ sequence }: Sending, status: number): void {
    const entry = this.#entries.get(sequence)!;
    if (entry.outcome === 'unknown') this.totals.unknown -= 1;
    const isAcknowledged = status >= 200 && status < 300;
    if (isAcknowledged && entry.outcome === 'incomplete')
      this.#faults.push(`delivery ${sequence} was acknowledged before it was sent whole`);
    entry.outcome = isAcknowledged ? 'acknowledged' : 'refused';
    if (isAcknowledged) this.totals.acknowledged += 1;
    else this.totals.refused.set(status, (this.totals.refused.get(status) ?? 0) + 1);
  }

  /** What was refused until now may be stored. */
  excuseRefused(): void {
    for (const entry of this.#entries.values()) {
      if (entry.outcome === 'refused') entry.outcome = 'unknown';
    }
  }

  /** An operator is about to discard a delivery with this content. Returns whether it is one that may be discarded. */
  discarding(content: Buffer): boolean {
    const entry = this.#entries.get(sequenceOf(content) ?? NaN);
    if (entry === undefined) return false;
    entry.mayBeDiscarded = true;
    return true;
  }

  /** An operator has read a delivery. */
  exported(id: number, content: Buffer): void {
    const entry = this.#entries.get(sequenceOf(content) ?? NaN);
    if (entry?.digest !== digestOf(content))
      this.report(`delivery ${id} was exported with other bytes than were sent`);
  }

  /** Something is wrong that the next comparison has to say. */
  report(fault: string): void {
    this.#faults.push(fault);
  }

  /**
   * The handler of a process succeeded on a delivery.
   *
   * @param process counts the processes of this inbox
   * @param mayRepeat whether what this process handled may be handled again: something crashed since then
   */
  handled(sequence: number, process: number, mayRepeat: (earlier: number) => boolean): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) {
      this.#faults.push(`the handler got delivery ${sequence}, which was never sent or was handled long ago`);
      return;
    }
    if (entry.handledBy === undefined) this.totals.handled += 1;
    else {
      this.totals.handledAgain += 1;
      if (!mayRepeat(entry.handledBy))
        this.#faults.push(`delivery ${sequence} was handled again although nothing had crashed`);
    }
    entry.handledBy = process;
  }

  /**
   * Compares the inbox with what was sent.
   *
   * @param isDone whether the handler had the time to handle everything
   * @returns what is wrong, a line each; nothing if the receiver kept its promises
   */
  compare(stored: readonly StoredDelivery[], isDone: boolean): string[] {
    const faults = this.#faults.splice(0);
    const found = new Set<number>();
    const discarded = Array.from(this.#entries.values()).filter(
      ({ mayBeDiscarded }) => mayBeDiscarded,
    ).length;
    const stillStored = stored.filter(({ state }) => state !== 'discarded');
    if (stored.length - stillStored.length > discarded)
      faults.push('more deliveries are discarded than an operator chose');
    for (const delivery of stillStored) {
      const sequence = sequenceOf(delivery.content);
      const entry = sequence === undefined ? undefined : this.#entries.get(sequence);
      const name = `delivery ${sequence ?? '?'} (id ${delivery.id})`;
      if (sequence === undefined || entry === undefined) {
        this.totals.unexpected += 1;
        faults.push(`${name} is stored and was never sent`);
      } else if (digestOf(delivery.content) !== entry.digest) {
        this.totals.changed += 1;
        faults.push(`${name} is stored with other bytes than were sent`);
        found.add(sequence);
      } else {
        faults.push(
          ...this.#faultsOf(delivery, entry, found.has(sequence), isDone).map((fault) => `${name} ${fault}`),
        );
        found.add(sequence);
      }
    }
    for (const [sequence, { outcome, handledBy, mayBeDiscarded }] of this.#entries) {
      const mayBeRemoved = this.mayRemoveHandled && handledBy !== undefined;
      if (found.has(sequence) || mayBeDiscarded || mayBeRemoved) continue;
      if (outcome === 'acknowledged') {
        this.totals.lost += 1;
        faults.push(`delivery ${sequence} was acknowledged and is lost`);
      } else if (handledBy !== undefined) faults.push(`delivery ${sequence} was handled and isn't stored`);
    }
    return faults;
  }

  /** Drops what was compared, so that memory doesn't grow with the number of deliveries. */
  forget(stored: readonly StoredDelivery[]): void {
    this.totals.parked += stored.filter(({ state }) => state === 'parked').length;
    this.#entries.clear();
  }

  #faultsOf({ state, error }: StoredDelivery, entry: Entry, isTwice: boolean, isDone: boolean): string[] {
    const faults: string[] = [];
    if (entry.outcome === 'refused' || entry.outcome === 'incomplete') {
      this.totals.unexpected += 1;
      faults.push(`is stored though it was ${entry.outcome === 'refused' ? 'refused' : 'never sent whole'}`);
    }
    if (isTwice) {
      this.totals.unexpected += 1;
      faults.push('is stored twice');
    }
    if (state === 'handled' && entry.handledBy === undefined) faults.push('is marked as handled and was not');
    if (state === 'parked' && !isPoison(entry.fate) && !CUT_OFF.test(error ?? ''))
      faults.push(`is parked though its handler succeeds: ${error}`);
    if (state === 'waiting' && isDone) faults.push('waits, though the handler had the time');
    return faults;
  }
}
