import { isUint8Array } from 'node:util/types';

import { ReceiverError } from '../src/errors.js';
import type { AttemptResult, Delivery, Inbox, IncomingDelivery } from '../src/inbox/inbox.js';
import { evidenceSuite } from './evidence.suite.js';
import { inboxOperationsSuite } from './inbox-operations.suite.js';
import { inboxProperty } from './inbox-property.suite.js';
import { inboxRetentionSuite } from './inbox-retention.suite.js';
import {
  type Adapter,
  all,
  failed,
  HANDLED,
  incoming,
  numbers,
  OpenedInbox,
  PARKED,
  setClock,
  expectNow,
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

const INTERRUPTED: AttemptResult = { kind: 'interrupted', error: 'the process ended', stack: null };

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
      expect((await opened.inbox.claim(1)).deliveries).toEqual([]);
      expect(await opened.inbox.stats()).toMatchObject({ waiting: 0, running: 0, parked: 0 });
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
        await opened.claim();
        await Promise.all(kinds.map(([, delivery]) => opened.inbox.accept(delivery)));
        const claimed = await opened.claim();
        expect(claimed.map(asKept)).toEqual(want);
        for (const delivery of claimed) await opened.end(delivery, failed(0));
        expect((await opened.claim()).map(asKept)).toEqual(want);
        await opened.reopen();

        expect((await opened.claim()).map(asKept)).toEqual(want);
      });
    });

    test('numbers deliveries one after the other, also after an opening', async () => {
      expect(await opened.accept(500)).toEqual(numbers(1, 500));
      const claimed = await opened.claim();
      expect(claimed.map(contentOf)).toEqual(numbers(1, 500).map((number) => `content ${number}`));
      for (const delivery of claimed) void opened.end(delivery, HANDLED);
      await opened.reopen();

      expect(await opened.accept(2)).toEqual([501, 502]);
      expect(await opened.claimIds()).toEqual([501, 502]);
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
        ['has failed', failed(LATER), 'waiting'],
        ['is handled', HANDLED, 'handled'],
        ['is parked', PARKED, 'parked'],
      ])('is not stored while the first one %s, nor after an opening', async (_name, result, state) => {
        const id = await opened.inbox.accept(ofEvent('a'));
        const [delivery] = await opened.claim();
        if (result !== undefined) await opened.end(delivery!, result);

        expect(await opened.inbox.accept(ofEvent('a', 'other'))).toBe(id);
        expect(await opened.states()).toBe(state);
        await opened.reopen();
        expect(await opened.inbox.accept(ofEvent('a', 'other'))).toBe(id);
        expect(await opened.ids()).toEqual([id]);
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

      test('each delivery once until it is settled', async () => {
        await opened.accept(3);
        const claims = await Promise.all([1, 2, 3].map(() => opened.inbox.claim(2)));
        const ids = claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
        expect([...ids, ...(await opened.claimIds())].sort()).toEqual([1, 2, 3]);

        await opened.accept(1);
        expect(await opened.claimIds()).toEqual([4]);
      });

      test('at once what the last claim had room for, and the rest later, in the order of arrival', async () => {
        await opened.inbox.claim(3);
        await opened.accept(10);
        expect(await opened.states()).toBe(`${'running '.repeat(3)}${'waiting '.repeat(7)}`.trim());

        expect((await opened.inbox.claim(3)).deliveries.map(({ id }) => id)).toEqual([1, 2, 3]);
        await opened.accept(1);
        expect(await opened.claimIds(10)).toEqual(numbers(4, 11));
      });

      test('nothing at once while something waits that is due', async () => {
        await opened.accept(2);
        await opened.inbox.claim(1);
        await opened.accept(1);

        expect(await opened.states()).toBe('running waiting waiting');
      });

      test('what arrives while a claim is under way', async () => {
        await opened.inbox.claim(0);
        await opened.accept(1);
        const [{ deliveries }] = await Promise.all([opened.inbox.claim(10), opened.accept(1)]);

        expect(deliveries.map(({ id }) => id)).toEqual([1]);
        expect(await opened.states()).toBe('running running');
      });

      test('few that are large at a time', async () => {
        for (const number of numbers(1, 20))
          await opened.inbox.accept(incoming(Buffer.alloc(1_048_576, number)));

        const { deliveries, nextIn } = await opened.inbox.claim(100);
        expect(deliveries.length).toBeLessThan(10);
        expect(nextIn).toBe(0);
        const rest = await opened.claim();
        expect([...deliveries, ...rest].map(({ id, content }) => [id, content[0], content.at(-1)])).toEqual(
          numbers(1, 20).map((id) => [id, id, id]),
        );
      });
    });

    test('what was handled never comes again, whatever else has not ended', async () => {
      await opened.accept(4);
      const claimed = await opened.claim(3);
      await opened.end(claimed[1]!, HANDLED);
      await opened.reopen();

      expect(await opened.states()).toBe('waiting handled waiting waiting');
      expect(await opened.claim()).toMatchObject([1, 3, 4].map((id) => ({ id, attempts: 1 })));
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
      await opened.replay();
      await opened.claim();
      await opened.end(first!, HANDLED);
      expect(await opened.list()).toMatchObject([{ state: 'running', attempts: 1 }]);
    });

    test('what is released waits as before', async () => {
      await opened.accept(1);
      await opened.settle(failed(0));
      await opened.settle({ kind: 'released' });

      expect(await opened.list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
      expect(await opened.claim()).toMatchObject([{ id: 1, attempts: 2 }]);
    });

    describe('what runs when the process ends', () => {
      const claimInterrupted = async (): Promise<Delivery | undefined> =>
        (await opened.inbox.claim(10)).interrupted;

      test('comes again before anything else, one at a time, with what it was', async () => {
        await opened.accept(2);
        await opened.claim(2);
        await opened.accept(2);
        await opened.reopenAfterCrash();

        for (const id of [1, 2]) {
          const { deliveries, interrupted } = await opened.inbox.claim(10);
          expect(deliveries).toEqual([]);
          expect(interrupted).toMatchObject({ id, attempts: 1, method: 'POST' });
          expect(contentOf(interrupted!)).toBe(`content ${id}`);
          expect(await opened.inbox.claim(10)).toMatchObject({ deliveries: [] });
          await opened.end(interrupted!, INTERRUPTED);
          await opened.accept(1);
          expect((await opened.inbox.claim(10)).deliveries).toEqual([]);
          await opened.end({ ...interrupted!, attempts: 2 }, id === 1 ? HANDLED : failed(LATER));
        }
        expect(await opened.claimIds()).toEqual([3, 4, 5, 6]);
        const { history } = (await opened.inbox.find(2))!;
        expect(history).toMatchObject([
          { number: 1, error: 'the process ended', duration: null },
          { number: 2, error: 'not yet', duration: expect.any(Number) },
        ]);
      });

      test('comes again at each opening until its attempt has ended, the one with most attempts last', async () => {
        await opened.accept(2);
        await opened.claim();
        await opened.reopenAfterCrash();
        await opened.end((await claimInterrupted())!, INTERRUPTED);
        await opened.reopenAfterCrash();

        const two = await claimInterrupted();
        expect(two).toMatchObject({ id: 2, attempts: 1 });
        await opened.end(two!, INTERRUPTED);
        await opened.end({ ...two!, attempts: 2 }, HANDLED);
        expect(await claimInterrupted()).toMatchObject({ id: 1, attempts: 2 });
      });

      test('is parked after its last attempt', async () => {
        await opened.accept(2);
        await opened.claim();
        await opened.reopenAfterCrash();
        await opened.end((await claimInterrupted())!, PARKED);

        expect(await opened.states()).toBe('parked running');
        expect(await claimInterrupted()).toMatchObject({ id: 2 });
      });

      test('is what was not settled, and nothing else', async () => {
        await opened.accept(4);
        const [one, two, three] = await opened.claim();
        await Promise.all([
          opened.end(one!, HANDLED),
          opened.end(two!, failed(0)),
          opened.end(three!, PARKED),
        ]);
        await opened.reopenAfterCrash();

        expect(await opened.states()).toBe('handled waiting parked running');
        const interrupted = await claimInterrupted();
        expect(interrupted).toMatchObject({ id: 4 });
        await opened.end(interrupted!, PARKED);
        expect(await opened.claim()).toMatchObject([{ id: 2, attempts: 2 }]);
      });

      test('waits while the handler is paused', async () => {
        await opened.accept(1);
        await opened.claim();
        await opened.inbox.setPaused(true);
        await opened.reopenAfterCrash();
        expect(await claimInterrupted()).toBeUndefined();
        await opened.inbox.setPaused(false);

        expect(await claimInterrupted()).toMatchObject({ id: 1 });
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
          const { deliveries, nextIn } = await opened.inbox.claim(1);
          expect(deliveries).toEqual([]);
          expect(nextIn).toBeGreaterThan(0);
          expect(nextIn).toBeLessThanOrEqual(LATER);
        }
        const [id] = await opened.accept(1);
        expect(await opened.claimIds()).toEqual([id]);
      });

      test('comes when the reported time has passed, though the clock is set back', async () => {
        await opened.accept(1);
        await opened.settle(failed(20));
        setClock(-24 * LATER);

        let claimed = await opened.inbox.claim(1);
        while (claimed.deliveries.length === 0) {
          expect(claimed.nextIn).toBeLessThanOrEqual(1_000);
          await new Promise((resolve) => setTimeout(resolve, Math.min(claimed.nextIn!, 20)));
          claimed = await opened.inbox.claim(1);
        }
        expect(claimed.deliveries).toMatchObject([{ id: 1, attempts: 2 }]);
      });

      test.each(['', '\0 \ud800 😀 "\\', 'long '.repeat(100_000)])(
        'may have said anything (%#)',
        async (error) => {
          await opened.accept(2);
          await opened.settle(
            { kind: 'failed', error, stack: error, retryAfter: 0 },
            { kind: 'parked', error, stack: error },
          );

          expect(await opened.claimIds()).toEqual([1]);
          expect((await opened.inbox.find(2))!.history).toHaveLength(1);
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
        const underWay = [
          ...numbers(1, 50).map(() => opened.inbox.accept(incoming('arbitrary'))),
          opened.end(one!, HANDLED),
          opened.end(two!, PARKED),
        ];
        await opened.reopen();
        await Promise.all(underWay);

        expect(await opened.inbox.stats()).toMatchObject({ handled: 1, parked: 1, running: 0, waiting: 51 });
        expect(await opened.claim()).toMatchObject(numbers(3, 53).map((id) => ({ id, attempts: 1 })));
      });

      const calls: readonly (readonly [operation: string, call: (closed: Inbox) => Promise<unknown>])[] = [
        ['accept', (closed) => closed.accept(incoming('arbitrary'))],
        ['claim', (closed) => closed.claim(1)],
        ['settle', (closed) => closed.settle({ id: 1, attempts: 1, claimedAt: 0 }, HANDLED, 0)],
        ['removeExpired', (closed) => closed.removeExpired({ maxAge: 1, maxBytes: 1, maxEventAge: 1 })],
        ['check', (closed) => closed.check()],
        ['list', (closed) => closed.list({}, { order: 'newest first', limit: 1 })],
        ['count', (closed) => closed.count({})],
        ['find', (closed) => closed.find(1)],
        ['read', (closed) => closed.read(all())],
        ['change', (closed) => closed.change(all(), { kind: 'replay' })],
        ['setPaused', (closed) => closed.setPaused(true)],
        ['stats', (closed) => closed.stats()],
      ];

      test('makes whatever is called reject, and nothing is written', async () => {
        await opened.accept(1);
        const closed = opened.inbox;
        await opened.reopen();

        for (const [operation, call] of calls) {
          const error = await rejection(call(closed));

          expect(error).toBeInstanceOf(ReceiverError);
          expect(error).toMatchObject({
            code: 'INBOX_CLOSED',
            message: expect.stringContaining(`"${operation}"`),
          });
        }
        expect(await opened.claimIds()).toEqual([1]);
      });
    });

    evidenceSuite(adapter);
    inboxOperationsSuite(adapter);
    inboxRetentionSuite(adapter);
    inboxProperty(adapter);
  });
}
