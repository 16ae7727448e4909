import { afterThisTest } from '@plant-store/test-support';

import type { Inbox } from '../../src/inbox/inbox.js';
import type { DeliveryState, FailedAttempt, StoredDelivery } from '../../src/inbox/inbox-operations.js';
import { openInbox } from '../../src/inbox/open-inbox.js';
import { all, incoming } from '../open-inbox.js';
import { rejection } from '../rejection.js';

/** The columns of deliveries and of attempts, by the names that the port {@link Inbox} has for them. */
export const COLUMNS = `id, state, received_at AS "receivedAt", due_at AS "dueAt", started_at AS "startedAt",
  ended_at AS "endedAt", replayed_at AS "replayedAt", attempts, error, reason, event_id AS "eventId", method,
  media_type AS "mediaType", content_encoding AS "contentEncoding", fields`;
export const ATTEMPT_COLUMNS = `delivery, number, started_at AS "startedAt", duration, receiver, error, stack`;

/** What an inbox has stored, read without it. */
export interface Stored {
  readonly deliveries: readonly (Omit<StoredDelivery, 'fields' | 'content' | 'history' | 'bytes'> & {
    /** In JSON. */
    readonly fields: string;
    /** In hexadecimal digits. */
    readonly content: string;
  })[];
  readonly attempts: readonly (FailedAttempt & { readonly delivery: number })[];
}

/** An inbox of an earlier version: as the SQL in this folder has it. */
export interface EarlierInbox {
  /** Makes it, as its receiver left it when it was killed. Returns its URL. */
  readonly make: () => Promise<string>;
  readonly read: (url: string) => Promise<Stored>;
  readonly setVersion: (url: string, version: number) => Promise<unknown>;
}

/** The state in which this version shows a delivery. What was running comes again. */
function stateOf({ state, attempts }: { readonly state: DeliveryState; readonly attempts: number }): unknown {
  if (state === 'running') return expect.stringMatching(/^(running|retrying)$/);
  return state === 'waiting' && attempts > 0 ? 'retrying' : state;
}

/** Compares what an inbox has with what it had. */
async function expectEverything(inbox: Inbox, { deliveries, attempts }: Stored): Promise<void> {
  for (const { content, fields, dueAt, error, startedAt, endedAt, ...before } of deliveries) {
    const { history, ...found } = (await inbox.find(before.id))!;
    const state = stateOf(before);
    expect(found).toMatchObject({
      ...{ ...before, state, fields: JSON.parse(fields) as unknown, bytes: content.length / 2 },
      // An attempt that was running has failed.
      ...(before.state !== 'running' && {
        error,
        startedAt,
        endedAt,
        dueAt: state === 'retrying' ? dueAt : null,
      }),
    });
    expect(Buffer.from(found.content).toString('hex')).toBe(content);
    const failed = attempts.filter(({ delivery }) => delivery === before.id);
    const kept = history.slice(0, failed.length).map((attempt) => ({ ...attempt, delivery: before.id }));
    expect(kept).toEqual(failed);
  }
}

/** The suite of inboxes that an earlier version has written: this one takes them along. */
export function earlierInboxSuite(name: string, { make, read, setVersion }: EarlierInbox): void {
  describe(name, () => {
    let url: string;
    let before: Stored;

    beforeEach(async () => {
      url = await make();
      before = await read(url);
    });

    const open = async (): Promise<Inbox> => {
      const inbox = await openInbox(url);
      afterThisTest(() => inbox.close());
      return inbox;
    };

    test('has every delivery with its state, its history and its content, also at the next opening', async () => {
      expect(before.deliveries).toHaveLength(10);
      const first = await open();
      await expectEverything(first, before);
      expect(await first.stats()).toMatchObject({ waiting: 3, handled: 1, parked: 1, discarded: 1 });
      await first.close();

      await expectEverything(await open(), before);
    });

    test('is paused as before, gives no id twice, and knows the events', async () => {
      const inbox = await open();

      expect((await inbox.stats()).isPaused).toBe(true);
      expect(await inbox.accept(incoming('arbitrary'))).toBe(13);
      const events = ['event 1', 'Ereignis 9 \u{1f333}', 'event of a delivery that was deleted'];
      for (const [index, id] of [1, 9, 11].entries())
        expect(await inbox.accept(incoming('arbitrary', { eventId: events[index]! }))).toBe(id);
    });

    test('has a key for each delivery, which stays the same', async () => {
      const keysIn = async (inbox: Inbox): Promise<string[]> =>
        (await inbox.read(all())).deliveries.map(({ key }) => key);
      const first = await open();
      await first.accept(incoming('arbitrary'));
      const keys = await keysIn(first);
      await first.close();

      for (const key of keys) expect(key).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      expect(new Set(keys).size).toBe(before.deliveries.length + 1);
      const second = await open();
      expect(await keysIn(second)).toEqual(keys);
      const { deliveries } = await second.search({
        text: keys[3]!,
        filter: {},
        limit: 10,
        maxDuration: 60_000,
      });
      expect(deliveries).toMatchObject([{ id: before.deliveries[3]!.id }]);
    });

    test('is refused by a receiver that is older than its tables', async () => {
      await (await open()).close();
      await setVersion(url, 99);

      const error = (await rejection(openInbox(url))) as Error;
      expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
      expect(error.message).toMatch(
        /^The inbox (at|in) \S+ has tables of version 99, and this receiver (needs|knows) version \d+\. Start a receiver that is as new as the one that made them\.$/,
      );
    });
  });
}
