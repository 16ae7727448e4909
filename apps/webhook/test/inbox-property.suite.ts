import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { makeFolder } from '@plant-store/test-support';

import type { Delivery, Inbox, AttemptResult } from '../src/inbox/inbox.js';
import fc from './fast-check.js';
import type { Adapter } from './open-inbox.js';

type Fate = 'handled' | 'failed' | 'failed for long' | 'parked';

/** What happens to the inbox in one turn, all at once. Then it may be closed and opened again. */
interface Turn {
  /** The deliveries that are accepted: their sizes and events. */
  readonly accepted: readonly { readonly size: number; readonly eventId: string | null }[];
  /** The results of claimed deliveries, picked by number. */
  readonly settled: readonly { readonly pick: number; readonly fate: Fate }[];
  readonly limit: number;
  /** Limits of further claims, each one turn of the event loop later, while everything is being written. */
  readonly laterLimits: readonly number[];
  readonly reopens: boolean;
}

/** The expected state of a delivery. */
interface Expected {
  readonly content: Buffer;
  attempts: number;
  state: 'claimable' | 'claimed' | 'not due' | 'handled' | 'parked';
}

const LONG = 3_600_000;
const LARGE = 3_000_000;

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    accepted: fc.array(
      fc.record({
        size: fc.oneof({ weight: 25, arbitrary: fc.nat(100) }, { weight: 1, arbitrary: fc.constant(LARGE) }),
        eventId: fc.oneof(
          { weight: 2, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: fc.nat(12).map((event) => `event ${event}`) },
        ),
      }),
      { maxLength: 8 },
    ),
    settled: fc.array(
      fc.record({
        pick: fc.nat(),
        fate: fc.oneof(
          { weight: 6, arbitrary: fc.constant<Fate>('handled') },
          { weight: 2, arbitrary: fc.constant<Fate>('failed') },
          { weight: 1, arbitrary: fc.constantFrom<Fate>('failed for long', 'parked') },
        ),
      }),
      { maxLength: 8 },
    ),
    limit: fc.nat(12),
    laterLimits: fc.array(fc.nat(12), { maxLength: 6 }),
    reopens: fc.oneof(
      { weight: 8, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  }),
  { minLength: 1, maxLength: 25 },
);

const resultOf = (fate: Fate): AttemptResult => {
  if (fate === 'handled') return { kind: fate };
  if (fate === 'parked') return { kind: fate, error: 'arbitrary', stack: null };
  return { kind: 'failed', error: 'arbitrary', stack: null, retryAfter: fate === 'failed' ? 0 : LONG };
};

/** Plays turns on an inbox and compares it with the expected state of each delivery. */
class Play {
  readonly #deliveries = new Map<number, Expected>();
  readonly #events = new Map<string, number>();
  readonly #underWay = new Map<number, Delivery>();
  #accepted = 0;

  constructor(
    private inbox: Inbox,
    private readonly open: () => Promise<Inbox>,
  ) {}

  async turn({ accepted, settled, limit, laterLimits, reopens }: Turn): Promise<void> {
    const claimableBefore = this.#count('claimable');
    const accepting = accepted.map((given) => this.#accept(given));
    const settling = settled.map(({ pick, fate }) => this.#settle(pick, fate));
    const claimed = [...(await this.#claim(limit))];
    expect(claimed.length).toBeGreaterThanOrEqual(Math.min(limit, claimableBefore));
    for (const laterLimit of laterLimits) {
      await turnOfTheLoop();
      claimed.push(...(await this.#claim(laterLimit)));
    }
    if (reopens) await this.inbox.close();
    await Promise.all([...accepting, ...settling]);
    claimed.forEach((delivery) => this.#take(delivery));
    if (reopens) await this.#reopen();
  }

  /** Nothing that was acknowledged is lost: what is not handled, parked or delayed comes. */
  async end(): Promise<void> {
    await this.inbox.close();
    await this.#reopen();
    await this.turn({
      accepted: [],
      settled: [],
      limit: this.#accepted + 1,
      laterLimits: [],
      reopens: false,
    });
    expect(this.#count('claimable')).toBe(0);
    await this.inbox.close();
  }

  async #claim(limit: number): Promise<readonly Delivery[]> {
    const claimed: Delivery[] = [];
    for (;;) {
      const { deliveries } = await this.inbox.claim(limit - claimed.length);
      claimed.push(...deliveries);
      expect(claimed.length).toBeLessThanOrEqual(limit);
      if (deliveries.length === 0 || claimed.length === limit) return claimed;
    }
  }

  async #accept({ size, eventId }: Turn['accepted'][number]): Promise<void> {
    this.#accepted += 1;
    const content = Buffer.alloc(size, `${this.#accepted} `);
    const delivery = { method: 'POST', mediaType: null, contentEncoding: null, eventId, fields: [], content };
    const id = await this.inbox.accept(delivery);
    const first = eventId === null ? undefined : this.#events.get(eventId);
    if (first !== undefined) return expect(id).toBe(first);
    if (eventId !== null) this.#events.set(eventId, id);
    expect(this.#deliveries.has(id)).toBe(false);
    this.#deliveries.set(id, { content, attempts: 0, state: 'claimable' });
  }

  async #settle(pick: number, fate: Fate): Promise<void> {
    const delivery = [...this.#underWay.values()][pick % Math.max(1, this.#underWay.size)];
    if (delivery === undefined) return;
    this.#underWay.delete(delivery.id);
    const expected = this.#deliveries.get(delivery.id)!;
    await this.inbox.settle(delivery, resultOf(fate), Date.now());
    if (fate === 'handled' || fate === 'parked') expected.state = fate;
    else {
      expected.attempts += 1;
      expected.state = fate === 'failed' ? 'claimable' : 'not due';
    }
  }

  #take(delivery: Delivery): void {
    const expected = this.#deliveries.get(delivery.id);
    expect(expected).toMatchObject({ state: 'claimable', attempts: delivery.attempts - 1 });
    expect(expected!.content.equals(delivery.content)).toBe(true);
    expected!.state = 'claimed';
    this.#underWay.set(delivery.id, delivery);
  }

  async #reopen(): Promise<void> {
    this.inbox = await this.open();
    this.#underWay.clear();
    for (const expected of this.#deliveries.values()) {
      if (expected.state === 'claimed') expected.state = 'claimable';
    }
    const waiting = this.#count('claimable') + this.#count('not due');
    expect(await this.inbox.stats()).toMatchObject({ waiting, parked: this.#count('parked') });
  }

  #count(state: Expected['state']): number {
    return [...this.#deliveries.values()].filter((expected) => expected.state === state).length;
  }
}

/**
 * Whatever happens in whichever order: nothing acknowledged is lost, nothing settled comes again, and an event comes
 * as one delivery.
 */
export function inboxProperty({ open, make = makeFolder }: Adapter): void {
  test('loses nothing and repeats nothing, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (given) => {
        const folder = await make();
        const openHere = async (): Promise<Inbox> => open(folder);
        const play = new Play(await openHere(), openHere);
        for (const turn of given) await play.turn(turn);
        await play.end();
      }),
      { numRuns: 5 },
    );
  });
}
