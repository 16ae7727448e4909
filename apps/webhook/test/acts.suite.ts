import type { Act } from '../src/inbox/inbox-operations.js';
import {
  type Adapter,
  expectNow,
  failed,
  HANDLED,
  incoming,
  numbers,
  only,
  OpenedInbox,
  originOf,
  PARKED,
  untilStored,
} from './open-inbox.js';

const LATER = 3_600_000;

/** The acts of operators: part of the suite of the port. */
export function actsSuite(adapter: Adapter): void {
  describe('an act', () => {
    let opened: OpenedInbox;

    const park = async (count: number): Promise<void> => {
      await opened.accept(count);
      await opened.settle(...numbers(1, count).map(() => PARKED));
    };
    const begin = (filter = {}, reason = 'it is back'): Promise<Act> =>
      opened.inbox.operations.acts.begin('replay', filter, originOf(reason));
    const all = (): Promise<readonly Act[]> => opened.inbox.operations.acts.list({ limit: 10 });

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('on a few deliveries is over at once, and says what became of them', async () => {
      await park(4);
      const act = await begin({ lastId: 3 });

      expect(act).toEqual({
        ...{ id: 1, kind: 'replay', operator: 'ada@example', source: 'a test', reason: 'it is back' },
        ...{ filter: { state: ['retrying', 'parked'], lastId: 3 }, selected: 3, changed: 3 },
        ...{
          at: expect.any(Number),
          endedAt: expect.any(Number),
          handled: 0,
          failed: 0,
          retrying: 0,
          waiting: 3,
        },
      });
      expectNow(act.at);
      expectNow(act.endedAt!);
      await opened.settle(HANDLED, PARKED, failed(LATER));
      expect(await opened.inbox.operations.acts.find(1)).toEqual({
        ...act,
        handled: 1,
        failed: 2,
        retrying: 1,
        waiting: 0,
      });
    });

    test('on many is carried out in parts, smaller ones if contents are large', async () => {
      for (const id of numbers(1, 6)) await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, id)));
      await opened.accept(1_200);
      await opened.settle(...numbers(1, 1_206).map(() => PARKED));
      const begun = await begin();

      expect(begun).toMatchObject({ selected: 1_206, endedAt: null });
      // What comes from now on isn't meant.
      await opened.accept(1);
      await opened.inbox.operations.acts.untilIdle();
      expect(await all()).toMatchObject([{ changed: 1_206, waiting: 1_206, endedAt: expect.any(Number) }]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 1_207, parked: 0 });
    });

    test('takes handled deliveries only on request, and none that changes while it is begun', async () => {
      await opened.accept(3);
      await opened.settle(HANDLED, PARKED);

      expect(await begin()).toMatchObject({ changed: 1 });
      expect(await begin({ state: 'handled' })).toMatchObject({ changed: 1 });
      expect(await begin({ ids: [1, 2, 3] })).toMatchObject({ changed: 0, selected: 0 });
    });

    test('keeps what became of its deliveries, whatever a later one or the retention does with them', async () => {
      await park(4);
      await begin();
      await opened.settle(HANDLED, PARKED, failed(LATER));
      const became = { changed: 4, handled: 1, failed: 2, waiting: 1 };
      expect(await all()).toMatchObject([became]);

      await opened.replay({ ids: [1, 3] });
      await opened.discard(only(2));
      await opened.settle(HANDLED, HANDLED, HANDLED);
      expect(await all()).toMatchObject([
        { kind: 'discard', changed: 1, handled: 0, failed: 0, waiting: 0 },
        { kind: 'replay', changed: 2, handled: 2, failed: 0, waiting: 0 },
        { ...became, handled: 2, waiting: 0 },
      ]);
      const before = await all();
      await opened.age(2 * 86_400_000);
      // The acts aren't so old.
      await adapter.sql(opened.place, `UPDATE act SET at = at + ${2 * 86_400_000}`);
      const retention = { maxAge: 86_400_000, maxBytes: undefined, maxEventAge: 86_400_000 };
      while ((await opened.inbox.operations.removeExpired(retention)) > 0);

      expect(await opened.list()).toEqual([]);
      expect(await all()).toEqual(before);
    });

    test('counts what it has changed itself, if two of two operators meet', async () => {
      await park(1_500);
      const acts = await Promise.all([begin(), begin({ firstId: 700 }, 'the other'), begin()]);
      await opened.inbox.operations.acts.untilIdle();

      const ended = await all();
      expect(ended.map(({ changed }) => changed).reduce((sum, count) => sum + count, 0)).toBe(1_500);
      expect(ended.every(({ endedAt, waiting, changed }) => endedAt !== null && waiting === changed)).toBe(
        true,
      );
      expect(acts.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 1_500, parked: 0 });
    });

    test('that a crash interrupts goes on, and counts each delivery once', async () => {
      await park(1_800);
      const { changed, endedAt } = await begin();
      expect([changed < 1_800, endedAt]).toEqual([true, null]);

      await opened.reopenAfterCrash();
      await untilStored(opened.inbox);
      while ((await all())[0]!.endedAt === null) await opened.inbox.operations.acts.untilIdle();

      expect(await all()).toMatchObject([{ id: 1, selected: 1_800, changed: 1_800, waiting: 1_800 }]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 1_800, parked: 0 });
    });

    test('is left open by a stop, and the next start goes on', async () => {
      await park(1_800);
      await begin();
      await opened.reopen();
      while ((await all())[0]!.endedAt === null) await opened.inbox.operations.acts.untilIdle();

      expect(await all()).toMatchObject([{ changed: 1_800, waiting: 1_800 }]);
    });

    test('is known of its delivery', async () => {
      await park(1);
      await opened.replay();
      await opened.settle(PARKED);
      await opened.discard({}, 'of no use');

      expect((await opened.inbox.operations.find(1))!.act).toMatchObject({
        id: 2,
        kind: 'discard',
        reason: 'of no use',
      });
    });

    test('on the handler is one, too', async () => {
      await opened.inbox.operations.setPaused(true, originOf('it moves'));
      await opened.inbox.operations.setPaused(false);

      const nobody = { operator: null, source: null, reason: null };
      expect(await all()).toMatchObject([
        { id: 2, kind: 'resume', ...nobody, filter: null, selected: 0, changed: 0, waiting: 0 },
        { id: 1, kind: 'pause', operator: 'ada@example', reason: 'it moves', endedAt: expect.any(Number) },
      ]);
      expect(await opened.inbox.operations.acts.list({ after: 2, limit: 1 })).toMatchObject([{ id: 1 }]);
    });
  });
}
