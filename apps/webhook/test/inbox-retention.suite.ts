import type { Retention } from '../src/inbox/inbox-operations.js';
import {
  type Adapter,
  all,
  failed,
  HANDLED,
  incoming,
  numbers,
  only,
  OpenedInbox,
  PARKED,
  setClock,
} from './open-inbox.js';

const DAY = 86_400_000;
const LATER = 3_600_000;

/** What an inbox deletes by itself: part of the suite of the port. */
export function inboxRetentionSuite(adapter: Adapter): void {
  describe('retention', () => {
    let opened: OpenedInbox;

    /** Calls it until nothing is left to delete. Returns how many it has deleted. */
    const removeExpired = async (given: Partial<Retention> = {}): Promise<number> => {
      const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: 3 * DAY, ...given };
      let total = 0;
      for (let removed = 1; removed > 0; total += removed)
        removed = await opened.inbox.removeExpired(retention);
      return total;
    };

    /** Runs something at another time. */
    const at = async <Result>(difference: number, run: () => Promise<Result>): Promise<Result> => {
      const restore = setClock(difference);
      await opened.reopen();
      const result = await run();
      restore();
      await opened.reopen();
      return result;
    };
    const twoDaysAgo = <Result>(run: () => Promise<Result>): Promise<Result> => at(-2 * DAY, run);

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('deletes nothing from an inbox that is empty', async () => {
      expect(await removeExpired({ maxAge: 1, maxBytes: 1, maxEventAge: 1 })).toBe(0);
    });

    test('deletes what was handled or discarded and is older than its limit, and nothing else', async () => {
      await twoDaysAgo(() => opened.accept(6));
      await opened.settle(HANDLED, PARKED, PARKED, failed(LATER));
      await opened.discard(all({ lastId: 2 }));
      await opened.claim(1);
      await opened.accept(2);

      expect(await removeExpired()).toBe(2);

      expect(await opened.ids()).toEqual([3, 4, 5, 6, 7, 8]);
      expect(await opened.inbox.find(1)).toBeUndefined();
      expect(await opened.inbox.stats()).toMatchObject({ running: 1, handled: 0, parked: 1, discarded: 0 });
      await opened.reopen();
      expect(await opened.inbox.stats()).toMatchObject({ waiting: 5, handled: 0, parked: 1, discarded: 0 });
    });

    test('deletes nothing that is younger', async () => {
      await opened.accept(3);
      await opened.settle(HANDLED, HANDLED, PARKED);

      expect(await removeExpired()).toBe(0);
      expect(await opened.ids()).toEqual([1, 2, 3]);
    });

    test('has limits that may be longer than any timer', async () => {
      await twoDaysAgo(() => opened.accept(1));
      await opened.settle(HANDLED);

      expect(
        await removeExpired({ maxAge: Number.MAX_SAFE_INTEGER, maxEventAge: Number.MAX_SAFE_INTEGER }),
      ).toBe(0);
      expect(await opened.ids()).toEqual([1]);
    });

    test('deletes many, a limited number at a time', async () => {
      await twoDaysAgo(() => opened.accept(3_000));
      await opened.settle(...numbers(1, 3_000).map((id) => (id % 1_000 === 7 ? PARKED : HANDLED)));
      await opened.accept(2);

      const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: DAY };
      expect(await opened.inbox.removeExpired(retention)).toBeLessThan(2_997);
      await removeExpired();

      expect(await opened.ids()).toEqual([7, 1_007, 2_007, 3_001, 3_002]);
      expect(await opened.inbox.stats()).toMatchObject({ waiting: 2, handled: 0, parked: 3 });
    });

    test('never uses an id again', async () => {
      await twoDaysAgo(() => opened.accept(5));
      await opened.settle(HANDLED, HANDLED, HANDLED, HANDLED, HANDLED);
      await removeExpired();
      expect(await opened.ids()).toEqual([]);

      expect(await opened.accept(1)).toEqual([6]);
      await opened.settle(HANDLED);
      await opened.reopen();
      await at(2 * DAY, () => removeExpired());
      await opened.reopenAfterCrash();
      expect(await opened.accept(1)).toEqual([7]);
      expect(await opened.claimIds()).toEqual([7]);
    });

    test('deletes a delivery that is handled late once it is handled', async () => {
      await twoDaysAgo(() => opened.accept(4));
      await opened.settle(PARKED, HANDLED, failed(0), PARKED);
      await removeExpired();
      expect(await opened.ids()).toEqual([1, 3, 4]);

      await opened.settle(HANDLED);
      await removeExpired();
      expect(await opened.ids()).toEqual([1, 4]);
      await opened.replay(only(1));
      await removeExpired();
      expect(await opened.ids()).toEqual([1, 4]);
      await opened.settle(HANDLED);
      await removeExpired();
      expect(await opened.ids()).toEqual([4]);
      await opened.discard();
      await removeExpired();
      expect(await opened.ids()).toEqual([]);
    });

    test('is not stopped by many deliveries that it keeps', async () => {
      await twoDaysAgo(() => opened.accept(2_000));
      await opened.settle(...numbers(1, 1_999).map(() => PARKED), HANDLED);

      expect(await removeExpired()).toBe(1);
      expect(await opened.inbox.stats()).toMatchObject({ parked: 1_999, handled: 0 });
      await opened.replay(only(1));
      await opened.settle(HANDLED);
      expect(await removeExpired()).toBe(1);
      await opened.discard(all({ lastId: 2 }));
      expect(await removeExpired()).toBe(1);
    });

    test('is not stopped by a clock that was wrong', async () => {
      await at(365 * DAY, () => opened.accept(1_000));
      await twoDaysAgo(() => opened.accept(10));
      await opened.settle(...numbers(1, 1_010).map(() => HANDLED));

      expect(await removeExpired()).toBe(10);
      expect(await opened.inbox.stats()).toMatchObject({ handled: 1_000 });
    });

    (adapter.isUnlimited ? describe.skip : describe)('by size', () => {
      const CONTENT = 100_000;
      const LIMIT = 2_100_000;
      const acceptLarge = async (count: number): Promise<void> => {
        await Promise.all(
          numbers(1, count).map(() => opened.inbox.accept(incoming(Buffer.alloc(CONTENT, 'arbitrary')))),
        );
      };

      test('deletes the oldest that were handled, as many as necessary', async () => {
        await acceptLarge(60);
        await opened.settle(PARKED, ...numbers(2, 50).map(() => HANDLED));
        await removeExpired({ maxBytes: LIMIT });

        const kept = await opened.ids({ state: 'handled' });
        expect(kept).toEqual(kept.length === 0 ? [] : numbers(51 - kept.length, 50));
        expect(kept.length).toBeLessThanOrEqual(LIMIT / CONTENT);
        expect(kept.length).toBeGreaterThanOrEqual(LIMIT / CONTENT - 15);
        expect(await opened.inbox.stats()).toMatchObject({ parked: 1, waiting: 10 });
      });

      test('deletes nothing below the limit, and nothing that waits, is parked or was discarded above it', async () => {
        await acceptLarge(10);
        await opened.settle(...numbers(1, 9).map(() => HANDLED));
        expect(await removeExpired({ maxBytes: LIMIT })).toBe(0);
        await acceptLarge(30);
        await opened.settle(...numbers(10, 15).map(() => PARKED));
        await opened.discard(all({ lastId: 10 }));
        await removeExpired({ maxBytes: 1 });

        const left = { handled: 0, parked: 5, discarded: 1, waiting: 25 };
        expect(await opened.inbox.stats()).toMatchObject(left);
      });
    });

    describe('of an event', () => {
      const ofEvent = (eventId: string): Promise<number> => opened.inbox.accept(incoming('any', { eventId }));

      test('keeps its identifier longer: a repetition gets the id of the first one, and is not stored', async () => {
        expect(await twoDaysAgo(() => ofEvent('a'))).toBe(1);
        expect(await twoDaysAgo(() => ofEvent('b'))).toBe(2);
        await opened.settle(HANDLED, HANDLED);
        expect(await removeExpired()).toBe(2);

        const [a, c, b, again] = await Promise.all([ofEvent('a'), ofEvent('c'), ofEvent('b'), ofEvent('a')]);
        expect([a, b, again]).toEqual([1, 2, 1]);
        expect(await opened.ids()).toEqual([c]);
        await opened.reopenAfterCrash();
        expect(await ofEvent('b')).toBe(2);
        expect(await opened.claimIds()).toEqual([c]);
        expect(await opened.inbox.stats()).toMatchObject({ running: 1, handled: 0 });
      });

      test('forgets it after its own limit', async () => {
        expect(await at(-4 * DAY, () => ofEvent('a'))).toBe(1);
        expect(await twoDaysAgo(() => ofEvent('b'))).toBe(2);
        await opened.settle(HANDLED, HANDLED);
        await at(-2 * DAY, () => removeExpired());
        expect(await ofEvent('a')).toBe(1);
        await removeExpired();

        const id = await ofEvent('a');
        expect(id).toBeGreaterThan(2);
        expect(await ofEvent('b')).toBe(2);
        expect(await ofEvent('a')).toBe(id);
        await opened.settle(HANDLED);
        await at(2 * DAY, () => removeExpired());
        expect(await ofEvent('a')).toBe(id);
        expect(await opened.ids()).toEqual([]);
      });

      test('does not forget it while the delivery is stored', async () => {
        await at(-9 * DAY, () => ofEvent('a'));
        await opened.settle(PARKED);
        await removeExpired();

        expect(await ofEvent('a')).toBe(1);
      });

      test('keeps that of one that was discarded', async () => {
        await twoDaysAgo(() => ofEvent('a'));
        await opened.settle(PARKED);
        await opened.discard();
        expect(await removeExpired()).toBe(1);

        expect(await ofEvent('a')).toBe(1);
      });

      test('does not keep identifiers without end', async () => {
        for (let round = 0; round < 3; round += 1) {
          await at((10 * round - 40) * DAY, () =>
            Promise.all(numbers(1, 200).map((event) => ofEvent(`${round} ${event}`))),
          );
          await opened.settle(...numbers(1, 200).map(() => HANDLED));
          await at((10 * round - 38) * DAY, () => removeExpired());
        }

        // Those of the last round that were kept; those of the rounds before are gone already.
        expect(await removeExpired()).toBe(200);
      });
    });

    test('goes on while deliveries are accepted, handled and replayed', async () => {
      await twoDaysAgo(() => opened.accept(1_000));
      await opened.settle(...numbers(1, 1_000).map((id) => (id % 10 === 0 ? PARKED : HANDLED)));
      const [, changed] = await Promise.all([
        removeExpired(),
        opened.replay(all({ state: 'parked' })),
        opened.accept(500),
      ]);
      expect(changed.changed).toBe(100);
      await opened.settle(...numbers(1, 600).map(() => HANDLED));
      await removeExpired();

      expect(await opened.ids()).toEqual(numbers(1_001, 1_500));
      expect(await opened.inbox.stats()).toMatchObject({ handled: 500, waiting: 0, parked: 0 });
    });
  });
}
