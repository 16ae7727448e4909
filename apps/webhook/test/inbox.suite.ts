import { isUint8Array } from 'node:util/types';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ReceiverError } from '../src/errors.js';
import type { AttemptResult, Delivery, Inbox, IncomingDelivery, Interrupted } from '../src/inbox/inbox.js';
import type { Batch } from '../src/inbox/inbox-operations.js';
import { inboxOperationsSuite } from './inbox-operations.suite.js';
import { inboxProperty } from './inbox-property.suite.js';
import { inboxRetentionSuite } from './inbox-retention.suite.js';
import { type Adapter, failed, HANDLED, incoming, PARKED, setClock } from './open-inbox.js';
import { rejection } from './rejection.js';

const LATER = 3_600_000;

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const headerText = String.fromCharCode(...Array.from({ length: 128 }, (_, byte) => byte + 128));

const kinds: readonly (readonly [name: string, delivery: IncomingDelivery])[] = [
  ['text', incoming('arbitrary')],
  ['text beyond ASCII', incoming('B\u00e4ume \u{1f333}')],
  ['every byte', incoming(everyByte)],
  ['bytes that are not UTF-8', incoming(Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xed, 0xa0, 0x80]))],
  ['one zero byte', incoming('\0')],
  ['zero bytes around a byte', incoming('\0\0a\0\0')],
  ['white space', incoming(' \r\n\t')],
  ['the word null', incoming('null')],
  ['what looks like SQL', incoming(`'); DROP TABLE delivery; --`)],
  ['no bytes', incoming('')],
  ['a mebibyte', incoming(Buffer.alloc(1_048_576, everyByte))],
  ['no media type', incoming('a', { mediaType: null })],
  ['an empty media type', incoming('a', { mediaType: '' })],
  ['a media type of bytes beyond ASCII', incoming('a', { mediaType: headerText })],
  ['a media type with quotation marks', incoming('a', { mediaType: 'a/b; c="\\"d\\\\"' })],
  ['a long media type', incoming('a', { mediaType: 'a'.repeat(10_000) })],
  ['a content encoding', incoming('a', { contentEncoding: 'gzip, br' })],
  ['an empty content encoding', incoming('a', { contentEncoding: '' })],
  ['a content encoding of bytes beyond ASCII', incoming('a', { contentEncoding: headerText })],
  ['another method', incoming('a', { method: 'PATCH' })],
  ['an event', incoming('a', { eventId: 'arbitrary' })],
  ['an event whose identifier is empty', incoming('a', { eventId: '' })],
  ['an event whose identifier is a numeral', incoming('a', { eventId: '00.10' })],
  ['an event whose identifier is the word null', incoming('a', { eventId: 'null' })],
  ['an event whose identifier has quotation marks', incoming('a', { eventId: `"\\'\u0001` })],
  [
    'an event whose identifier is beyond ASCII',
    incoming('a', { eventId: 'B\u00e4ume \u{1f333}\ufeff\uffff' }),
  ],
  ['an event whose identifier is of bytes beyond ASCII', incoming('a', { eventId: headerText })],
  ['an event whose identifier is long', incoming('a', { eventId: 'a'.repeat(100_000) })],
  [
    'header fields, repeated and empty ones too, in their order',
    incoming('a', {
      fields: [
        ['Host', 'plants.example'],
        ['X-Twice', '1'],
        ['x-twice', '2'],
        ['X-Empty', ''],
      ],
    }),
  ],
  ['header fields of bytes beyond ASCII', incoming('a', { fields: [['X-Any', headerText]] })],
  ['header fields with quotation marks', incoming('', { fields: [[`'"\\`, `[["a","b"]]`]] })],
  ['as large a head as the receiver reads', incoming('a', { fields: [['X-Large', 'a'.repeat(16_384)]] })],
];

/** What an inbox must return of a delivery, in a form that can be compared. */
const asKept = ({
  method,
  mediaType,
  contentEncoding,
  eventId,
  fields,
  content,
}: IncomingDelivery): unknown => ({
  method,
  mediaType,
  contentEncoding,
  eventId,
  fields,
  content: isUint8Array(content) && Buffer.from(content).toString('latin1'),
});

