import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { prepareTrial } from '../src/answers/try-answers.js';
import { collectEvidence } from '../src/evidence/evidence.js';
import { evidenceText } from '../src/inbox-command/evidence.js';
import { Terminal } from '../src/inbox-command/terminal.js';
import type { IncomingDelivery } from '../src/inbox/delivery.js';
import { type Adapter, all, HANDLED, incoming, numbers, only, OpenedInbox, PARKED } from './open-inbox.js';
import { InnerProcess } from './run-plant-inbox.js';

/** In every value, and in every name that is a value. */
const CANARY = 'canary';
const NUMBER = 918_273_645;

const byId = (name: string, of: number): object =>
  Object.fromEntries(numbers(1, of).map((number) => [`${name}-${number}`, { [CANARY.slice(0, 3)]: CANARY }]));

const json = (value: unknown, given: Partial<IncomingDelivery> = {}): IncomingDelivery =>
  incoming(JSON.stringify(value), { mediaType: 'application/json', ...given });

const WITH_CANARIES: readonly IncomingDelivery[] = [
  json({ id: CANARY, at: `${CANARY}@plants.example`, list: [CANARY, [CANARY]], number: NUMBER }),
  json({ [`${CANARY}@plants.example`]: 1, [`https://plants.example/${CANARY}`]: 1, [CANARY.repeat(11)]: 1 }),
  json({ byId: byId(CANARY, 3_000) }),
  json(CANARY),
  incoming(CANARY, { mediaType: `text/plain; charset=${CANARY}` }),
  incoming(CANARY, { mediaType: `text/${CANARY.repeat(20)}` }),
  incoming(CANARY, { mediaType: CANARY, method: CANARY }),
  incoming(gzipSync(CANARY), { contentEncoding: 'gzip' }),
  incoming(CANARY, { contentEncoding: CANARY, eventId: CANARY }),
  incoming(CANARY, {
    fields: [
      ['X-Any', CANARY],
      ['Cookie', CANARY],
      [CANARY.repeat(11), CANARY],
    ],
  }),
];

/** Evidence of an inbox: part of the suite of the port. */
export function evidenceSuite(adapter: Adapter): void {
  describe('evidence', () => {
    let opened: OpenedInbox;

    const accept = async (...deliveries: readonly IncomingDelivery[]): Promise<void> => {
      for (const delivery of deliveries) await opened.inbox.accept(delivery);
    };

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('shows nothing of an inbox that is empty', async () => {
      expect(await collectEvidence(opened.inbox, {})).toMatchObject({
        deliveries: 0,
        firstReceivedAt: null,
        sizes: null,
        methods: { names: [], further: 0 },
        content: { json: 0, fields: [] },
      });
    });

    test('shows shapes and counts', async () => {
      const plant = (id: string, more = {}): IncomingDelivery =>
        json({ id, ...more }, { fields: [['X-Id', id]] });
      const same = plant(randomUUID());
      await accept(same, plant(randomUUID(), { height: null }), same, incoming('{', { method: 'PUT' }), same);

      const found = await collectEvidence(opened.inbox, {});

      expect(found).toMatchObject({
        ...{ deliveries: 5, discarded: 0, stoppedAfter: null },
        methods: {
          names: [
            { name: 'POST', deliveries: 4 },
            { name: 'PUT', deliveries: 1 },
          ],
          further: 0,
        },
        mediaTypes: { names: [{ name: 'application/json' }, { name: 'text/plain' }] },
        contentEncodings: { names: [{ name: '(none)', deliveries: 5 }] },
        content: { json: 4, other: 1, unread: 0, inPart: 0, further: 0 },
        sizes: { least: 1, p50: 45, most: 59 },
        repeats: { contents: 1, deliveries: 2, forgotten: 0 },
        headerFields: { names: [{ name: 'x-id', deliveries: 4 }] },
      });
      expect(found.content.fields).toEqual([
        { path: '', values: 4, of: 4, types: { object: 4 }, formats: [] },
        { path: '/id', values: 4, of: 4, types: { string: 4 }, formats: ['uuid'] },
        { path: '/height', values: 1, of: 4, types: { null: 1 }, formats: [] },
      ]);
      expect(found.repeats.between!.least).toBeGreaterThanOrEqual(0);
    });

    test('is of the deliveries that a filter has, without discarded ones', async () => {
      await opened.accept(500);
      await opened.settle(PARKED, HANDLED, PARKED);
      await opened.discard(only(3));

      expect(await collectEvidence(opened.inbox, { lastId: 499 })).toMatchObject({
        deliveries: 498,
        discarded: 1,
      });
      expect(await collectEvidence(opened.inbox, { state: 'parked' })).toMatchObject({ deliveries: 1 });
    });

    test('stops when nobody waits for it, and when its time is over', async () => {
      await opened.accept(3);

      expect(await collectEvidence(opened.inbox, {}, () => true)).toMatchObject({ stoppedAfter: 0 });
      expect(await collectEvidence(opened.inbox, {}, undefined, 0)).toMatchObject({ stoppedAfter: 0 });
    });

    test('has no value of a header field or of a content, and no line is wider than 80 columns', async () => {
      await accept(...WITH_CANARIES);
      const found = await collectEvidence(opened.inbox, {});
      const text = evidenceText(new Terminal(new InnerProcess()), found);

      expect(found.deliveries).toBe(WITH_CANARIES.length);
      for (const shown of [JSON.stringify(found), text]) {
        expect(shown.toLowerCase()).not.toContain(CANARY);
        expect(shown).not.toContain(String(NUMBER));
      }
      expect(found.content.fields).toContainEqual(
        expect.objectContaining({ path: '/byId/{}', values: 3_000, of: 1 }),
      );
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    });

    test('is what answers are tried on', async () => {
      await accept(json({ id: 'a' }), json({ id: 1 }), incoming('{'), json({ id: 'a' }, { mediaType: null }));
      const answers = { 'media-type': 'application/json', 'event-identity': { pointer: '/id' } } as const;
      const trial = prepareTrial(answers, Object.keys(answers));
      const { deliveries } = await opened.inbox.read(all());

      expect(await Promise.all(deliveries.map((delivery) => trial.refusalOf(delivery)))).toEqual([
        ...[undefined, undefined, 'media-type-unsupported', 'media-type-unsupported'],
      ]);
    });
  });
}
