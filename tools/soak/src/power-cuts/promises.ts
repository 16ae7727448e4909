import { digestOfDelivery, type StoredDelivery } from '../built-inbox.js';
import { type Note, numberIn, type Operation, type Outcome } from '../recording/notes.js';

/** How many handled deliveries may come again after a crash: docs/reliability.md says so of the last 256. */
const MAX_REPEATED = 256;

interface Sent {
  readonly digest: string;
  readonly eventId: string | null;
  /** Undefined until it is acknowledged. */
  id: number | undefined;
  isAcknowledged: boolean;
  /** The results that may be stored. */
  readonly possible: Set<Outcome | 'discarded' | 'replayed'>;
  /** The result that is stored; undefined if it waits, or after an operator has changed it. */
  stored: Outcome | undefined;
  /** Failures that are stored. */
  failures: number;
}

/** What an inbox has promised at one moment. */
export class Promises {
  readonly #sent = new Map<number, Sent>();
  readonly #byId = new Map<number, Sent>();
  #acknowledged = 0;
  #lastId = 0;
  /** Whether handled deliveries may have been deleted. */
  #mayRemove = false;
  /** Whether the handler may be paused, and whether it may not. */
  readonly #mayBePaused = new Set([false]);

  /** How many deliveries are acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The largest id that was acknowledged. */
  get lastId(): number {
    return this.#lastId;
  }

  take(text: string): void {
    const note = JSON.parse(text) as Note;
    if (note[0] === 'sent') {
      const [, number, digest, eventId] = note;
      const none = { id: undefined, isAcknowledged: false, stored: undefined, failures: 0 };
      this.#sent.set(number, { digest, eventId, ...none, possible: new Set() });
      return;
    }
    if (note[0] === 'operating' || note[0] === 'operated') {
      const [when, operation, firstId, lastId] = note;
      this.#operate(operation, when === 'operated', firstId, lastId);
      return;
    }
    const sent = this.#sent.get(note[1] as number)!;
    if (note[0] === 'acknowledged') this.#acknowledge(sent, note[2]);
    else {
      const [what, , kind, failures] = note;
      if (what === 'settling') sent.possible.add(kind);
      else Object.assign(sent, { stored: kind, failures });
    }
  }

  /** @param id null if it isn't known yet */
  #acknowledge(sent: Sent, id: number | null): void {
    if (!sent.isAcknowledged) this.#acknowledged += 1;
    sent.isAcknowledged = true;
    sent.id = id ?? undefined;
    this.#lastId = Math.max(this.#lastId, id ?? 0);
    if (id !== null && !this.#byId.has(id)) this.#byId.set(id, sent);
  }

  #operate(operation: Operation, isDone: boolean, firstId: number, lastId: number): void {
    if (operation === 'remove') this.#mayRemove = true;
    else if (operation === 'pause' || operation === 'resume') {
      if (isDone) this.#mayBePaused.clear();
      this.#mayBePaused.add(operation === 'pause');
    } else {
      for (let id = firstId; id <= lastId; id += 1) {
        const sent = this.#byId.get(id);
        if (sent === undefined) continue;
        if (operation === 'discard') sent.possible.add('discarded');
        else sent.possible.add('replayed');
        // What was parked waits from now on.
        if (isDone && operation === 'replay' && sent.stored === 'parked') sent.possible.delete('parked');
        if (sent.stored !== 'handled') sent.stored = undefined;
      }
    }
  }

  /** What is broken, a line each. */
  brokenBy(stored: readonly StoredDelivery[], isPaused: boolean): Broken {
    const broken: Broken = { lost: [], wrong: [] };
    if (!this.#mayBePaused.has(isPaused)) broken.wrong.push(`the handler is ${isPaused ? '' : 'not '}paused`);
    const byId = new Map(stored.map((delivery) => [delivery.id, delivery]));
    const byNumber = new Map(stored.map((delivery) => [numberIn(delivery.mediaType), delivery]));
    let repeated = 0;
    for (const delivery of stored) {
      const sent = this.#sent.get(numberIn(delivery.mediaType) ?? NaN);
      const isDiscarded = delivery.state === 'discarded' && sent?.possible.has('discarded') === true;
      if (sent === undefined || (sent.digest !== digestOfDelivery(delivery) && !isDiscarded))
        broken.wrong.push(`delivery ${delivery.id} has bytes that were never sent`);
      else {
        broken.wrong.push(...wrongState(delivery, sent));
        const isRepeated = sent.stored === 'handled' && delivery.state === 'waiting';
        if (isRepeated && !sent.possible.has('replayed')) repeated += 1;
      }
    }
    if (repeated > MAX_REPEATED) broken.wrong.push(`${repeated} handled deliveries come again`);
    for (const [number, { isAcknowledged, id, eventId }] of this.#sent) {
      if (!isAcknowledged || this.#isRemovable(id)) continue;
      const found = id === undefined ? byNumber.get(number) : byId.get(id);
      const isIt = found !== undefined && numberIn(found.mediaType) === number;
      const isItsEvent = eventId !== null && found?.eventId === eventId;
      if (!isIt && !isItsEvent)
        broken.lost.push(`delivery ${number} (id ${id}) was acknowledged and is lost`);
    }
    return broken;
  }

  /** Whether the retention may have deleted the delivery with this id. */
  #isRemovable(id: number | undefined): boolean {
    const possible = id === undefined ? undefined : this.#byId.get(id)?.possible;
    return this.#mayRemove && (possible?.has('handled') === true || possible?.has('discarded') === true);
  }
}

/** Deliveries that were acknowledged and are not there, and what is there and must not be. */
export interface Broken {
  readonly lost: string[];
  readonly wrong: string[];
}

function wrongState({ id, state, failures }: StoredDelivery, sent: Sent): string[] {
  const wrong: string[] = [];
  if (state === 'handled' && !sent.possible.has('handled'))
    wrong.push(`delivery ${id} is marked as handled and was not`);
  if (state === 'parked' && !sent.possible.has('parked'))
    wrong.push(`delivery ${id} is marked as parked and was not`);
  if (state === 'discarded' && !sent.possible.has('discarded'))
    wrong.push(`delivery ${id} is marked as discarded and was not`);
  if (sent.stored === 'parked' && state !== 'parked') wrong.push(`delivery ${id} was parked and is ${state}`);
  // Once it was handled or replayed, its failures are forgotten.
  const isForgotten = sent.possible.has('handled') || sent.possible.has('replayed');
  if (sent.stored === 'failed' && state === 'waiting' && failures < sent.failures && !isForgotten)
    wrong.push(`delivery ${id} failed ${sent.failures} times, and ${failures} are stored`);
  return wrong;
}