const ofEvent = (eventId: string, content = 'arbitrary'): IncomingDelivery => incoming(content, { eventId });

const idsOf = (deliveries: readonly Delivery[]): number[] => deliveries.map(({ id }) => id);

/**
 * The suite of the port {@link Inbox}: what each adapter must do, tested through the port alone.
 */
export function inboxSuite(name: string, adapter: Adapter): void {
  const { open, crash, make = makeFolder } = adapter;
  describe(name, () => {
    let folder: string;
    let inbox: Inbox;
    let close: () => Promise<void>;

    const openHere = async (): Promise<void> => {
      const opened = await open(folder);
      let closing: Promise<void> | undefined;
      inbox = opened;
      close = () => (closing ??= opened.close());
      afterThisTest(close);
    };
    const reopen = async (): Promise<void> => {
      await close();
      await openHere();
    };
    const reopenAfterCrash = async (): Promise<void> => {
      folder = await crash(folder);
      await openHere();
    };
    const claim = async (limit = 1_000): Promise<readonly Delivery[]> =>
      (await inbox.claim(limit)).deliveries;
    const claimIds = async (limit = 1_000): Promise<number[]> => idsOf(await claim(limit));
    const accept = (count: number): Promise<number[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => inbox.accept(incoming(`content ${index}`))));

    beforeEach(async () => {
      folder = await make();
      await openHere();
    });

    test('is empty at first', async () => {
      expect(await inbox.claim(1)).toEqual({ deliveries: [], nextDueIn: undefined });
      expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
    });

    describe('returns what it accepted, unchanged:', () => {
      test.each(kinds)('%s', async (_name, delivery) => {
        const before = Date.now();
        const id = await inbox.accept(delivery);
        const after = Date.now();

        const claimed = await claim();

        expect(claimed.map(asKept)).toEqual([asKept(delivery)]);
        expect(claimed[0]).toMatchObject({ id, failures: 0 });
        expect(claimed[0]?.receivedAt).toBeGreaterThanOrEqual(before);
        expect(claimed[0]?.receivedAt).toBeLessThanOrEqual(after);
      });

      test.each(kinds)('%s, after it was opened again', async (_name, delivery) => {
        const id = await inbox.accept(delivery);
        await reopen();

        const claimed = await claim();

        expect(claimed.map(asKept)).toEqual([asKept(delivery)]);
        expect(claimed[0]).toMatchObject({ id, failures: 0 });
      });

      test.each(kinds)('%s, after a failure', async (_name, delivery) => {
        const id = await inbox.accept(delivery);
        await inbox.settle((await claim())[0]!, failed(0));

        const claimed = await claim();

        expect(claimed.map(asKept)).toEqual([asKept(delivery)]);
        expect(claimed[0]).toMatchObject({ id, failures: 1 });
      });

      test('all of them together', async () => {
        await Promise.all(kinds.map(([, delivery]) => inbox.accept(delivery)));
        await reopen();

        expect((await claim()).map(asKept)).toEqual(kinds.map(([, delivery]) => asKept(delivery)));
      });
    });

    describe('numbers deliveries', () => {
      test('one after the other when they arrive together', async () => {
        expect(await accept(500)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
        expect((await claim()).map(({ content }) => Buffer.from(content).toString())).toEqual(
          Array.from({ length: 500 }, (_, index) => `content ${index}`),
        );
      });

      test('from the last one on after it was opened again', async () => {
        expect(await accept(2)).toEqual([1, 2]);
        for (const delivery of await claim()) await inbox.settle(delivery, HANDLED);
        await reopen();

        expect(await accept(2)).toEqual([3, 4]);
      });
    });

    describe('a delivery of an event that is stored already', () => {
      const acceptAll = (deliveries: readonly IncomingDelivery[]): Promise<number[]> =>
        Promise.all(deliveries.map((delivery) => inbox.accept(delivery)));
      const contents = async (): Promise<[number, string][]> =>
        (await claim()).map(({ id, content }) => [id, Buffer.from(content).toString()]);

      test('is not stored when it comes with the first one, which stays as it is', async () => {
        expect(
          await acceptAll([
            ofEvent('a', 'first of a'),
            ofEvent('b', 'first of b'),
            ofEvent('a', 'second of a'),
            incoming('of no event'),
            ofEvent('b', 'second of b'),
            ofEvent('a', 'third of a'),
          ]),
        ).toEqual([1, 2, 1, 3, 2, 1]);

        expect(await inbox.stats()).toMatchObject({ waiting: 3, parked: 0 });
        expect(await contents()).toEqual([
          [1, 'first of a'],
          [2, 'first of b'],
          [3, 'of no event'],
        ]);
      });

      test('is not stored when it comes with the first one, and they are too large to be written together', async () => {
        const large = 'large '.repeat(1_000_000);
        expect(
          await acceptAll(
            [1, 2, 3, 4].flatMap((copy) => [
              ofEvent('a', `${copy} of a ${large}`),
              ofEvent('b', `${copy} of b`),
            ]),
          ),
        ).toEqual([1, 2, 1, 2, 1, 2, 1, 2]);

        expect(await contents()).toEqual([
          [1, `1 of a ${large}`],
          [2, '1 of b'],
        ]);
      });

      /** The possible states of the first one. */
      const fates: readonly {
        name: string;
        result?: AttemptResult;
        claims: boolean;
        counts: { waiting: number; parked: number };
        /** Whether it comes, now and after the inbox was opened again. */
        comes: readonly [now: boolean, later: boolean];
      }[] = [
        { name: 'waits', claims: false, counts: { waiting: 1, parked: 0 }, comes: [true, true] },
        { name: 'is claimed', claims: true, counts: { waiting: 1, parked: 0 }, comes: [false, true] },
        {
          name: 'has failed',
          claims: true,
          result: failed(0),
          counts: { waiting: 1, parked: 0 },
          comes: [true, true],
        },
        {
          name: 'has failed and is not due',
          claims: true,
          result: failed(LATER),
          counts: { waiting: 1, parked: 0 },
          comes: [false, false],
        },
        {
          name: 'is handled',
          claims: true,
          result: HANDLED,
          counts: { waiting: 0, parked: 0 },
          comes: [false, false],
        },
        {
          name: 'is parked',
          claims: true,
          result: PARKED,
          counts: { waiting: 0, parked: 1 },
          comes: [false, false],
        },
      ];

      describe.each(fates)('which $name, changes nothing', ({ claims, result, counts, comes }) => {
        beforeEach(async () => {
          expect(await inbox.accept(ofEvent('a', 'first'))).toBe(1);
          const [first] = claims ? await claim() : [];
          if (result !== undefined) await inbox.settle(first!, result);
        });

        test('while the inbox is open', async () => {
          expect(await inbox.accept(ofEvent('a', 'second'))).toBe(1);

          expect(await inbox.stats()).toMatchObject(counts);
          expect(await contents()).toEqual(comes[0] ? [[1, 'first']] : []);
        });

        test('after it was opened again', async () => {
          await reopen();
          expect(await inbox.accept(ofEvent('a', 'second'))).toBe(1);

          expect(await inbox.stats()).toMatchObject(counts);
          expect(await contents()).toEqual(comes[1] ? [[1, 'first']] : []);
        });
      });

      test('uses up no number', async () => {
        expect(await acceptAll([ofEvent('a'), ofEvent('a'), ofEvent('b')])).toEqual([1, 1, 2]);
        expect(await acceptAll([ofEvent('b'), ofEvent('c'), ofEvent('a'), incoming('of none')])).toEqual([
          2, 3, 1, 4,
        ]);
        await reopen();

        expect(await acceptAll([ofEvent('c'), ofEvent('d')])).toEqual([3, 5]);
        expect(await claimIds()).toEqual([1, 2, 3, 4, 5]);
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
        const ids = alike.map((_, index) => index + 1);
        expect(await acceptAll(alike.map((eventId) => ofEvent(eventId)))).toEqual(ids);

        expect(await acceptAll(alike.map((eventId) => ofEvent(eventId)))).toEqual(ids);
        await reopen();
        expect(await acceptAll(alike.map((eventId) => ofEvent(eventId)))).toEqual(ids);
        expect((await claim()).map(({ eventId }) => eventId)).toEqual(alike);
      });

      test('is separate from others without an event, also with the same content', async () => {
        expect(await acceptAll([incoming('same'), incoming('same')])).toEqual([1, 2]);
        await reopen();

        expect(await inbox.accept(incoming('same'))).toBe(3);
        expect(await claimIds()).toEqual([1, 2, 3]);
      });

      test('is acknowledged before the inbox closes', async () => {
        await inbox.accept(ofEvent('a'));
        const underWay = acceptAll([ofEvent('a'), ofEvent('b'), ofEvent('b')]);
        await reopen();

        expect(await underWay).toEqual([1, 2, 2]);
        expect(await claimIds()).toEqual([1, 2]);
      });
    });

    test.each([
      ['has U+0000', 'a\0b'],
      ['has the first half of a surrogate pair', 'a\ud83d'],
      ['has the second half of one', '\ude00a'],
    ])('an identifier that %s is refused, and nothing else with it', async (_name, eventId) => {
      const accepted = inbox.accept(incoming('arbitrary'));

      expect(await rejection(inbox.accept(ofEvent(eventId)))).toBeInstanceOf(TypeError);
      expect(await accepted).toBe(1);
      expect(await claimIds()).toEqual([1]);
    });

    describe('claims', () => {
      test('in the order of arrival, and no more than the limit', async () => {
        await accept(5);

        expect(await claimIds(2)).toEqual([1, 2]);
        expect(await claimIds(2)).toEqual([3, 4]);
        expect(await claimIds(2)).toEqual([5]);
        expect(await claimIds(2)).toEqual([]);
      });

      test('in this order after it was opened again, too', async () => {
        await accept(3);
        await reopen();
        await accept(2);

        expect(await claimIds(4)).toEqual([1, 2, 3, 4]);
        expect(await claimIds(4)).toEqual([5]);
      });

      test('each delivery once until it is settled', async () => {
        await accept(3);
        const claims = await Promise.all([claim(2), claim(2), claim(2)]);

        expect(claims.flatMap(idsOf).sort()).toEqual([1, 2, 3]);
        await accept(1);
        expect(await claimIds()).toEqual([4]);
      });

      test('nothing for a limit of zero', async () => {
        await accept(1);

        expect(await claimIds(0)).toEqual([]);
        expect(await claimIds()).toEqual([1]);
      });
    });

    describe('what was handled', () => {
      test('never comes again', async () => {
        await accept(3);
        for (const delivery of await claim()) await inbox.settle(delivery, HANDLED);

        expect(await claimIds()).toEqual([]);
        expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
        await reopen();
        expect(await claimIds()).toEqual([]);
        expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
      });

      test.each([
        { order: 'in order', first: 0 },
        { order: 'out of order', first: 1 },
        { order: 'in the opposite order', first: 2 },
      ])('does not come again after an opening, $order, beside what was not', async ({ first }) => {
        await accept(4);
        const claimed = await claim(3);
        await inbox.settle(claimed[first]!, HANDLED);
        await reopen();

        const expected = [1, 2, 3, 4].filter((id) => id !== first + 1);
        expect(await inbox.stats()).toMatchObject({ waiting: 3, parked: 0 });
        expect(await claimIds()).toEqual(expected);
      });
    });

    describe('what was claimed and not settled', () => {
      test('is claimed again each time the inbox is opened', async () => {
        await accept(2);
        for (let openings = 0; openings < 3; openings += 1) {
          expect(await claim()).toMatchObject([
            { id: 1, failures: 0 },
            { id: 2, failures: 0 },
          ]);
          await reopen();
        }
        expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 0 });
      });

      test('keeps its number of failures', async () => {
        await accept(1);
        await inbox.settle((await claim())[0]!, failed(0));
        await claim();
        await reopen();

        expect(await claim()).toMatchObject([{ id: 1, failures: 1 }]);
      });

      test('does not delay what came after it, however much that is', async () => {
        await accept(1_000);
        const [straggler, ...others] = await claim();
        for (let start = 0; start < others.length; start += 100) {
          await Promise.all(
            others.slice(start, start + 100).map((delivery) => inbox.settle(delivery, HANDLED)),
          );
        }
        await accept(1);
        expect(await claimIds()).toEqual([1_001]);
        await reopen();

        expect(await claimIds()).toEqual([straggler!.id, 1_001]);
      });

      test.each([
        { result: HANDLED, again: [], counts: { waiting: 0, parked: 0 } },
        { result: failed(0), again: [1], counts: { waiting: 1, parked: 0 } },
        { result: failed(LATER), again: [], counts: { waiting: 1, parked: 0 } },
        { result: PARKED, again: [], counts: { waiting: 0, parked: 1 } },
      ])('can end as $result.kind after many later deliveries', async ({ result, again, counts }) => {
        await accept(600);
        const [straggler, ...others] = await claim();
        await Promise.all(others.map((delivery) => inbox.settle(delivery, HANDLED)));
        await accept(1);
        await inbox.settle((await claim())[0]!, HANDLED);
        await inbox.settle(straggler!, result);

        expect(await inbox.stats()).toMatchObject(counts);
        expect(await claimIds()).toEqual(again);
        await reopen();
        expect(await inbox.stats()).toMatchObject(counts);
        expect(await claimIds()).toEqual(again);
      });
    });

    describe('what was claimed and not settled when the process ended', () => {
      const recover = (): Promise<readonly Interrupted[]> => inbox.recover(LATER);
      const interrupted = (retryAfter = 0): AttemptResult => ({
        kind: 'failed',
        error: 'arbitrary',
        retryAfter,
        suspect: true,
      });

      test('is nothing in a new inbox, and nothing if it was closed', async () => {
        expect(await recover()).toEqual([]);
        await accept(2);
        await claim(1);
        await reopen();

        expect(await recover()).toEqual([]);
        expect(await claimIds()).toEqual([1, 2]);
      });

      test('is returned, claimed, at each opening until it is settled', async () => {
        await accept(3);
        await claim(2);
        for (let openings = 0; openings < 3; openings += 1) {
          if (openings === 1) {
            await reopen();
          } else await reopenAfterCrash();
          expect(await recover()).toEqual([
            { id: 1, failures: 0 },
            { id: 2, failures: 0 },
          ]);
          expect(await inbox.stats()).toMatchObject({ waiting: 3, parked: 0 });
        }
        for (const delivery of await recover()) await inbox.settle(delivery, failed(LATER));

        await reopenAfterCrash();
        expect(await recover()).toEqual([]);
        expect(await claimIds()).toEqual([3]);
        expect(await inbox.stats()).toMatchObject({ waiting: 3, parked: 0 });
      });

      test('is not what was settled, however it ended', async () => {
        await accept(4);
        const [one, two, three] = await claim();
        await inbox.settle(one!, HANDLED);
        await inbox.settle(two!, failed(0));
        await inbox.settle(three!, PARKED);
        await reopenAfterCrash();

        expect(await recover()).toEqual([{ id: 4, failures: 0 }]);
        expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 1 });
        expect(await claim()).toMatchObject([{ id: 2, failures: 1, suspect: false }]);
      });

      test('has the failures that it had', async () => {
        await accept(2);
        await inbox.settle((await claim(1))[0]!, failed(0));
        await claim();
        await reopenAfterCrash();

        expect(await recover()).toEqual([
          { id: 1, failures: 1 },
          { id: 2, failures: 0 },
        ]);
      });

      test('does not make what failed or was parked beside it come with fewer failures', async () => {
        await accept(5);
        const [, two, three, four] = await claim(4);
        await inbox.settle(two!, PARKED);
        await inbox.settle(three!, failed(LATER));
        await inbox.settle(four!, HANDLED);
        await reopenAfterCrash();
        for (const delivery of await recover()) await inbox.settle(delivery, failed(LATER));

        expect(await inbox.stats()).toMatchObject({ parked: 1 });
        const ids = await claimIds();
        expect(ids.filter((id) => id !== 4)).toEqual([5]);
      });

      test('may be parked', async () => {
        await accept(2);
        await claim(1);
        await reopenAfterCrash();
        await inbox.settle((await recover())[0]!, PARKED);

        expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 1 });
        expect(await claimIds()).toEqual([2]);
      });

      test('is afterwards claimed alone, once nothing else is claimed, and nothing with it', async () => {
        await accept(3);
        await claim(2);
        await reopenAfterCrash();
        const interruptedOnes = await recover();
        const [three] = await claim();
        for (const delivery of interruptedOnes) await inbox.settle(delivery, interrupted());
        await accept(1);

        expect(await inbox.claim(10)).toEqual({ deliveries: [], nextDueIn: undefined });
        await inbox.settle(three!, HANDLED);
        for (const id of [1, 2]) {
          const claimed = await inbox.claim(10);
          expect(claimed).toMatchObject({
            deliveries: [{ id, failures: 1, suspect: true }],
            nextDueIn: undefined,
          });
          expect(await inbox.claim(10)).toEqual({ deliveries: [], nextDueIn: undefined });
          await inbox.settle(claimed.deliveries[0]!, id === 1 ? HANDLED : failed(LATER));
        }
        expect(await claim()).toMatchObject([{ id: 4, suspect: false }]);
      });

      test('is claimed alone also after further openings, until an attempt has ended', async () => {
        await accept(2);
        await claim();
        await reopenAfterCrash();
        for (const delivery of await recover()) await inbox.settle(delivery, interrupted());
        await reopen();
        await recover();
        expect(await claimIds()).toEqual([1]);
        await reopenAfterCrash();

        expect(await recover()).toEqual([{ id: 1, failures: 1 }]);
        await inbox.settle({ id: 1, failures: 1 }, failed(0));
        const [suspect] = await claim();
        expect(suspect).toMatchObject({ id: 2, failures: 1, suspect: true });
        await inbox.settle(suspect!, failed(0));
        expect(await claim()).toMatchObject([
          { id: 1, failures: 2, suspect: false },
          { id: 2, failures: 2, suspect: false },
        ]);
      });

      test('does not let a suspect that is not due delay others', async () => {
        await accept(1);
        await claim();
        await reopenAfterCrash();
        await inbox.settle((await recover())[0]!, interrupted(LATER));
        await accept(2);

        expect(await claimIds()).toEqual([2, 3]);
      });

      test('loses nothing of a large backlog', async () => {
        await accept(1_000);
        const claimed = await claim(700);
        await Promise.all(
          claimed.filter(({ id }) => id % 100 !== 0).map((delivery) => inbox.settle(delivery, HANDLED)),
        );
        await reopenAfterCrash();
        const left = await recover();
        expect(left.filter(({ id }) => id % 100 === 0)).toHaveLength(7);
        await accept(1);
        for (const delivery of left) await inbox.settle(delivery, failed(0));

        const ids = new Set(await claimIds());
        for (const id of [100, 200, 300, 400, 500, 600, 700, 701, 1_000]) expect(ids).toContain(id);
        expect([...(await claimIds()), ...ids]).toContain(1_001);
      });
    });

    describe('a clock that is set back', () => {
      const DAY = 86_400_000;

      test('does not make a wait longer', async () => {
        await accept(1);
        await inbox.settle((await claim())[0]!, failed(20));
        setClock(-DAY);

        const { deliveries, nextDueIn = 0 } = await inbox.claim(1);
        expect(nextDueIn).toBeLessThanOrEqual(20);
        await new Promise((resolve) => setTimeout(resolve, 25));
        expect([...deliveries, ...(await claim())]).toMatchObject([{ id: 1, failures: 1 }]);
      });

      test('before the inbox is opened again leaves a wait of at most the longest one', async () => {
        await accept(2);
        await inbox.settle((await claim(1))[0]!, failed(30));
        setClock(-DAY);
        await reopen();
        await inbox.recover(30);
        await inbox.recover(30);

        expect((await inbox.claim(1)).deliveries).toMatchObject([{ id: 2 }]);
        const { deliveries, nextDueIn = 0 } = await inbox.claim(1);
        expect(nextDueIn).toBeLessThanOrEqual(30);
        await new Promise((resolve) => setTimeout(resolve, 35));
        expect([...deliveries, ...(await claim())]).toMatchObject([{ id: 1, failures: 1 }]);
      });
    });

    describe('what failed', () => {
      test('comes again when it is due, with one more failure', async () => {
        await accept(1);
        for (let failures = 0; failures < 3; failures += 1) {
          const [delivery] = await claim();
          expect(delivery).toMatchObject({ id: 1, failures });
          await inbox.settle(delivery!, failed(0));
        }
        expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 0 });
      });

      test('does not come before it is due, even after the inbox was opened again', async () => {
        await accept(1);
        await inbox.settle((await claim())[0]!, failed(LATER));

        for (const next of [() => undefined, reopen]) {
          await next();
          const { deliveries, nextDueIn } = await inbox.claim(1);
          expect(deliveries).toEqual([]);
          expect(nextDueIn).toBeGreaterThan(0);
          expect(nextDueIn).toBeLessThanOrEqual(LATER);
          expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 0 });
        }
      });

      test('is reported by the time until it is due, the nearest first', async () => {
        await accept(2);
        const [one, two] = await claim();
        await inbox.settle(one!, failed(2 * LATER));
        expect((await inbox.claim(1)).nextDueIn).toBeGreaterThan(LATER);
        await inbox.settle(two!, failed(LATER));
        expect((await inbox.claim(1)).nextDueIn).toBeLessThanOrEqual(LATER);
      });

      test('comes when the reported time has passed', async () => {
        await accept(1);
        await inbox.settle((await claim())[0]!, failed(20));

        let claimed = await inbox.claim(1);
        while (claimed.deliveries.length === 0) {
          const { nextDueIn } = claimed;
          expect(nextDueIn).toBeLessThanOrEqual(20);
          await new Promise((resolve) => setTimeout(resolve, nextDueIn));
          claimed = await inbox.claim(1);
        }
        expect(claimed.deliveries).toMatchObject([{ id: 1, failures: 1 }]);
      });

      test('does not delay new deliveries', async () => {
        await accept(3);
        for (const delivery of await claim(2)) await inbox.settle(delivery, failed(LATER));

        expect(await claimIds()).toEqual([3]);
      });

      test('and is due comes once, within the limit', async () => {
        await accept(5);
        for (const delivery of await claim()) await inbox.settle(delivery, failed(0));
        await accept(1);

        const seen = [...(await claimIds(2)), ...(await claimIds(2)), ...(await claimIds(2))];
        expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6]);
        expect(await claimIds()).toEqual([]);
      });

      test('and is handled then never comes again', async () => {
        await accept(1);
        await inbox.settle((await claim())[0]!, failed(0));
        await inbox.settle((await claim())[0]!, HANDLED);

        expect(await inbox.claim(1)).toEqual({ deliveries: [], nextDueIn: undefined });
        await reopen();
        expect(await inbox.claim(1)).toEqual({ deliveries: [], nextDueIn: undefined });
        expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 0 });
      });

      test.each(['', '\0 \ud800 😀 "\\', 'long '.repeat(100_000)])(
        'may have said anything (%#)',
        async (error) => {
          await accept(2);
          const [one, two] = await claim();
          await Promise.all([
            inbox.settle(one!, { kind: 'failed', error, retryAfter: 0 }),
            inbox.settle(two!, { kind: 'parked', error }),
          ]);

          expect(await claimIds()).toEqual([1]);
          expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 1 });
        },
      );
    });

    describe('what is parked', () => {
      test('behind a delivery that is under way stays so after a crash', async () => {
        await accept(2);
        const [, two] = await claim();
        await inbox.settle(two!, PARKED);
        await reopenAfterCrash();
        for (const cutOff of await inbox.recover(LATER)) await inbox.settle(cutOff, failed(0));

        expect(await claimIds()).toEqual([1]);
        expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 1 });
      });

      test('is counted, and never claimed', async () => {
        await accept(3);
        const [one, two, three] = await claim();
        await inbox.settle(one!, PARKED);
        await inbox.settle(two!, failed(0));
        await inbox.settle(three!, HANDLED);
        await inbox.settle((await claim())[0]!, PARKED);

        for (const next of [() => undefined, reopen]) {
          await next();
          expect(await inbox.stats()).toMatchObject({ waiting: 0, parked: 2 });
          expect(await inbox.claim(10)).toEqual({ deliveries: [], nextDueIn: undefined });
        }
      });
    });

    describe('closing', () => {
      test('waits for what is under way', async () => {
        await accept(2);
        const [one, two] = await claim();
        const underWay = [
          ...Array.from({ length: 50 }, () => inbox.accept(incoming('arbitrary'))),
          inbox.settle(one!, HANDLED),
          inbox.settle(two!, PARKED),
        ];
        await reopen();
        await Promise.all(underWay);

        expect(await inbox.stats()).toMatchObject({ waiting: 50, parked: 1 });
        expect(await claimIds()).toEqual(Array.from({ length: 50 }, (_, index) => index + 3));
      });

      const batch: Batch = { filter: {}, after: 0, limit: 1 };
      test.each<[operation: string, call: (closed: Inbox) => Promise<unknown>]>([
        ['accept', (closed) => closed.accept(incoming('arbitrary'))],
        ['recover', (closed) => closed.recover(1)],
        ['claim', (closed) => closed.claim(1)],
        ['settle', (closed) => closed.settle({ id: 1, failures: 0 }, HANDLED)],
        ['removeExpired', (closed) => closed.removeExpired({ maxAge: 1, maxBytes: 1, maxEventAge: 1 })],
        ['check', (closed) => closed.check()],
        ['list', (closed) => closed.list({}, { order: 'newest first', limit: 1 })],
        ['find', (closed) => closed.find(1)],
        ['read', (closed) => closed.read(batch)],
        ['replay', (closed) => closed.replay(batch)],
        ['discard', (closed) => closed.discard(batch, 'arbitrary')],
        ['setPaused', (closed) => closed.setPaused(true)],
        ['stats', (closed) => closed.stats()],
      ])('makes %s reject, and nothing is written', async (operation, call) => {
        await accept(1);
        const closed = inbox;
        await close();

        const error = await rejection(call(closed));

        expect(error).toBeInstanceOf(ReceiverError);
        expect(error).toMatchObject({ code: 'INBOX_CLOSED' });
        expect((error as Error).message).toContain(`"${operation}"`);
        await openHere();
        expect(await claimIds()).toEqual([1]);
      });
    });

    test('reads a backlog that does not fit into memory, in order and each once', async () => {
      const size = 1_048_576;
      const contentOf = (id: number): Buffer => Buffer.alloc(size, `content ${id} `);
      const acceptNext = async (count: number, first: number): Promise<void> => {
        await Promise.all(
          Array.from({ length: count }, (_, index) => inbox.accept(incoming(contentOf(first + index)))),
        );
      };
      const seen: number[] = [];
      const handle = async (limit: number): Promise<void> => {
        for (const delivery of await claim(limit)) {
          expect(contentOf(delivery.id).equals(delivery.content)).toBe(true);
          seen.push(delivery.id);
          await inbox.settle(delivery, HANDLED);
        }
      };
      await acceptNext(12, 1);
      await handle(5);
      await acceptNext(6, 13);
      await handle(10);
      await acceptNext(2, 19);
      await handle(4);
      await acceptNext(12, 21);
      await handle(100);

      expect(seen).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
    });

    inboxOperationsSuite(adapter);
    inboxRetentionSuite(adapter);

    inboxProperty(adapter);
  });
}
