import { randomUUID } from 'node:crypto';
import { isUint8Array } from 'node:util/types';
import type { Delivery } from '@plant-store/handler';

import { ReceiverError } from '../src/errors.js';
import type { AttemptResult, IncomingDelivery, RetryPolicy } from '../src/inbox/delivery.js';
import type { Inbox } from '../src/inbox/inbox.js';
import { inboxHealthSuite } from './inbox-health.suite.js';
import { actsSuite } from './acts.suite.js';
import { inboxOperationsSuite } from './inbox-operations.suite.js';
import { inboxRetentionSuite } from './inbox-retention.suite.js';
import {
  type Adapter,
  act,
  all,
  failed,
  HANDLED,
  incoming,
  numbers,
  OpenedInbox,
  PARKED,
  expectNow,
  untilStored,
} from './open-inbox.js';
import { rejection } from './rejection.js';

const LATER = 3_600_000;

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const headerText = String.fromCharCode(...Array.from({ length: 128 }, (_, byte) => byte + 128));

const kinds: readonly (readonly [name: string, delivery: IncomingDelivery])[] = [
  ['text beyond ASCII', incoming('B\u00e4ume \u{1f333}')],
  ['every byte', incoming(everyByte)],
  ['bytes that are not UTF-8', incoming(Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xed, 0xa0, 0x80]))],
  ['zero bytes around a byte', incoming('\0\0a\0\0')],
  ['what looks like SQL', incoming(`'); DROP TABLE delivery; --`)],
  ['no bytes', incoming('')],
  ['a mebibyte', incoming(Buffer.alloc(1_048_576, everyByte))],
  ['no media type', incoming('a', { mediaType: null })],
  ['an empty media type', incoming('a', { mediaType: '' })],
  ['a media type of bytes beyond ASCII', incoming('a', { mediaType: headerText })],
  ['a long media type with quotation marks', incoming('a', { mediaType: '"\\\''.repeat(3_000) })],
  ['a content encoding', incoming('a', { contentEncoding: 'gzip, br' })],
  ['another method', incoming('a', { method: 'PATCH' })],
  ['an event whose identifier is empty', incoming('a', { eventId: '' })],
  ['an event whose identifier is a numeral', incoming('a', { eventId: '00.10' })],
  ['an event whose identifier is the word null', incoming('a', { eventId: 'null' })],
  ['an event whose identifier is long', incoming('a', { eventId: `"\\'\u0001\u{1f333}`.repeat(20_000) })],
  [
    'header fields, repeated and empty ones too, in their order',
    incoming('a', {
      fields: [
        ['Host', 'plants.example'],
        ['X-Twice', '1'],
        ['x-twice', headerText],
        ['X-Empty', ''],
        [`'"\\`, `[["a","b"]]`],
        ['X-Large', 'a'.repeat(16_384)],
      ],
    }),
  ],
];

/** What an inbox must return of a delivery, in a form that can be compared. */
const asKept = (given: IncomingDelivery): unknown => {
  const { method, mediaType, contentEncoding, eventId, fields, content } = given;
  const bytes = isUint8Array(content) && Buffer.from(content).toString('latin1');
  return { method, mediaType, contentEncoding, eventId, fields, content: bytes };
};

const ofEvent = (eventId: string, content = 'arbitrary'): IncomingDelivery => incoming(content, { eventId });

const contentOf = ({ content }: Delivery): string => Buffer.from(content).toString();

const UUID = expect.stringMatching(
  /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
) as string;

const INTERRUPTED = 'the process ended during the attempt';

/**
 * The suite of the port {@link Inbox}: what the embedded and the shared inbox do, tested through the port alone.
 */
