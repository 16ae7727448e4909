import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import type {
  Batch,
  BatchResult,
  DeliveryFilter,
  DeliverySummary,
  Page,
} from '../src/inbox/inbox-operations.js';
import { type Adapter, failed, HANDLED, incoming, OpenedInbox, PARKED, setClock } from './open-inbox.js';

const LATER = 3_600_000;
const DAY = 86_400_000;

const all = (filter: DeliveryFilter = {}): Batch => ({ filter, after: 0, limit: 1_000 });
const only = (id: number): Batch => all({ firstId: id, lastId: id });
const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Makes a change in parts. Returns how many deliveries each has changed. */
async function inParts(
  limit: number,
  filter: DeliveryFilter,
  change: (batch: Batch) => Promise<BatchResult>,
): Promise<number[]> {
  const changed: number[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const result: BatchResult = await change({ filter, after, limit });
    changed.push(result.changed);
    expect(result.next ?? Infinity).toBeGreaterThan(after);
    after = result.next;
  }
  return changed;
}

/** What operators do with an inbox: part of the suite of the port. */
export function inboxOperationsSuite(adapter: Adapter): void {
  describe('operations', () => {
    let opened: OpenedInbox;

    const list = (
      filter: DeliveryFilter = {},
      page: Partial<Page> = {},
    ): Promise<readonly DeliverySummary[]> =>
      opened.inbox.list(filter, { order: 'oldest first', limit: 500, ...page });
    const ids = async (filter: DeliveryFilter = {}, page: Partial<Page> = {}): Promise<number[]> =>
      (await list(filter, page)).map(({ id }) => id);
    const states = async (): Promise<string> => (await list()).map(({ state }) => state).join(' ');

    /** 1 and 6 are handled, 2 is parked, 3 comes later, 4 is discarded, 5 is claimed, 7 and 8 wait. */
    const makeOneOfEach = async (): Promise<void> => {
      await opened.accept(8, { fields: [['X-Any', 'arbitrary']], mediaType: 'a/b' });
      await opened.settle(HANDLED, PARKED, failed(LATER), PARKED);
      await opened.inbox.discard(only(4), 'wrong plant');
      const [, six] = await opened.claim(2);
      await opened.inbox.settle(six!, HANDLED);
    };
    const ONE_OF_EACH = 'handled parked waiting discarded waiting handled waiting waiting';

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('find nothing in an inbox that is empty', async () => {
      const { inbox } = opened;

      expect(await list()).toEqual([]);
      expect(await inbox.find(1)).toBeUndefined();
      expect(await inbox.read(all())).toEqual({ deliveries: [], next: undefined });
      expect(await inbox.replay(all())).toEqual({ changed: 0, next: undefined });
      expect(await inbox.discard(all(), 'arbitrary')).toEqual({ changed: 0, next: undefined });
      expect(await inbox.stats()).toEqual({
        waiting: 0,
        handled: 0,
        parked: 0,
        discarded: 0,
        oldestWaitingAt: null,
        bytes: expect.any(Number),
        isPaused: false,
      });
    });

    describe('a list', () => {
      test('has what is known of each delivery', async () => {
        const before = Date.now();
        await makeOneOfEach();
        const after = Date.now();

        const listed = await list();

        const summary = {
          method: 'POST',
          mediaType: 'a/b',
          contentEncoding: null,
          eventId: null,
          bytes: 'content 1'.length,
          receivedAt: expect.any(Number),
          failures: 0,
          error: null,
          dueAt: null,
          reason: null,
        };
        expect(listed).toEqual([
          { ...summary, id: 1, state: 'handled' },
          { ...summary, id: 2, state: 'parked', failures: 1, error: 'no more' },
          { ...summary, id: 3, state: 'waiting', failures: 1, error: 'not yet', dueAt: expect.any(Number) },
          {
            ...summary,
            ...{ id: 4, state: 'discarded', failures: 1, error: 'no more', reason: 'wrong plant', bytes: 0 },
          },
          { ...summary, id: 5, state: 'waiting' },
          { ...summary, id: 6, state: 'handled' },
          { ...summary, id: 7, state: 'waiting' },
          { ...summary, id: 8, state: 'waiting' },
        ]);
        for (const { receivedAt } of listed) {
          expect(receivedAt).toBeGreaterThanOrEqual(before);
          expect(receivedAt).toBeLessThanOrEqual(after);
        }
        expect(listed[2]!.dueAt).toBeGreaterThanOrEqual(before + LATER);
        expect(listed[2]!.dueAt).toBeLessThanOrEqual(after + LATER + 1);
      });

      test('has the event, the content encoding and the method of a delivery', async () => {
        await opened.inbox.accept(
          incoming('a', { eventId: 'B\u00e4ume', contentEncoding: 'gzip', method: 'PUT', mediaType: null }),
        );

        expect(await list()).toMatchObject([
          { eventId: 'B\u00e4ume', contentEncoding: 'gzip', method: 'PUT', mediaType: null, bytes: 1 },
        ]);
      });

      test('is the same after the inbox was opened again', async () => {
        await makeOneOfEach();
        const before = await list();
        await opened.reopen();

        expect(await list()).toEqual(before);
      });

      test('shows as waiting after a crash what was handled behind a delivery that was claimed', async () => {
        await makeOneOfEach();
        await opened.reopenAfterCrash();

        expect(['waiting', 'handled']).toContain((await list())[5]!.state);
        expect((await list()).toSpliced(5, 1).map(({ state }) => state)).toEqual(
          ONE_OF_EACH.split(' ').toSpliced(5, 1),
        );
      });

      test('shows what an attempt leaves behind, until the next one succeeds', async () => {
        await opened.accept(1);
        await opened.settle(failed(0));
        expect(await list()).toMatchObject([{ state: 'waiting', failures: 1, error: 'not yet' }]);
        await opened.settle(HANDLED);

        expect(await list()).toMatchObject([{ state: 'handled', failures: 0, error: null, dueAt: null }]);
      });

      test.each<[name: string, filter: DeliveryFilter, want: number[]]>([
        ['handled', { state: 'handled' }, [1, 6]],
        ['waiting', { state: 'waiting' }, [3, 5, 7, 8]],
        ['parked', { state: 'parked' }, [2]],
        ['discarded', { state: 'discarded' }, [4]],
        ['some ids', { firstId: 3, lastId: 6 }, [3, 4, 5, 6]],
        ['one id', { firstId: 5, lastId: 5 }, [5]],
        ['no ids', { firstId: 6, lastId: 5 }, []],
        ['ids that are not there', { firstId: 9, lastId: 1_000_000 }, []],
        ['waiting ones up to an id', { state: 'waiting', lastId: 7 }, [3, 5, 7]],
        ['handled ones from an id on', { state: 'handled', firstId: 2 }, [6]],
        ['parked ones beyond', { state: 'parked', firstId: 3 }, []],
      ])('can be limited to: %s', async (_name, filter, want) => {
        await makeOneOfEach();

        expect(await ids(filter)).toEqual(want);
        expect(await ids(filter, { order: 'newest first' })).toEqual([...want].reverse());
        await opened.reopen();
        expect(await ids(filter)).toEqual(want);
      });

      test('can be limited to a time, whatever the clock did', async () => {
        for (const difference of [0, DAY, -DAY]) {
          const restore = setClock(difference);
          await opened.accept(2);
          restore();
        }
        const now = Date.now();
        const ranges = {
          past: [-Infinity, now - LATER],
          today: [now - LATER, now + LATER],
          future: [now + LATER],
        };

        const found = Object.entries(ranges).map(async ([name, [receivedFrom, receivedBefore]]) => {
          const filter = {
            ...(receivedFrom === -Infinity ? {} : { receivedFrom }),
            ...(receivedBefore === undefined ? {} : { receivedBefore }),
          };
          return [name, await ids(filter)];
        });

        expect(await Promise.all(found)).toEqual([
          ['past', [5, 6]],
          ['today', [1, 2]],
          ['future', [3, 4]],
        ]);
      });

      test('includes the beginning of a time, and not its end', async () => {
        await opened.accept(1);
        const [{ receivedAt } = { receivedAt: 0 }] = await list();

        expect(await ids({ receivedFrom: receivedAt, receivedBefore: receivedAt + 1 })).toEqual([1]);
        expect(await ids({ receivedFrom: receivedAt + 1 })).toEqual([]);
        expect(await ids({ receivedBefore: receivedAt })).toEqual([]);
      });

      test.each([1, 7, 100])('comes in pages of %d, in both orders', async (limit) => {
        await opened.accept(100);
        await opened.settle(...numbers(1, 50).map((id) => (id % 3 === 0 ? PARKED : HANDLED)));
        const inPages = async (filter: DeliveryFilter, order: Page['order']): Promise<number[]> => {
          const found: number[] = [];
          for (;;) {
            const page = await ids(filter, {
              order,
              limit,
              ...(found.length > 0 ? { after: found.at(-1)! } : {}),
            });
            if (page.length === 0) return found;
            expect(page.length).toBeLessThanOrEqual(limit);
            found.push(...page);
          }
        };

        const wanted: [filter: DeliveryFilter, want: number[]][] = [
          [{}, numbers(1, 100)],
          [{ state: 'handled' }, numbers(1, 50).filter((id) => id % 3 !== 0)],
          [{ state: 'parked', lastId: 40 }, numbers(1, 40).filter((id) => id % 3 === 0)],
          [{ state: 'waiting', firstId: 60 }, numbers(60, 100)],
        ];
        for (const [filter, want] of wanted) {
          expect(await inPages(filter, 'oldest first')).toEqual(want);
          expect(await inPages(filter, 'newest first')).toEqual(want.reverse());
        }
      });

      test('finds what is far away', async () => {
        await opened.accept(3_000);
        await opened.settle(PARKED, ...numbers(2, 3_000).map(() => HANDLED));
        await opened.inbox.replay(all({ firstId: 2, lastId: 2_990 }));

        expect(await ids({ state: 'parked' }, { order: 'newest first', limit: 5 })).toEqual([1]);
        expect(await ids({ receivedBefore: Date.now() + 1 }, { order: 'newest first', limit: 1 })).toEqual([
          3_000,
        ]);
      });
    });

    describe('one delivery', () => {
      test('has its fields and its content', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.find(2)).toEqual({
          ...(await list())[1],
          fields: [['X-Any', 'arbitrary']],
          content: Buffer.from('content 2'),
        });
      });

      test('that was discarded has neither', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.find(4)).toMatchObject({
          ...{ state: 'discarded', mediaType: 'a/b', reason: 'wrong plant', fields: [], bytes: 0 },
          content: Buffer.alloc(0),
        });
      });

      test.each([0, -1, 9, 1.5, Number.MAX_SAFE_INTEGER])('is not there with the id %d', async (id) => {
        await makeOneOfEach();

        expect(await opened.inbox.find(id)).toBeUndefined();
      });
    });

    describe('reading', () => {
      test.each([1, 3, 8, 1_000])('comes in parts of %d, with everything', async (limit) => {
        await makeOneOfEach();
        const read = [];
        for (let after: number | undefined = 0; after !== undefined;) {
          const { deliveries, next }: Awaited<ReturnType<typeof opened.inbox.read>> = await opened.inbox.read(
            {
              ...{ filter: {}, after, limit },
            },
          );
          read.push(...deliveries);
          after = next;
        }

        expect(read).toEqual(await Promise.all(numbers(1, 8).map((id) => opened.inbox.find(id))));
      });

      test('has only what the filter lets through', async () => {
        await makeOneOfEach();

        const { deliveries, next } = await opened.inbox.read(all({ state: 'waiting', firstId: 4 }));
        expect(deliveries.map(({ id }) => id)).toEqual([5, 7, 8]);
        expect(next).toBeUndefined();
      });

      test('misses nothing while another delivery is replayed', async () => {
        await makeOneOfEach();
        const part: Batch = { filter: { state: 'waiting' }, after: 0, limit: 3 };

        const replaying = opened.inbox.replay(only(6));
        const first = await opened.inbox.read(part);
        await replaying;
        const rest = await opened.inbox.read({ ...part, after: first.next! });

        const found = [...first.deliveries, ...rest.deliveries].map(({ id }) => id);
        expect(found).toEqual(expect.arrayContaining([3, 5, 7, 8]));
      });

      test('has few large contents in a part', async () => {
        for (let id = 1; id <= 20; id += 1) await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, id)));

        const first = await opened.inbox.read(all());

        expect(first.deliveries.length).toBeLessThan(20);
        expect(first.next).toBe(first.deliveries.at(-1)!.id);
        const rest = await opened.inbox.read({ ...all(), after: first.next! });
        expect(rest.deliveries[0]!.id).toBe(first.next! + 1);
        expect(rest.deliveries[0]!.content.every((byte) => byte === first.next! + 1)).toBe(true);
      });
    });

    test('a content that is larger than a part is a part of its own', async () => {
      await opened.inbox.accept(incoming(Buffer.alloc(5_000_000, 'a')));
      await opened.accept(1);

      const { deliveries, next } = await opened.inbox.read(all());
      expect(deliveries.map(({ id }) => id)).toEqual([1]);
      expect(next).toBe(1);
    });

    test('a large content that is discarded meanwhile is read whole, or not at all', async () => {
      const content = Buffer.alloc(5_000_000, 'arbitrary');
      await opened.inbox.accept(incoming(content));
      await opened.settle(PARKED);
      const { inbox } = opened;

      const discarding = inbox.discard(only(1), 'arbitrary');
      const [found, { deliveries }] = await Promise.all([inbox.find(1), inbox.read(all())]);
      await discarding;

      for (const delivery of [found, ...deliveries]) {
        const want = delivery!.state === 'parked' ? content : Buffer.of();
        expect(want.equals(delivery!.content)).toBe(true);
        expect(delivery!.bytes).toBe(want.length);
      }
      expect(await states()).toBe('discarded');
    });

    describe('replaying', () => {
      test('brings back what was handled, parked or comes later, and nothing else', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.replay(all())).toEqual({ changed: 4, next: undefined });

        expect(await states()).toBe('waiting waiting waiting discarded waiting waiting waiting waiting');
        const claimed = await opened.claim();
        expect(claimed.map(({ id }) => id).sort()).toEqual([1, 2, 3, 6, 7, 8]);
        for (const { failures, suspect, fields, content, id } of claimed) {
          expect({ failures, suspect, fields }).toEqual({
            ...{ failures: 0, suspect: false, fields: [['X-Any', 'arbitrary']] },
          });
          expect(Buffer.from(content).toString()).toBe(`content ${id}`);
        }
      });

      test('lasts', async () => {
        await makeOneOfEach();
        await opened.inbox.replay(all());
        await opened.reopenAfterCrash();
        const interrupted = await opened.inbox.recover(LATER);

        expect(interrupted).toEqual([{ id: 5, failures: 0 }]);
        expect((await opened.claimIds()).sort()).toEqual([1, 2, 3, 6, 7, 8]);
      });

      test('forgets the failures and the error', async () => {
        await opened.accept(2);
        await opened.settle(PARKED, failed(LATER));
        await opened.inbox.replay(all());

        expect(await list()).toMatchObject(
          [1, 2].map((id) => ({ id, state: 'waiting', failures: 0, error: null, dueAt: null })),
        );
        await opened.settle(failed(0), HANDLED);
        expect(await list()).toMatchObject([{ failures: 1, error: 'not yet' }, { state: 'handled' }]);
      });

      test('makes one that has failed come at once, and counts it once', async () => {
        await opened.accept(1);
        await opened.settle(failed(LATER));

        expect(await opened.inbox.replay(all())).toMatchObject({ changed: 1 });
        expect(await opened.inbox.replay(all())).toMatchObject({ changed: 0 });
        expect(await opened.claimIds()).toEqual([1]);
        expect(await opened.claimIds()).toEqual([]);
      });

      test('leaves out what the handler has, the first time or again', async () => {
        await opened.accept(3);
        await opened.settle(failed(0));
        const claimed = await opened.claim();
        expect(claimed.map(({ id }) => id).sort()).toEqual([1, 2, 3]);

        expect(await opened.inbox.replay(all())).toEqual({ changed: 0, next: undefined });
        const settled = claimed.map((delivery) => opened.inbox.settle(delivery, HANDLED));
        await Promise.all(settled);

        expect(await states()).toBe('handled handled handled');
        expect(await opened.claimIds()).toEqual([]);
        expect(await opened.inbox.replay(all())).toMatchObject({ changed: 3 });
        expect((await opened.claimIds()).sort()).toEqual([1, 2, 3]);
      });

      test('at the same time as a result changes nothing about that result, or brings its delivery back', async () => {
        await opened.accept(4);
        const claimed = await opened.claim();
        const results = [HANDLED, PARKED, failed(LATER), HANDLED];
        const [{ changed }] = await Promise.all([
          opened.inbox.replay(all()),
          ...claimed.map((delivery, index) => opened.inbox.settle(delivery, results[index]!)),
        ]);

        const waiting = (await list({ state: 'waiting' })).filter(({ failures }) => failures === 0);
        expect(waiting).toHaveLength(changed);
        expect(await opened.claimIds()).toHaveLength(changed);
      });

      test.each(['replay first', 'discard first'])(
        'at the same time as a discard: %s, and only that counts',
        async (order) => {
          await opened.accept(20);
          await opened.settle(...numbers(1, 20).map(() => PARKED));
          const replay = (id: number): Promise<BatchResult> => opened.inbox.replay(only(id));
          const discard = (id: number): Promise<BatchResult> => opened.inbox.discard(only(id), 'arbitrary');
          const [first, second] = order === 'replay first' ? [replay, discard] : [discard, replay];

          const results = await Promise.all(numbers(1, 20).map((id) => Promise.all([first(id), second(id)])));

          expect(results.map(([one, other]) => one.changed + other.changed)).toEqual(results.map(() => 1));
          for (const { id, state } of await list()) {
            const { content } = (await opened.inbox.find(id))!;
            expect(Buffer.from(content).toString()).toBe(state === 'waiting' ? `content ${id}` : '');
          }
          expect(await opened.claimIds()).toEqual(await ids({ state: 'waiting' }));
        },
      );

      test('twice at the same time brings a delivery back once', async () => {
        await opened.accept(3);
        await opened.settle(HANDLED, PARKED, HANDLED);

        const results = await Promise.all([opened.inbox.replay(all()), opened.inbox.replay(all())]);

        expect(results.map(({ changed }) => changed).sort()).toEqual([0, 3]);
        expect((await opened.claimIds()).sort()).toEqual([1, 2, 3]);
        expect(await opened.inbox.stats()).toMatchObject({ waiting: 3, handled: 0, parked: 0 });
      });

      test('works while an earlier delivery is under way, and after a crash', async () => {
        await opened.accept(4);
        const [, two, three] = await opened.claim(3);
        await opened.inbox.settle(two!, HANDLED);
        await opened.inbox.settle(three!, PARKED);
        expect(await opened.inbox.replay(all())).toMatchObject({ changed: 2 });
        expect(await opened.inbox.stats()).toMatchObject({ waiting: 4, handled: 0, parked: 0 });
        await opened.reopenAfterCrash();

        expect(await opened.inbox.stats()).toMatchObject({ waiting: 4, handled: 0, parked: 0 });
        await opened.inbox.recover(LATER);
        expect((await opened.claimIds()).sort()).toEqual([2, 3, 4]);
      });

      test.each([1, 3, 100])('is made in parts of %d, in order', async (limit) => {
        await opened.accept(10);
        await opened.settle(...numbers(1, 10).map((id) => (id % 2 === 0 ? PARKED : HANDLED)));

        const changed = await inParts(limit, { state: 'parked' }, (batch) => opened.inbox.replay(batch));

        expect(changed.reduce((sum, one) => sum + one, 0)).toBe(5);
        for (const one of changed) expect(one).toBeLessThanOrEqual(limit);
        expect(await opened.claimIds()).toEqual([2, 4, 6, 8, 10]);
      });

      test('in parts goes on while deliveries are accepted and handled, and each comes once', async () => {
        await opened.accept(200);
        await opened.settle(...numbers(1, 200).map(() => PARKED));
        const seen: number[] = [];
        let isReplaying = true;
        const handle = async (): Promise<void> => {
          while (isReplaying || seen.length < 400) {
            const claimed = await opened.claim(20);
            seen.push(...claimed.map(({ id }) => id));
            await Promise.all(claimed.map((delivery) => opened.inbox.settle(delivery, HANDLED)));
            await turnOfTheLoop();
          }
        };
        const handling = handle();
        const accepting = opened.accept(200);
        await inParts(7, { state: 'parked' }, (batch) => opened.inbox.replay(batch));
        isReplaying = false;
        await Promise.all([accepting, handling]);

        expect(seen.sort((one, other) => one - other)).toEqual(numbers(1, 400));
        expect(await opened.inbox.stats()).toMatchObject({ waiting: 0, handled: 400, parked: 0 });
      });

      test('does not make a delivery of a stored event new', async () => {
        await opened.inbox.accept(incoming('first', { eventId: 'a' }));
        await opened.settle(HANDLED);
        await opened.inbox.replay(all());

        expect(await opened.inbox.accept(incoming('second', { eventId: 'a' }))).toBe(1);
        expect(await opened.claimIds()).toEqual([1]);
      });
    });

    describe('discarding', () => {
      test('is for parked deliveries only', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.discard(all(), 'arbitrary')).toEqual({ changed: 1, next: undefined });
        expect(await states()).toBe(ONE_OF_EACH.replace('parked', 'discarded'));
      });

      test('keeps the reason and the error, and lasts', async () => {
        await opened.accept(1);
        await opened.settle(PARKED);
        await opened.inbox.discard(all(), 'of no use');
        const before = await list();
        expect(before).toMatchObject([
          { state: 'discarded', error: 'no more', reason: 'of no use', failures: 1 },
        ]);
        await opened.reopenAfterCrash();
        await opened.inbox.recover(LATER);

        expect(await list()).toEqual(before);
        expect(await opened.claimIds()).toEqual([]);
      });

      test.each(['a', '\0 \ud800 \u{1f333} "\\ \'', 'long-'.repeat(100_000)])(
        'may have any reason (%#)',
        async (reason) => {
          await opened.accept(1);
          await opened.settle(PARKED);
          await opened.inbox.discard(all(), reason);

          const [{ reason: kept } = { reason: null }] = await list();
          expect(kept!.length).toBeLessThanOrEqual(1_000);
          expect(kept).toBe(reason.slice(0, 1_000).replaceAll(/[\0\p{Surrogate}]/gu, '\u{fffd}'));
        },
      );

      test('is not undone: what was discarded is neither replayed nor discarded again', async () => {
        await opened.accept(1);
        await opened.settle(PARKED);
        await opened.inbox.discard(all(), 'first');

        expect(await opened.inbox.replay(all())).toMatchObject({ changed: 0 });
        expect(await opened.inbox.discard(all(), 'second')).toMatchObject({ changed: 0 });
        expect(await list()).toMatchObject([{ state: 'discarded', reason: 'first' }]);
      });

      test('is made in parts, smaller ones if contents are large', async () => {
        for (let id = 1; id <= 12; id += 1) await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, id)));
        await opened.settle(...numbers(1, 12).map(() => PARKED));

        const changed = await inParts(10, {}, (batch) => opened.inbox.discard(batch, 'arbitrary'));

        expect(changed.reduce((sum, one) => sum + one, 0)).toBe(12);
        expect(Math.max(...changed)).toBeLessThan(10);
      });

      test('behind a delivery that is under way lasts, too', async () => {
        await opened.accept(3);
        const [, two] = await opened.claim(2);
        await opened.inbox.settle(two!, PARKED);
        await opened.inbox.discard(all(), 'arbitrary');
        await opened.reopenAfterCrash();

        expect(await opened.inbox.stats()).toMatchObject({ waiting: 2, discarded: 1, handled: 0 });
        expect(await ids({ state: 'waiting' })).toEqual([1, 3]);
        await opened.inbox.recover(LATER);
        expect(await opened.claimIds()).toEqual([3]);
        expect(await opened.inbox.stats()).toMatchObject({ waiting: 2, discarded: 1, handled: 0 });
      });

      test('an event keeps its identity', async () => {
        await opened.inbox.accept(incoming('first', { eventId: 'a' }));
        await opened.settle(PARKED);
        await opened.inbox.discard(all(), 'arbitrary');

        expect(await opened.inbox.accept(incoming('second', { eventId: 'a' }))).toBe(1);
        expect(await states()).toBe('discarded');
      });
    });

    describe('while the handler is paused', () => {
      test('nothing is claimed, and everything else goes on', async () => {
        await opened.accept(2);
        const [one] = await opened.claim(1);
        await opened.inbox.setPaused(true);

        expect(await opened.inbox.claim(10)).toEqual({ deliveries: [], nextDueIn: undefined });
        expect(await opened.accept(1)).toEqual([3]);
        await opened.inbox.settle(one!, failed(0));
        expect(await opened.inbox.claim(10)).toEqual({ deliveries: [], nextDueIn: undefined });
        expect(await opened.inbox.stats()).toMatchObject({ isPaused: true, waiting: 3 });

        await opened.inbox.setPaused(false);
        expect((await opened.claimIds()).sort()).toEqual([1, 2, 3]);
        expect(await opened.inbox.stats()).toMatchObject({ isPaused: false });
      });

      test('it stays so after a crash, until somebody resumes it', async () => {
        await opened.accept(1);
        await opened.inbox.setPaused(true);
        await opened.reopenAfterCrash();
        await opened.inbox.recover(LATER);
        expect(await opened.claimIds()).toEqual([]);
        await opened.inbox.setPaused(false);
        await opened.reopenAfterCrash();
        await opened.inbox.recover(LATER);

        expect(await opened.claimIds()).toEqual([1]);
      });

      test('what a crash cut off is counted', async () => {
        await opened.accept(1);
        await opened.claim();
        await opened.inbox.setPaused(true);
        await opened.reopenAfterCrash();

        expect(await opened.inbox.recover(LATER)).toEqual([{ id: 1, failures: 0 }]);
        await opened.inbox.settle({ id: 1, failures: 0 }, failed(0));
        expect(await opened.claimIds()).toEqual([]);
        expect(await list()).toMatchObject([{ failures: 1 }]);
      });
    });

    describe('stats', () => {
      test('count each state', async () => {
        await makeOneOfEach();

        const counts = { waiting: 4, handled: 2, parked: 1, discarded: 1 };
        expect(await opened.inbox.stats()).toMatchObject(counts);
        expect(await opened.inbox.stats()).toMatchObject({ waiting: 4, parked: 1 });
        await opened.reopen();
        expect(await opened.inbox.stats()).toMatchObject(counts);
      });

      test('have the time of the oldest delivery that waits', async () => {
        await opened.accept(1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        await opened.accept(2);
        const times = (await list()).map(({ receivedAt }) => receivedAt);
        const oldest = async (): Promise<number | null> => (await opened.inbox.stats()).oldestWaitingAt;

        expect(await oldest()).toBe(times[0]);
        await opened.settle(HANDLED);
        expect(await oldest()).toBe(times[1]);
        const claimed = await opened.claim();
        expect(await oldest()).toBe(times[1]);
        for (const delivery of claimed) await opened.inbox.settle(delivery, failed(LATER));
        expect(await oldest()).toBe(times[1]);
        await opened.inbox.replay(only(1));
        expect(await oldest()).toBe(times[0]);
      });

      test('have the size, which grows with the contents', async () => {
        const before = (await opened.inbox.stats()).bytes;
        for (let count = 0; count < 4; count += 1) await opened.inbox.accept(incoming(Buffer.alloc(500_000)));

        expect((await opened.inbox.stats()).bytes - before).toBeGreaterThan(1_900_000);
      });
    });

    test('a check finds that it can be written', async () => {
      await opened.accept(1);
      await opened.inbox.check();
      await opened.inbox.setPaused(true);
      await opened.inbox.check();

      expect(await opened.inbox.stats()).toMatchObject({ isPaused: true, waiting: 1 });
    });
  });
}
