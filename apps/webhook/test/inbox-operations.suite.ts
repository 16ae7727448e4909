import type { Act, DeliveryFilter, Page, Search } from '../src/inbox/inbox-operations.js';
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
  untilStored,
  expectNow,
} from './open-inbox.js';

const LATER = 3_600_000;
const DAY = 86_400_000;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** What operators do with an inbox: part of the suite of the port. */
export function inboxOperationsSuite(adapter: Adapter): void {
  describe('operations', () => {
    let opened: OpenedInbox;

    /** 1 and 6 are handled, 2 is parked, 3 is retrying, 4 is discarded, 5 runs, 7 and 8 wait. */
    const makeOneOfEach = async (): Promise<void> => {
      await opened.accept(8, { fields: [['X-Any', 'arbitrary']], mediaType: 'a/b' });
      await opened.settle(HANDLED, PARKED, failed(LATER), PARKED);
      await opened.discard(only(4), 'wrong plant');
      const [, six] = await opened.claim(2);
      await opened.end(six!, HANDLED);
    };
    const ONE_OF_EACH = 'handled parked retrying discarded running handled waiting waiting';

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('find nothing in an inbox that is empty', async () => {
      const { inbox } = opened;
      const none = { waiting: 0, running: 0, retrying: 0, handled: 0, parked: 0, discarded: 0 };

      expect(await opened.list()).toEqual([]);
      expect(await inbox.operations.find(1)).toBeUndefined();
      expect(await inbox.operations.read(all())).toEqual({ deliveries: [], next: undefined });
      expect(await opened.replay()).toMatchObject({ changed: 0, endedAt: expect.any(Number) });
      expect(await opened.discard()).toMatchObject({ changed: 0, endedAt: expect.any(Number) });
      expect(await inbox.operations.count({})).toEqual(none);
      expect(await inbox.operations.errorGroups()).toEqual({ groups: [], isComplete: true });
      expect(await inbox.operations.search({ text: 'a', filter: {}, limit: 1, maxDuration: 1_000 })).toEqual({
        deliveries: [],
        next: undefined,
      });
      expect(await inbox.operations.stats()).toEqual({
        ...{ ...none, oldestWaitingAt: null, nextRetryAt: null, isPaused: false },
        ...{ bytes: expect.any(Number), now: expect.any(Number) },
      });
    });

    describe('a list', () => {
      test('has what is known of each delivery', async () => {
        await makeOneOfEach();

        const listed = await opened.list();

        const some = expect.any(Number);
        const summary = {
          method: 'POST',
          mediaType: 'a/b',
          contentEncoding: null,
          eventId: null,
          bytes: 'content 1'.length,
          receivedAt: some,
          startedAt: some,
          endedAt: some,
          attempts: 1,
          replayedAt: null,
          error: null,
          dueAt: null,
          reason: null,
        };
        const untouched = { state: 'waiting', attempts: 0, startedAt: null, endedAt: null };
        expect(listed).toEqual([
          { ...summary, id: 1, preview: 'content 1', state: 'handled' },
          { ...summary, id: 2, preview: 'content 2', state: 'parked', error: 'no more' },
          { ...summary, id: 3, preview: 'content 3', state: 'retrying', error: 'not yet', dueAt: some },
          { ...summary, id: 4, preview: '', state: 'discarded', error: 'no more', reason: 'wrong plant' },
          { ...summary, id: 5, preview: 'content 5', state: 'running', endedAt: null },
          { ...summary, id: 6, preview: 'content 6', state: 'handled' },
          { ...summary, id: 7, preview: 'content 7', ...untouched },
          { ...summary, id: 8, preview: 'content 8', ...untouched },
        ]);
        expectNow(listed[2]!.dueAt! - LATER);
        await opened.reopen();
        expect((await opened.list()).toSpliced(4, 1)).toEqual(listed.toSpliced(4, 1));
      });

      test.each([
        ['{"a":\n\t"Grün"}', '{"a": "Grün"}'],
        [`${'a'.repeat(119)}äb`, 'a'.repeat(119)],
        [Buffer.of(0xff, 0xfe), null],
        [Buffer.from('PK\u0003\u0004'), null],
        ['', ''],
      ])('shows how a content begins, if it is text: %j', async (content, preview) => {
        await opened.inbox.accept(incoming(content));

        expect(await opened.list()).toMatchObject([{ preview }]);
      });

      test('shows what an attempt leaves behind, until the next one succeeds', async () => {
        await opened.accept(1);
        await opened.settle(failed(0));
        expect(await opened.list()).toMatchObject([{ state: 'retrying', attempts: 1, error: 'not yet' }]);
        await opened.settle(HANDLED);

        expect(await opened.list()).toMatchObject([{ state: 'handled', attempts: 2, error: null }]);
      });

      const selections: readonly (readonly [name: string, filter: DeliveryFilter, want: number[]])[] = [
        ['handled', { state: 'handled' }, [1, 6]],
        ['waiting', { state: 'waiting' }, [7, 8]],
        ['retrying', { state: 'retrying' }, [3]],
        ['running', { state: 'running' }, [5]],
        ['discarded', { state: 'discarded' }, [4]],
        ['some ids', { firstId: 3, lastId: 6 }, [3, 4, 5, 6]],
        ['no ids', { firstId: 6, lastId: 5 }, []],
        ['ids that are not there', { firstId: 9, lastId: 1_000_000 }, []],
        ['waiting ones up to an id', { state: 'waiting', lastId: 7 }, [7]],
        ['those of an error', { errorGroup: 'not yet' }, [3]],
        ['those that are named', { ids: [2, 7, 70] }, [2, 7]],
      ];

      test('can be limited', async () => {
        await makeOneOfEach();

        for (const [name, filter, want] of selections) {
          const count = sum(Object.values(await opened.inbox.operations.count(filter)));
          expect([name, await opened.ids(filter), count]).toEqual([name, want, want.length]);
        }
      });

      test('can be limited to a time, from its beginning until before its end', async () => {
        await opened.accept(1);
        await opened.age(DAY);
        await opened.accept(1);
        await opened.age(-2 * DAY);
        await opened.accept(1);
        const [one, two, three] = (await opened.list()).map(({ receivedAt }) => receivedAt);
        expect([three! < one!, one! < two!]).toEqual([true, true]);

        expect(await opened.ids({ receivedBefore: one! })).toEqual([3]);
        expect(await opened.ids({ receivedFrom: one!, receivedBefore: two! })).toEqual([1]);
        expect(await opened.ids({ receivedFrom: one! + 1 })).toEqual([2]);
      });

      test('comes in pages, in both orders', async () => {
        await opened.accept(50);
        await opened.settle(...numbers(1, 30).map((id) => (id % 3 === 0 ? PARKED : HANDLED)));
        const inPages = async (
          limit: number,
          filter: DeliveryFilter,
          order: Page['order'],
        ): Promise<number[]> => {
          const found: number[] = [];
          for (;;) {
            const after = found.at(-1);
            const page = await opened.inbox.operations.list(filter, {
              ...{ order, limit, ...(after !== undefined && { after }) },
            });
            if (page.length === 0) return found;
            expect(page.length).toBeLessThanOrEqual(limit);
            found.push(...page.map(({ id }) => id));
          }
        };

        const wanted: [filter: DeliveryFilter, want: number[]][] = [
          [{}, numbers(1, 50)],
          [{ state: 'parked', lastId: 20 }, numbers(1, 20).filter((id) => id % 3 === 0)],
        ];
        for (const limit of [1, 7, 100]) {
          for (const [filter, want] of wanted) {
            expect(await inPages(limit, filter, 'oldest first')).toEqual(want);
            expect(await inPages(limit, filter, 'newest first')).toEqual(want.toReversed());
          }
        }
      });
    });

    describe('one delivery', () => {
      test('has its fields, its content and its history', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.operations.find(2)).toEqual({
          ...(await opened.list())[1],
          preview: undefined,
          key: expect.any(String) as string,
          fields: [['X-Any', 'arbitrary']],
          act: null,
          content: Buffer.from('content 2'),
          history: [
            {
              number: 1,
              startedAt: expect.any(Number),
              duration: expect.any(Number),
              receiver: expect.stringContaining(String(process.pid)),
              error: 'no more',
              stack: null,
            },
          ],
        });
      });

      test('that was discarded has neither fields nor content, and keeps its size', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.operations.find(4)).toMatchObject({
          ...{
            state: 'discarded',
            mediaType: 'a/b',
            reason: 'wrong plant',
            fields: [],
            bytes: 'content 1'.length,
          },
          content: Buffer.alloc(0),
        });
      });

      test('has of its failed attempts the first and the last nine, also those before a replay', async () => {
        await opened.accept(1);
        for (let count = 0; count < 12; count += 1) await opened.settle(failed(0));
        await opened.settle(PARKED);
        const numbersOf = async (): Promise<number[]> =>
          (await opened.inbox.operations.find(1))!.history.map(({ number }) => number);
        expect(await numbersOf()).toEqual([1, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
        await opened.replay();
        await opened.settle(failed(0));

        expect(await numbersOf()).toEqual([1, 6, 7, 8, 9, 10, 11, 12, 13, 1]);
        await opened.claim();
        await opened.reopenAfterCrash();
        expect(await numbersOf()).toEqual([1, 7, 8, 9, 10, 11, 12, 13, 1, 2]);
      });

      test('is not there with another id', async () => {
        await makeOneOfEach();

        for (const id of [0, -1, 9, 1.5, Number.MAX_SAFE_INTEGER])
          expect([id, await opened.inbox.operations.find(id)]).toEqual([id, undefined]);
      });
    });

    describe('reading', () => {
      test('comes in parts, with everything but the history and the act', async () => {
        await makeOneOfEach();
        const stored = await Promise.all(numbers(1, 8).map((id) => opened.inbox.operations.find(id)));
        const found = stored.map((delivery) => ({ ...delivery, history: undefined, act: undefined }));

        for (const limit of [1, 3, 1_000]) {
          const read = [];
          for (let after: number | undefined = 0; after !== undefined;) {
            const part: Awaited<ReturnType<typeof opened.inbox.operations.read>> =
              await opened.inbox.operations.read({
                ...{ filter: {}, after, limit },
              });
            read.push(...part.deliveries);
            after = part.next;
          }
          expect(read).toEqual(found);
        }
      });

      test('has few large contents in a part', async () => {
        for (const id of numbers(1, 20)) await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, id)));
        await opened.inbox.accept(incoming(Buffer.alloc(5_000_000, 21)));

        const first = await opened.inbox.operations.read(all());

        expect(first.deliveries.length).toBeLessThan(10);
        expect(first.next).toBe(first.deliveries.at(-1)!.id);
        const large = await opened.inbox.operations.read(all(only(21)));
        expect(large.deliveries[0]!.content.every((byte) => byte === 21)).toBe(true);
      });
    });

    describe('replaying', () => {
      test('brings back what was handled, parked or retrying, and nothing else', async () => {
        await makeOneOfEach();

        expect(await opened.replay()).toMatchObject({ changed: 4 });

        expect(await opened.states()).toBe(
          'waiting waiting waiting discarded running waiting waiting waiting',
        );
        const claimed = await opened.claim();
        expect(claimed.map(({ id }) => id).sort()).toEqual([1, 2, 3, 6, 7, 8]);
        for (const { attempts, fields, content, id } of claimed) {
          expect({ attempts, fields }).toEqual({ attempts: 1, fields: [['X-Any', 'arbitrary']] });
          expect(Buffer.from(content).toString()).toBe(`content ${id}`);
        }
      });

      test('forgets the attempts and the error, makes it due at once, counts it once, and lasts', async () => {
        await opened.accept(2);
        await opened.settle(PARKED, failed(LATER));

        expect(await opened.replay()).toMatchObject({ changed: 2 });
        expect(await opened.replay()).toMatchObject({ changed: 0 });
        await opened.reopenAfterCrash();

        expect(await opened.list()).toMatchObject(
          [1, 2].map((id) => ({
            ...{ id, state: 'waiting', attempts: 0, error: null, dueAt: null },
            replayedAt: expect.any(Number),
          })),
        );
        expect((await opened.claimIds()).sort()).toEqual([1, 2]);
      });

      test('at the same time as a result changes nothing about that result, or brings its delivery back', async () => {
        await opened.accept(4);
        const claimed = await opened.claim();
        const results = [HANDLED, PARKED, failed(LATER), HANDLED];
        const [{ changed }] = await Promise.all([
          opened.replay(),
          ...claimed.map((delivery, index) => opened.end(delivery, results[index]!)),
        ]);

        expect(await opened.claimIds()).toHaveLength(changed);
      });

      test.each(['replay first', 'discard first'])(
        'at the same time as a discard: %s, and only that counts',
        async (order) => {
          await opened.accept(20);
          await opened.settle(...numbers(1, 20).map(() => PARKED));
          const replay = (id: number): Promise<Act> => opened.replay(only(id));
          const discard = (id: number): Promise<Act> => opened.discard(only(id));
          const [first, second] = order === 'replay first' ? [replay, discard] : [discard, replay];

          const results = await Promise.all(numbers(1, 20).map((id) => Promise.all([first(id), second(id)])));

          expect(results.map(([one, other]) => one.changed + other.changed)).toEqual(results.map(() => 1));
          for (const { id, state } of await opened.list()) {
            const { content } = (await opened.inbox.operations.find(id))!;
            expect(Buffer.from(content).toString()).toBe(state === 'waiting' ? `content ${id}` : '');
          }
        },
      );

      test('goes on while deliveries are accepted and handled, and each comes once', async () => {
        await opened.accept(1_200);
        await opened.settle(...numbers(1, 1_200).map(() => PARKED));
        const seen: number[] = [];
        let isReplaying = true;
        const handle = async (): Promise<void> => {
          while (isReplaying || seen.length < 1_400) {
            const claimed = await opened.claim(20);
            seen.push(...claimed.map(({ id }) => id));
            claimed.forEach((delivery) => opened.inbox.settle(delivery, HANDLED));
          }
        };
        const handling = handle();
        const accepting = opened.accept(200);
        const { changed } = await opened.replay({ state: 'parked' });
        isReplaying = false;
        await Promise.all([accepting, handling]);
        await untilStored(opened.inbox);

        expect(changed).toBe(1_200);
        expect(seen.sort((one, other) => one - other)).toEqual(numbers(1, 1_400));
        expect(await opened.inbox.operations.stats()).toMatchObject({
          waiting: 0,
          handled: 1_400,
          parked: 0,
        });
      });

      test('does not make a delivery of a stored event new', async () => {
        await opened.inbox.accept(incoming('first', { eventId: 'a' }));
        await opened.settle(HANDLED);
        await opened.replay();

        expect(await opened.inbox.accept(incoming('second', { eventId: 'a' }))).toBe(1);
        expect(await opened.claimIds()).toEqual([1]);
      });
    });

    describe('discarding', () => {
      test('is for parked deliveries only, keeps the reason and the error, and lasts', async () => {
        await makeOneOfEach();

        expect(await opened.discard({}, 'of no use')).toMatchObject({ changed: 1 });
        expect(await opened.states()).toBe(ONE_OF_EACH.replace('parked', 'discarded'));
        await opened.reopenAfterCrash();

        expect(await opened.list({ lastId: 2, state: 'discarded' })).toMatchObject([
          { id: 2, error: 'no more', reason: 'of no use', attempts: 1 },
        ]);
        expect(await opened.replay(only(2))).toMatchObject({ changed: 0 });
      });

      test.each(['\0 \ud800 \u{1f333} "\\ \'', 'long-'.repeat(100_000)])(
        'may have any reason (%#)',
        async (reason) => {
          await opened.accept(1);
          await opened.settle(PARKED);
          await opened.discard({}, reason);

          const [{ reason: kept } = { reason: null }] = await opened.list();
          expect(kept).toBe(reason.slice(0, 1_000).replaceAll(/[\0\p{Surrogate}]/gu, '\u{fffd}'));
        },
      );
    });

    describe('while the handler is paused', () => {
      test('nothing is claimed, and everything else goes on', async () => {
        await opened.accept(1);
        const [one] = await opened.claim();
        await opened.inbox.operations.setPaused(true);
        await opened.accept(2);

        expect(await opened.claim()).toEqual([]);
        await opened.end(one!, failed(0));
        expect(await opened.claim()).toEqual([]);
        expect(await opened.inbox.operations.stats()).toMatchObject({
          isPaused: true,
          waiting: 2,
          retrying: 1,
        });
        await opened.inbox.operations.setPaused(false);

        expect((await opened.claimIds()).sort()).toEqual([1, 2, 3]);
        expect(await opened.inbox.operations.stats()).toMatchObject({ isPaused: false });
      });

      test('it stays so after a crash, until somebody resumes it', async () => {
        await opened.accept(2);
        await opened.claim(1);
        await opened.inbox.operations.setPaused(true);
        await opened.reopenAfterCrash();
        expect(await opened.claimIds()).toEqual([]);
        await opened.inbox.operations.setPaused(false);
        await opened.reopenAfterCrash();

        expect((await opened.claimIds()).sort()).toEqual([1, 2]);
      });
    });

    test('groups of errors have what is parked or retrying, the most frequent first', async () => {
      const error = (text: string) => ({ error: text, stack: null, duration: 1 });
      await opened.accept(6);
      await opened.settle(
        { kind: 'parked', ...error('no plant 7') },
        { kind: 'parked', ...error('the same') },
        { kind: 'failed', retryAfter: LATER, ...error('no plant 8') },
        { kind: 'failed', retryAfter: LATER, ...error('the same') },
        { kind: 'parked', ...error('no plant 9') },
        HANDLED,
      );
      await opened.accept(1);

      const { groups, isComplete } = await opened.inbox.operations.errorGroups();

      const times = { firstAt: expect.any(Number), lastAt: expect.any(Number) };
      expect(groups).toEqual([
        { group: 'no plant …', message: 'no plant …', parked: 2, retrying: 1, ...times },
        { group: 'the same', message: 'the same', parked: 1, retrying: 1, ...times },
      ]);
      expectNow(groups[0]!.firstAt);
      expect(groups[0]!.lastAt).toBeGreaterThanOrEqual(groups[0]!.firstAt);
      expect(isComplete).toBe(true);
      expect(await opened.list({ errorGroup: '\0' })).toEqual([]);
      await opened.replay({ errorGroup: 'no plant …' });
      expect((await opened.inbox.operations.errorGroups()).groups).toMatchObject([{ group: 'the same' }]);
    });

    test('show and find header fields as UTF-8 where they are, and keep them as they came', async () => {
      const { inbox } = opened;
      const sent = (text: string): string => Buffer.from(text).toString('latin1');
      const fields = [
        ['X-City', sent('Grünland')],
        ['X-Latin', 'Gr\xfcnland'],
      ] as const;
      await inbox.accept(incoming('a', { fields, mediaType: sent('text/grün'), contentEncoding: 'gr\xfcn' }));
      const search = async (text: string): Promise<unknown> =>
        (await inbox.operations.search({ text, filter: {}, limit: 10, maxDuration: 60_000 })).deliveries
          .length;

      const shown = { mediaType: 'text/grün', contentEncoding: 'grün' };
      expect(await opened.list()).toMatchObject([shown]);
      expect(await inbox.operations.find(1)).toMatchObject({
        ...shown,
        fields: [
          ['X-City', 'Grünland'],
          ['X-Latin', 'Grünland'],
        ],
      });
      expect((await inbox.operations.read(all())).deliveries).toMatchObject([{ fields }]);
      expect([await search('Grünland'), await search('> Grünland')]).toEqual([1, 0]);
    });

    describe('a search', () => {
      const search = async (text: string, given: Partial<Search> = {}): Promise<number[]> => {
        const request = { text, filter: {}, limit: 10, maxDuration: 60_000, ...given };
        return (await opened.inbox.operations.search(request)).deliveries.map(({ id }) => id);
      };

      test('finds exact characters in content, header fields, error, key and event, the newest first', async () => {
        const { inbox } = opened;
        const sought = 'a "Bäume" \\ 100% _';
        await inbox.accept(incoming(`${sought} of the content`));
        await inbox.accept(incoming('', { fields: [['X-Any', `> ${sought} <`]] }));
        await inbox.accept(incoming('', { eventId: `1 ${sought}` }));
        await inbox.accept(incoming(Buffer.concat([Buffer.from([0, 0xff]), Buffer.from(sought)])));
        await opened.settle({ ...PARKED, error: sought }, HANDLED);
        await inbox.accept(incoming(sought.toUpperCase()));

        expect(await search(sought)).toEqual([4, 3, 2, 1]);
        expect(await search(sought, { filter: { state: 'parked' } })).toEqual([1]);
        expect(await search('%')).toEqual([5, 4, 3, 2, 1]);
        expect(await search((await inbox.operations.find(2))!.key)).toEqual([2]);
      });

      test('goes on where it has stopped, at its limit or after its time', async () => {
        await opened.accept(5);
        const part = { text: 'content', filter: {}, limit: 2, maxDuration: 60_000 };
        const first = await opened.inbox.operations.search(part);
        expect([first.deliveries.map(({ id }) => id), first.next]).toEqual([[5, 4], 4]);
        expect(await search('content', { after: 4 })).toEqual([3, 2, 1]);
        expect(await opened.inbox.operations.search({ ...part, maxDuration: 0 })).toEqual({
          deliveries: [],
          next: expect.any(Number),
        });
      });
    });

    describe('stats', () => {
      test('count each state', async () => {
        await makeOneOfEach();

        expect(await opened.inbox.operations.stats()).toMatchObject({
          ...{ waiting: 2, running: 1, retrying: 1, handled: 2, parked: 1, discarded: 1 },
          nextRetryAt: (await opened.list())[2]!.dueAt,
        });
      });

      test('have the time of the oldest delivery that waits', async () => {
        await opened.accept(1);
        await opened.age(DAY);
        await opened.accept(1);
        const times = (await opened.list()).map(({ receivedAt }) => receivedAt);

        expect(times[0]).toBeLessThan(times[1]!);
        const { oldestWaitingAt, now } = await opened.inbox.operations.stats();
        expect(oldestWaitingAt).toBe(times[0]);
        expectNow(now);
        await opened.settle(failed(LATER));
        expect(await opened.inbox.operations.stats()).toMatchObject({ oldestWaitingAt: times[0] });
        await opened.replay(only(1));
        await opened.settle(PARKED, HANDLED);
        expect(await opened.inbox.operations.stats()).toMatchObject({ oldestWaitingAt: null });
      });

      test('have the size, which grows with the contents', async () => {
        const before = (await opened.inbox.operations.stats()).bytes;
        for (let count = 0; count < 4; count += 1) await opened.inbox.accept(incoming(Buffer.alloc(500_000)));

        expect((await opened.inbox.operations.stats()).bytes - before).toBeGreaterThan(1_900_000);
      });
    });
  });
}