export function inboxSuite(name: string, adapter: Adapter): void {
  describe(name, () => {
    let opened: OpenedInbox;

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('is empty at first', async () => {
      expect(await opened.claim(1)).toEqual([]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 0, running: 0, parked: 0 });
    });

    describe('returns what it accepted, unchanged:', () => {
      test('each by itself', async () => {
        for (const [name, delivery] of kinds) {
          const id = await opened.inbox.accept(delivery);

          const claimed = await opened.claim();

          expect([name, ...claimed.map(asKept)]).toEqual([name, asKept(delivery)]);
          expect(claimed[0]).toMatchObject({ id, attempts: 1 });
          expectNow(claimed[0]!.receivedAt);
        }
      });

      test('all of them together, to a handler that waits, after a failure, and after an opening', async () => {
        const want = kinds.map(([, delivery]) => asKept(delivery));
        await Promise.all(kinds.map(([, delivery]) => opened.inbox.accept(delivery)));
        const claimed = await opened.claim();
        expect(claimed.map(asKept)).toEqual(want);
        await Promise.all(claimed.map((delivery) => opened.end(delivery, failed(0))));
        expect((await opened.claim()).map(asKept)).toEqual(want);
        await opened.reopen();

        expect((await opened.claim()).map(asKept)).toEqual(want);
      });
    });

    test('numbers deliveries one after the other, also after an opening', async () => {
      expect(await opened.accept(500)).toEqual(numbers(1, 500));
      const claimed = await opened.claim();
      expect(claimed.map(contentOf)).toEqual(numbers(1, 500).map((number) => `content ${number}`));
      for (const delivery of claimed) opened.inbox.settle(delivery, HANDLED);
      await opened.reopen();

      expect(await opened.accept(2)).toEqual([501, 502]);
      expect(await opened.claimIds()).toEqual([501, 502]);
    });

    test('draws a key for each delivery, which stays the same', async () => {
      // Two run when they arrive, and one has to wait.
      opened.inbox.grant(2);
      await opened.accept(3);
      const keysOf = (deliveries: readonly Delivery[]): Record<number, string> =>
        Object.fromEntries(deliveries.map(({ id, key }) => [id, key]));
      const claimed = await opened.claim();
      const keys = keysOf(claimed);
      expect(Object.values(keys)).toEqual([UUID, UUID, UUID]);
      expect(new Set(Object.values(keys)).size).toBe(3);

      for (const delivery of claimed) await opened.end(delivery, failed(0));
      expect(keysOf(await opened.claim())).toEqual(keys);
      await opened.reopen();
      expect(keysOf(await opened.claim())).toEqual(keys);
      await opened.reopenAfterCrash();
      await opened.settle(PARKED, PARKED, HANDLED);
      expect(Object.values(keys)).toContain((await opened.inbox.operations.find(1))!.key);
      await opened.replay();
      expect(keysOf(await opened.claim())).toEqual(keys);
    });

    test('keeps a key that it is given', async () => {
      const key = randomUUID();
      await opened.inbox.accept(incoming('arbitrary'), key);

      expect(await opened.claim()).toMatchObject([{ key }]);
    });

    describe('a delivery of an event that is stored already', () => {
      const acceptAll = (deliveries: readonly IncomingDelivery[]): Promise<number[]> =>
        Promise.all(deliveries.map((delivery) => opened.inbox.accept(delivery)));
      const contents = async (): Promise<[number, string][]> =>
        (await opened.claim()).map((delivery) => [delivery.id, contentOf(delivery)]);

      test('is not stored when it comes with the first one, which stays as it is', async () => {
        const [a1, b1, a2, none, b2, a3] = await acceptAll([
          ofEvent('a', 'first of a'),
          ofEvent('b', 'first of b'),
          ofEvent('a', 'second of a'),
          incoming('of no event'),
          ofEvent('b', 'second of b'),
          ofEvent('a', 'third of a'),
        ]);

        expect([a2, a3, b2]).toEqual([a1, a1, b1]);
        expect(await contents()).toEqual([
          [a1, 'first of a'],
          [b1, 'first of b'],
          [none, 'of no event'],
        ]);
      });

      test('is not stored when both are too large to be written together', async () => {
        const large = 'large '.repeat(1_000_000);
        const ids = await acceptAll([1, 2, 3].map((copy) => ofEvent('a', `${copy} ${large}`)));

        expect(new Set(ids).size).toBe(1);
        expect(await contents()).toEqual([[ids[0], `1 ${large}`]]);
      });

      test.each<[name: string, result: AttemptResult | undefined, state: string]>([
        ['runs', undefined, 'running'],
        ['has failed', failed(LATER), 'retrying'],
        ['is handled', HANDLED, 'handled'],
        ['is parked', PARKED, 'parked'],
      ])('is not stored while the first one %s, nor after an opening', async (_name, result, state) => {
        const id = await opened.inbox.accept(ofEvent('a'));
        const [delivery] = await opened.claim();
        const { key } = delivery!;
        if (result !== undefined) await opened.end(delivery!, result);

        expect(await opened.inbox.accept(ofEvent('a', 'other'))).toBe(id);
        expect(await opened.states()).toBe(state);
        await opened.reopen();
        expect(await opened.inbox.accept(ofEvent('a', 'other'))).toBe(id);
        expect(await opened.ids()).toEqual([id]);
        expect(await opened.inbox.operations.find(id)).toMatchObject({ key });
      });

      test('is different from one of another event, however similar their identifiers are', async () => {
        const alike = [
          '',
          ' ',
          '0',
          '00',
          '0.0',
          'null',
          'a',
          'A',
          'a ',
          'aa',
          '\u00e4',
          'a\u0308',
          '\ufffd',
        ];
        const ids = await acceptAll(alike.map((eventId) => ofEvent(eventId)));

        expect(new Set(ids).size).toBe(alike.length);
        expect(await acceptAll(alike.map((eventId) => ofEvent(eventId)))).toEqual(ids);
        expect((await opened.claim()).map(({ eventId }) => eventId)).toEqual(alike);
      });
    });

    test.each([
      ['has U+0000', 'a\0b'],
      ['has half of a surrogate pair', 'a\ud83d'],
    ])('an identifier that %s is refused, and nothing else with it', async (_name, eventId) => {
      const accepted = opened.inbox.accept(incoming('arbitrary'));

      expect(await rejection(opened.inbox.accept(ofEvent(eventId)))).toBeInstanceOf(TypeError);
      const id = await accepted;
      expect(await opened.claimIds()).toEqual([id]);
    });

    describe('claims', () => {
      test('in the order of arrival, and no more than the limit, also after an opening', async () => {
        await opened.accept(4);
        expect(await opened.claimIds(2)).toEqual([1, 2]);
        await opened.reopen();
        await opened.accept(1);

        expect(await opened.claimIds(4)).toEqual([1, 2, 3, 4]);
        expect(await opened.claimIds(2)).toEqual([5]);
        expect(await opened.claimIds(2)).toEqual([]);
      });

      test('what arrives while there is room, and first what was due before', async () => {
        opened.inbox.grant(3);
        await opened.accept(5);
        expect(await opened.states()).toBe('running running running waiting waiting');
        opened.inbox.grant(1);
        await opened.accept(1);

        await untilStored(opened.inbox);
        expect(await opened.states()).toBe('running running running running waiting waiting');
        expect(await opened.claimIds(6)).toEqual(numbers(1, 6));
      });

      test('few that are large at a time', async () => {
        for (const number of numbers(1, 20))
          await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, number)));

        const claimed = await opened.claim();
        expect(Math.max(...opened.claims.sizes)).toBeLessThan(10);
        expect(claimed.map(({ id, content }) => [id, content[0], content.at(-1)])).toEqual(
          numbers(1, 20).map((id) => [id, id, id]),
        );
      });
    });

    test('a result of an attempt that is not the last one any more changes nothing', async () => {
      await opened.accept(1);
      const [first] = await opened.claim();
      await opened.end(first!, failed(0));
      const [second] = await opened.claim();
      await opened.end(first!, PARKED);
      expect(await opened.states()).toBe('running');
      await opened.end(second!, HANDLED);
      await opened.end(second!, failed(0));

      expect(await opened.list()).toMatchObject([{ state: 'handled', attempts: 2 }]);
    });

    test('what is released waits as before', async () => {
      await opened.accept(1);
      await opened.settle(failed(0));
      await opened.accept(1);
      await opened.settle({ kind: 'released' }, { kind: 'released' });

      expect(await opened.list()).toMatchObject([
        { state: 'retrying', attempts: 1, error: 'not yet' },
        { state: 'waiting', attempts: 0, startedAt: null },
      ]);
      expect(await opened.claim()).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
    });

    describe('what runs when the process ends', () => {
      test('comes again at once, beside everything else, and nothing else does', async () => {
        await opened.accept(5);
        await opened.settle(HANDLED, failed(0), PARKED);
        await opened.claim();
        await opened.accept(1);
        await opened.reopenAfterCrash();
        expect(await opened.states()).toBe('handled retrying parked retrying retrying waiting');

        const claimed = await opened.claim();
        expect(claimed.map(({ id, attempts }) => [id, attempts])).toEqual([
          [6, 1],
          [2, 3],
          [4, 2],
          [5, 2],
        ]);
        expect(contentOf(claimed[2]!)).toBe('content 4');
        const { error, history } = (await opened.inbox.operations.find(2))!;
        expect(error).toBe(INTERRUPTED);
        expect(history).toMatchObject([
          { number: 1, error: 'not yet', duration: 7 },
          { number: 2, error: INTERRUPTED, duration: null, stack: null, receiver: expect.any(String) },
        ]);
      });

      /** The process ends twice while deliveries run. */
      const interruptTwice = async (policy: Partial<RetryPolicy>): Promise<void> => {
        await opened.claim();
        await opened.reopenAfterCrash();
        await opened.claim();
        await opened.reopenAfterCrash(policy);
      };

      test('twice in a row comes after its backoff, and delays nothing', async () => {
        await opened.accept(1);
        await interruptTwice({ backoff: LATER });
        const [id] = await opened.accept(1);

        expect(await opened.claimIds()).toEqual([id]);
        const [{ dueAt } = { dueAt: null }] = await opened.list();
        expectNow(dueAt! - 2 * LATER);
        expect(await opened.inbox.operations.stats()).toMatchObject({ retrying: 1, nextRetryAt: dueAt });
      });

      test('twice in a row comes alone of its kind, beside everything else, until an attempt ends', async () => {
        await opened.accept(3);
        await interruptTwice({ backoff: 0 });
        await opened.accept(1);

        const claimed = await opened.claim();
        expect(claimed.map(({ id }) => id)).toEqual([1, 4]);
        await opened.end(claimed[0]!, failed(0));
        const next = await opened.claim();
        expect(next.map(({ id, attempts }) => [id, attempts])).toEqual([
          [2, 3],
          [1, 4],
        ]);
        await opened.end(next[0]!, { kind: 'released' });
        expect(await opened.claimIds()).toEqual([2]);
      });

      test('is parked after its last attempt', async () => {
        await opened.accept(1);
        await opened.claim();
        await opened.reopenAfterCrash({ maxAttempts: 1 });

        expect(await opened.claim()).toEqual([]);
        expect(await opened.inbox.operations.find(1)).toMatchObject({
          ...{ state: 'parked', attempts: 1, error: INTERRUPTED, dueAt: null, history: [{ number: 1 }] },
        });
      });
    });

    describe('what failed', () => {
      test('comes again when it is due, with one more attempt', async () => {
        await opened.accept(1);
        for (const attempts of [1, 2, 3]) {
          const [delivery] = await opened.claim();
          expect(delivery).toMatchObject({ id: 1, attempts });
          await opened.end(delivery!, failed(0));
        }
      });

      test('does not come before it is due, also after an opening, and delays nothing', async () => {
        await opened.accept(2);
        await opened.settle(failed(2 * LATER), failed(LATER));

        for (const next of [() => undefined, () => opened.reopen()]) {
          await next();
          expect(await opened.claim()).toEqual([]);
        }
        const [id] = await opened.accept(1);
        expect(await opened.claimIds()).toEqual([id]);
      });

      test('has had no attempt and comes at once, though a clock was ahead', async () => {
        await opened.accept(1);
        await opened.age(-LATER / 2);
        await opened.reopen();

        expect(await opened.claimIds()).toEqual([1]);
      });

      test('comes after the next pass if it is due later than after the longest backoff: a clock was wrong', async () => {
        await opened.accept(2);
        await opened.settle(failed(8_760 * LATER), failed(2 * LATER));
        await opened.reopen();

        let ids: readonly number[] = [];
        while (ids.length === 0) ids = await opened.claimIds();
        expect(ids).toEqual([1]);
      });

      test.each(['', '\0 \ud800 😀 "\\', 'long '.repeat(100_000)])(
        'may have said anything (%#)',
        async (error) => {
          await opened.accept(2);
          await opened.settle({ ...failed(0), error, stack: error }, { ...PARKED, error, stack: error });

          expect(await opened.claimIds()).toEqual([1]);
          expect((await opened.inbox.operations.find(2))!.history).toHaveLength(1);
        },
      );
    });

    test('what is parked is never claimed', async () => {
      await opened.accept(1);
      await opened.settle(PARKED);
      await opened.reopen();

      expect(await opened.claimIds()).toEqual([]);
      expect(await opened.states()).toBe('parked');
    });

    describe('closing', () => {
      test('waits for what is under way, and releases what is claimed', async () => {
        await opened.accept(3);
        const [one, two] = await opened.claim(3);
        const underWay = [...numbers(1, 50).map(() => opened.inbox.accept(incoming('arbitrary')))];
        opened.inbox.settle(one!, HANDLED);
        opened.inbox.settle(two!, PARKED);
        await opened.reopen();
        await Promise.all(underWay);

        expect(await opened.inbox.operations.stats()).toMatchObject({
          handled: 1,
          parked: 1,
          running: 0,
          waiting: 51,
        });
        const claimed = await opened.claim();
        // Two cycles that overlap may have come in either order.
        expect(claimed.toSorted((first, second) => first.id - second.id)).toMatchObject(
          numbers(3, 53).map((id) => ({ id, attempts: 1 })),
        );
      });

      const calls: readonly (readonly [operation: string, call: (closed: Inbox) => Promise<unknown>])[] = [
        ['accept', (closed) => closed.accept(incoming('arbitrary'))],
        [
          'removeExpired',
          (closed) => closed.operations.removeExpired({ maxAge: 1, maxBytes: 1, maxEventAge: 1 }),
        ],
        ['probe', (closed) => closed.probe()],
        ['list', (closed) => closed.operations.list({}, { order: 'newest first', limit: 1 })],
        ['count', (closed) => closed.operations.count({})],
        ['find', (closed) => closed.operations.find(1)],
        ['read', (closed) => closed.operations.read(all())],
        ['acts.begin', (closed) => act(closed, 'replay')],
        ['setPaused', (closed) => closed.operations.setPaused(true)],
        ['stats', (closed) => closed.operations.stats()],
      ];

      test('makes whatever is called reject, and nothing is written', async () => {
        await opened.accept(1);
        const closed = opened.inbox;
        await opened.reopen();

        for (const [operation, call] of calls) {
          const error = await rejection(call(closed));

          expect([operation, error]).toEqual([operation, expect.any(ReceiverError)]);
          expect(error).toMatchObject({ code: 'INBOX_CLOSED' });
        }
        expect(await opened.claimIds()).toEqual([1]);
      });
    });

    inboxHealthSuite(adapter);
    inboxOperationsSuite(adapter);
    actsSuite(adapter);
    inboxRetentionSuite(adapter);
  });
}
