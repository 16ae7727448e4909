import { createHash, randomBytes } from 'node:crypto';

/**
 * What the handler does with a delivery. The content says it (handler.mjs).
 *
 * - `handle`, `wait`: succeeds, at once or after up to 20 ms
 * - `fail once`: fails at its first attempt
 * - `reject`: succeeds, and leaves behind a promise that rejects
 * - `fail`, `change`: fails at each attempt; `change` first changes the delivery
 * - `exit`, `throw`: ends the process, by `process.exit` or by an exception that nobody catches
 * - `block`: never returns
 */
export type Fate =
  'handle' | 'wait' | 'fail once' | 'reject' | 'fail' | 'change' | 'exit' | 'throw' | 'block';

/** The fates that never succeed. */
const POISON: readonly Fate[] = ['fail', 'change', 'exit', 'throw', 'block'];

/** The errors of attempts that were cut off. Too many of them park a delivery whose handler would succeed. */
const CUT_OFF = /process (has )?ended/;

/**
 * What the sender knows of a delivery.
 *
 * - `incomplete`: it was never sent whole, so it must not be stored
 * - `unknown`: no whole response came, or 503; it may be stored
 * - `acknowledged`: a 2xx came, so it must be stored, or have been handled
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
  /** The connection was cut before a response came. */
  unknown = 0;
  readonly refused = new Map<number, number>();
  lost = 0;
  /** Stored or handled, and never sent like that. */
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
  readonly #entries = new Map<number, Entry>();
  readonly #faults: string[] = [];
  #lastSequence = 0;

  constructor(readonly totals: Totals) {}

  /** Makes a delivery with content that no other one has. It is incomplete until `sent` is called. */
  begin(fate: Fate, bytes: number): Sending {
    const sequence = ++this.#lastSequence;
    const content = Buffer.concat([Buffer.from(`${sequence} ${fate}\n`), randomBytes(bytes)]);
    this.#entries.set(sequence, {
      digest: digestOf(content),
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
    const { totals } = this;
    const isAcknowledged = status >= 200 && status < 300;
    if (entry.outcome === 'unknown') totals.unknown -= 1;
    else if (isAcknowledged) this.report(`delivery ${sequence} was acknowledged before it was sent whole`);
    if (isAcknowledged) totals.acknowledged += 1;
    else totals.refused.set(status, (totals.refused.get(status) ?? 0) + 1);
    if (isAcknowledged) entry.outcome = 'acknowledged';
    else if (status !== 503) entry.outcome = 'refused';
  }

  /** An operator is about to discard a delivery with this content. */
  discarding(content: Buffer): void {
    const entry = this.#entryOf(content);
    if (entry !== undefined) entry.mayBeDiscarded = true;
  }

  /** An operator has read a delivery. */
  exported({ id, content }: StoredDelivery): void {
    if (this.#entryOf(content)?.digest !== digestOf(content))
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
   * @param mayRepeat whether what an earlier process handled may come again: something has failed since then
   */
  handled(sequence: number, process: number, mayRepeat: (earlier: number) => boolean): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) {
      this.report(`the handler got delivery ${sequence}, which was never sent or was handled long ago`);
      return;
    }
    if (entry.handledBy === undefined) this.totals.handled += 1;
    else {
      this.totals.handledAgain += 1;
      if (!mayRepeat(entry.handledBy))
        this.report(`delivery ${sequence} was handled again although nothing had failed`);
    }
    entry.handledBy = process;
  }

  /**
   * Compares the inbox with what was sent. The handler must have had the time to handle everything.
   *
   * @returns what is wrong, a line each; nothing if the receiver kept its promises
   */
  compare(stored: readonly StoredDelivery[]): string[] {
    const faults = this.#faults.splice(0);
    const found = new Set<number>();
    for (const delivery of stored.filter(({ state }) => state !== 'discarded')) {
      const sequence = sequenceOf(delivery.content);
      const fault = this.#faultOf(delivery, found.has(sequence));
      if (fault !== undefined) faults.push(`delivery ${sequence} (id ${delivery.id}) ${fault}`);
      found.add(sequence);
    }
    for (const [sequence, { outcome, handledBy, mayBeDiscarded }] of this.#entries) {
      const isHandled = handledBy !== undefined;
      if (isHandled && (outcome === 'incomplete' || outcome === 'refused')) {
        this.totals.invented += 1;
        faults.push(`delivery ${sequence} was handled, and its outcome was ${outcome}`);
      }
      if (outcome !== 'acknowledged' || isHandled || mayBeDiscarded || found.has(sequence)) continue;
      this.totals.lost += 1;
      faults.push(`delivery ${sequence} was acknowledged and is lost`);
    }
    return faults;
  }

  /** Drops what was compared, so that memory doesn't grow with the number of deliveries. */
  forget(stored: readonly StoredDelivery[]): void {
    this.totals.parked += stored.filter(({ state }) => state === 'parked').length;
    this.#entries.clear();
  }

  #faultOf({ state, error, content }: StoredDelivery, isTwice: boolean): string | undefined {
    const entry = this.#entryOf(content);
    const invented = inventionOf(entry, content, isTwice);
    if (invented !== undefined) this.totals.invented += 1;
    if (invented !== undefined || entry === undefined) return invented;
    if (['waiting', 'running', 'retrying'].includes(state))
      return `is ${state}, though the handler had the time`;
    if (state === 'handled' && entry.handledBy === undefined) return 'is marked as handled and was not';
    if (state === 'parked' && !POISON.includes(entry.fate) && !CUT_OFF.test(error ?? ''))
      return `is parked though its handler succeeds: ${error}`;
    return undefined;
  }

  #entryOf(content: Buffer): Entry | undefined {
    return this.#entries.get(sequenceOf(content));
  }
}

function inventionOf(entry: Entry | undefined, content: Buffer, isTwice: boolean): string | undefined {
  if (entry === undefined) return 'is stored and was never sent';
  if (digestOf(content) !== entry.digest) return 'is stored with other bytes than were sent';
  if (entry.outcome === 'refused') return 'is stored though it was refused';
  if (entry.outcome === 'incomplete') return 'is stored though it was never sent whole';
  return isTwice ? 'is stored twice' : undefined;
}

/** The number in the first line of a content; NaN if no ledger made it. */
const sequenceOf = (content: Buffer): number =>
  Number(/^(\d+) [a-z ]+\n/.exec(content.toString('latin1', 0, 40))?.[1]);

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
