import { type Adapter, incoming, OpenedInbox } from './open-inbox.js';
import { rejection } from './rejection.js';

const lacks = (object: string): object => ({
  code: 'INBOX_DAMAGED',
  message: expect.stringContaining(`it lacks ${object}`) as string,
});

/** How an inbox knows that it can accept: part of the suite of the port. */
export function inboxHealthSuite(adapter: Adapter): void {
  describe('health', () => {
    let opened: OpenedInbox;

    beforeEach(async () => {
      opened = new OpenedInbox(adapter);
      await opened.open();
    });

    test('a probe stores nothing', async () => {
      await opened.inbox.probe();

      expect(await opened.claim()).toEqual([]);
      expect(await opened.list()).toEqual([]);
      expect(await opened.inbox.operations.stats()).toMatchObject({ waiting: 0, running: 0, handled: 0 });
      expect(
        await opened.inbox.operations.removeExpired({ maxAge: 1, maxBytes: undefined, maxEventAge: 1 }),
      ).toBe(0);
    });

    test('a probe that was right is believed until a delivery is refused', async () => {
      await opened.inbox.probe();
      await adapter.sql(opened.place, adapter.refuseArrivals);
      await opened.inbox.probe();

      const refused = await rejection(opened.inbox.accept(incoming('arbitrary')));
      const probed = await rejection(opened.inbox.probe());

      expect(probed).toMatchObject({ code: 'INBOX_WRITE_FAILED', message: (refused as Error).message });
      expect(probed).toMatchObject({ message: expect.stringContaining('no arrivals') as string });
    });

    test.each([
      ['DROP TABLE act', 'table act'],
      ['DROP INDEX delivery_by_act', 'index delivery_by_act'],
      [
        'ALTER TABLE delivery DROP COLUMN discarded_bytes',
        'column delivery.discarded_bytes',
        'DROP VIEW overview',
      ],
      ['DELETE FROM inbox_state', 'the one row of inbox_state'],
    ])(
      'after "%s" it says what it lacks, while it runs and at the next start',
      async (text, object, before = '') => {
        await adapter.sql(opened.place, `${before}; ${text}`);

        expect(await rejection(opened.inbox.probe())).toMatchObject({
          message: expect.stringContaining(`it lacks ${object}`) as string,
        });
        await opened.inbox.close();
        expect(await rejection(opened.open())).toMatchObject(lacks(object));
      },
    );
  });
}
