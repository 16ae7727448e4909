import type { Retention } from '../src/inbox/inbox-operations.js';
import { type Adapter, failed, HANDLED, incoming, numbers, only, OpenedInbox, PARKED } from './open-inbox.js';

const DAY = 86_400_000;

/** What an inbox deletes by itself: part of the suite of the port. */
export function inboxRetentionSuite(adapter: Adapter): void {
  describe('retention', () => {
    let opened: OpenedInbox;

    /** Calls it until nothing is left to delete. Returns how many it has deleted. */
    const removeExpired = async (given: Partial<Retention> = {}): Promise<number> => {
      const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: 3 * DAY, ...given };
      let total = 0;
      for (let removed = 1; removed > 0; total += removed)
        removed = await opened.inbox.operations.removeExpired(retention);
      return total;
    };

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('deletes nothing from an inbox that is empty', async () => {
      expect(await removeExpired({ maxAge: 1, maxBytes: 1, maxEventAge: 1 })).toBe(0);
    });

    test('deletes what was handled or discarded longer ago than its limit, and nothing else', async () => {
      await opened.accept(6);
      await opened.settle(HANDLED, PARKED, PARKED, failed(3 * DAY));
      await opened.discard({ lastId: 2 });
      await opened.claim(1);
      await opened.age(2 * DAY);
      await opened.accept(2);

      expect(await removeExpired()).toBe(3);

      expect(await opened.ids()).toEqual([3, 4, 5, 6, 7, 8]);
      expect(await opened.inbox.operations.find(1)).toBeUndefined();
      expect(await opened.inbox.operations.stats()).toMatchObject({ running: 1, handled: 0, parked: 1 });
    });

    test('deletes nothing that was handled or discarded later, however long ago it was received', async () => {
      await opened.accept(3);
      await opened.age(2 * DAY);
      await opened.settle(HANDLED, PARKED);
      await opened.age(2 * DAY);
      await opened.settle(HANDLED);
      await opened.discard();

      expect(await removeExpired()).toBe(1);
      expect(await opened.ids()).toEqual([2, 3]);
      await opened.age(DAY + 1);
      expect(await removeExpired()).toBe(3);
    });

    test('has limits that may be longer than any timer', async () => {
      await opened.accept(1);
      await opened.settle(HANDLED);
      await opened.age(2 * DAY);

      expect(
        await removeExpired({ maxAge: Number.MAX_SAFE_INTEGER, maxEventAge: Number.MAX_SAFE_INTEGER }),
      ).toBe(0);
      expect(await opened.ids()).toEqual([1]);
    });

    test('deletes many, a limited number at a time', async () => {
      await opened.accept(1_000);
      await opened.settle(...numbers(1, 1_000).map((id) => (id % 300 === 7 ? PARKED : HANDLED)));
      await opened.age(2 * DAY);
      await opened.accept(2);

      const retention = { maxAge: DAY, maxBytes: undefined, maxEventAge: DAY };
      expect(await opened.inbox.operations.removeExpired(retention)).toBeLessThan(996);
      await removeExpired();

      expect(await opened.ids()).toEqual([7, 307, 607, 907, 1_001, 1_002]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 2, handled: 0, parked: 4 });
    });

    test('never uses an id again', async () => {
      await opened.accept(2);
      await opened.settle(HANDLED, HANDLED);
      await opened.age(2 * DAY);
      await removeExpired();
      expect(await opened.ids()).toEqual([]);
      await opened.reopenAfterCrash();

      expect(await opened.accept(1)).toEqual([3]);
      expect(await opened.claimIds()).toEqual([3]);
    });

    test('is not stopped by many deliveries that it keeps, nor by a clock that was ahead', async () => {
      await opened.accept(1_000);
      await opened.settle(...numbers(1, 999).map(() => PARKED), HANDLED);
      await opened.age(2 * DAY);
      await opened.accept(400);
      await opened.settle(...numbers(1, 400).map(() => HANDLED));
      await opened.age(-365 * DAY);

      expect(await removeExpired()).toBe(0);
      await opened.age(365 * DAY);
      expect(await removeExpired()).toBe(1);
      expect(await opened.inbox.operations.stats()).toMatchObject({ parked: 999, handled: 400 });
    });

    test('deletes acts when their time is over, and keeps those of deliveries that it keeps', async () => {
      await opened.accept(2);
      await opened.settle(PARKED, HANDLED);
      await opened.replay(only(1));
      await opened.settle(PARKED);
      await opened.replay(only(2));
      await opened.settle(HANDLED);
      await opened.inbox.operations.setPaused(true);
      await opened.age(2 * DAY);

      expect(await removeExpired()).toBe(3);
      expect(await opened.inbox.operations.acts.list({ limit: 10 })).toMatchObject([{ id: 1 }]);
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
        expect(await opened.inbox.operations.stats()).toMatchObject({ parked: 1, waiting: 10 });
      });

      test('deletes nothing below the limit, and nothing that waits, is parked or was discarded above it', async () => {
        await acceptLarge(10);
        await opened.settle(...numbers(1, 9).map(() => HANDLED));
        expect(await removeExpired({ maxBytes: LIMIT })).toBe(0);
        await acceptLarge(30);
        await opened.settle(...numbers(10, 15).map(() => PARKED));
        await opened.discard({ lastId: 10 });
        await removeExpired({ maxBytes: 1 });

        const left = { handled: 0, parked: 5, discarded: 1, waiting: 25 };
        expect(await opened.inbox.operations.stats()).toMatchObject(left);
      });
    });

    describe('of an event', () => {
      const ofEvent = (eventId: string): Promise<number> => opened.inbox.accept(incoming('any', { eventId }));

      test('keeps its identifier longer: a repetition gets the id of the first one, and is not stored', async () => {
        expect([await ofEvent('a'), await ofEvent('b')]).toEqual([1, 2]);
        await opened.settle(HANDLED, HANDLED);
        await opened.age(2 * DAY);
        expect(await removeExpired()).toBe(2);

        const [a, c, b, again] = await Promise.all([ofEvent('a'), ofEvent('c'), ofEvent('b'), ofEvent('a')]);
        expect([a, b, again]).toEqual([1, 2, 1]);
        expect(await opened.ids()).toEqual([c]);
        await opened.reopenAfterCrash();
        expect(await ofEvent('b')).toBe(2);
        expect(await opened.claimIds()).toEqual([c]);
        expect(await opened.inbox.operations.stats()).toMatchObject({ running: 1, handled: 0 });
      });

      test('forgets it after its own limit, and not while the delivery is stored', async () => {
        await ofEvent('a');
        await ofEvent('parked');
        await opened.settle(HANDLED, PARKED);
        await opened.age(2 * DAY);
        await ofEvent('b');
        await opened.settle(HANDLED);
        await opened.age(2 * DAY);
        await removeExpired();

        const id = await ofEvent('a');
        expect(id).toBe(4);
        expect(await Promise.all(['b', 'parked', 'a'].map(ofEvent))).toEqual([3, 2, id]);
      });

      test('keeps that of one that was discarded', async () => {
        await ofEvent('a');
        await opened.settle(PARKED);
        await opened.discard();
        await opened.age(2 * DAY);
        expect(await removeExpired()).toBe(2);

        expect(await ofEvent('a')).toBe(1);
      });
    });

    test('goes on while deliveries are accepted, handled and replayed', async () => {
      await opened.accept(1_000);
      await opened.settle(...numbers(1, 1_000).map((id) => (id % 10 === 0 ? PARKED : HANDLED)));
      await opened.age(2 * DAY);
      const [, changed] = await Promise.all([
        removeExpired(),
        opened.replay({ state: 'parked' }),
        opened.accept(500),
      ]);
      expect(changed.changed).toBe(100);

      expect(await opened.ids({ state: 'handled' })).toEqual([]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 600, parked: 0 });
    });
  });
}
