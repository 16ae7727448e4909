import { createHash } from 'node:crypto';

import type { BuiltDelivery } from '../built-inbox.js';
import { type Note, numberIn, type Outcome } from './notes.js';

/** How many handled deliveries may come again after a crash: docs/reliability.md says so of the last 256. */
const MAX_REPEATED = 256;

/** A delivery in an inbox. */
export interface StoredDelivery extends BuiltDelivery {
  readonly id: number;
  readonly state: 'handled' | 'waiting' | 'parked';
  readonly failures: number;
}

interface Sent {
  readonly digest: string;
  readonly eventId: string | null;
  /** Undefined until it is acknowledged. */
  id: number | undefined;
  isAcknowledged: boolean;
  /** The results that may be stored. */
  readonly possible: Set<Outcome>;
  /** The result that is stored. */
  stored: Outcome | undefined;
  /** Failures that are stored. */
  failures: number;
}

/** What an inbox has promised at one moment. */
export class Promises {
  readonly #sent = new Map<number, Sent>();
  #acknowledged = 0;
  #lastId = 0;

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
    const sent = this.#sent.get(note[1])!;
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
  }

  /** What is broken, a line each. */
  brokenBy(stored: readonly StoredDelivery[]): Broken {
    const broken: Broken = { lost: [], wrong: [] };
    const byId = new Map(stored.map((delivery) => [delivery.id, delivery]));
    const byNumber = new Map(stored.map((delivery) => [numberIn(delivery.mediaType), delivery]));
    let repeated = 0;
    for (const delivery of stored) {
      const sent = this.#sent.get(numberIn(delivery.mediaType) ?? NaN);
      if (sent?.digest !== digestOfDelivery(delivery))
        broken.wrong.push(`delivery ${delivery.id} has bytes that were never sent`);
      else {
        broken.wrong.push(...wrongState(delivery, sent));
        if (sent.stored === 'handled' && delivery.state === 'waiting') repeated += 1;
      }
    }
    if (repeated > MAX_REPEATED) broken.wrong.push(`${repeated} handled deliveries come again`);
    for (const [number, { isAcknowledged, id, eventId }] of this.#sent) {
      if (!isAcknowledged) continue;
      const found = id === undefined ? byNumber.get(number) : byId.get(id);
      const isIt = found !== undefined && numberIn(found.mediaType) === number;
      const isItsEvent = eventId !== null && found?.eventId === eventId;
      if (!isIt && !isItsEvent)
        broken.lost.push(`delivery ${number} (id ${id}) was acknowledged and is lost`);
    }
    return broken;
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
  if (sent.stored === 'parked' && state !== 'parked') wrong.push(`delivery ${id} was parked and is ${state}`);
  // Once it was handled, its failures are forgotten, even if it comes again.
  const mayBeHandled = sent.possible.has('handled');
  if (sent.stored === 'failed' && state === 'waiting' && failures < sent.failures && !mayBeHandled)
    wrong.push(`delivery ${id} failed ${sent.failures} times, and ${failures} are stored`);
  return wrong;
}

/** Names a delivery by everything that was sent of it. */
export function digestOfDelivery({
  method,
  mediaType,
  contentEncoding,
  eventId,
  content,
}: BuiltDelivery): string {
  const head = JSON.stringify([method, mediaType, contentEncoding, eventId]);
  return createHash('sha256').update(head).update(content).digest('hex');
}
