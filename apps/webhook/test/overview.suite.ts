import { readFileSync } from 'node:fs';

import { tableOf } from '@plant-store/test-support';

import type { Inbox } from '../src/inbox/inbox.js';
import { act, all, Claims, failed, HANDLED, incoming, only, PARKED } from './open-inbox.js';

const PAGE = readFileSync(new URL('../../../docs/reference/inbox.md', import.meta.url), 'utf8');

/** The SQL that the page shows. */
const QUERY = /```sql\n(.*?)```/s.exec(PAGE)![1]!;

/** The columns that the page lists. */
const COLUMNS = [
  .../^`overview` has a row for each delivery: (.*)$/m.exec(PAGE)![1]!.matchAll(/`(\w+)`/g),
].map(([, name]) => name!);

/** An inbox, and how people read its database. */
export interface ReadDatabase {
  readonly inbox: Inbox;
  /** Runs one query. Returns a list of values for each row. */
  readonly rows: (query: string) => Promise<readonly (readonly unknown[])[]>;
}

/**
 * What docs/reference/inbox.md shows to people who read the database.
 *
 * @param open an empty inbox
 * @param wrongBytes how the content `ff 41` is shown
 * @param zero how the content `0` with a zero behind it is shown
 */
export function overviewSuite(
  name: string,
  open: () => Promise<ReadDatabase>,
  { wrongBytes, zero }: { readonly wrongBytes: string; readonly zero: string },
): void {
  describe(`the overview of ${name}`, () => {
    test('counts deliveries by state, as the page shows it, in the states that it lists', async () => {
      const { inbox, rows } = await open();
      const claims = Claims.begin(inbox);
      for (let count = 0; count < 6; count += 1) await inbox.accept(incoming('arbitrary'));
      await claims.settle(HANDLED, failed(3_600_000), PARKED, { ...PARKED, error: 'wrong plant' });
      await act(inbox, 'discard', only(4), 'arbitrary');
      await claims.claim(1);

      const counted = (await rows(QUERY)).map(([state, count]) => [`\`${String(state)}\``, Number(count)]);

      const documented = tableOf(PAGE, 'State').map(([state]) => [state, 1]);
      expect(counted.sort()).toEqual(documented.sort());
    });

    test('has the columns that the page lists, with what the inbox says of a delivery', async () => {
      const { inbox, rows } = await open();
      const claims = Claims.begin(inbox);
      const fields = [['X-Any', 'arbitrary']] as const;
      const content = '{"name":"Efeu \\\\ 🌱"}';
      await inbox.accept(incoming(content, { fields, eventId: 'one', mediaType: 'a/b' }));
      await claims.settle(PARKED);
      const { deliveries } = await inbox.operations.read(all());
      const { key, receivedAt } = deliveries[0]!;

      const row = (await rows(`SELECT ${COLUMNS.join(', ')} FROM overview`))[0]!;

      expect(await rows('SELECT * FROM overview')).toEqual([row]);
      expect(Object.fromEntries(COLUMNS.map((column, index) => [column, String(row[index])]))).toEqual({
        ...{ id: '1', key, state: 'parked', received_at: new Date(receivedAt).toISOString(), attempts: '1' },
        ...{ error: 'no more', reason: 'null', event_id: 'one', method: 'POST', media_type: 'a/b' },
        ...{ content_encoding: 'null', fields: JSON.stringify(fields), content },
        bytes: String(Buffer.byteLength(content)),
      });
    });

    test('says how large a discarded content was', async () => {
      const { inbox, rows } = await open();
      const claims = Claims.begin(inbox);
      await inbox.accept(incoming('content'));
      await claims.settle(PARKED);
      await act(inbox, 'discard', {}, 'wrong plant');

      const [row] = await rows('SELECT reason, bytes, content FROM overview');
      expect(row!.map(String)).toEqual(['wrong plant', '7', '']);
    });

    test.each([
      ["isn't UTF-8", Buffer.from([0xff, 0x41]), wrongBytes],
      ['has a zero', Buffer.from('0\0'), zero],
    ])('shows a content that %s', async (_name, content, shown) => {
      const { inbox, rows } = await open();
      await inbox.accept(incoming(content));

      expect(await rows('SELECT content FROM overview')).toEqual([[shown]]);
    });
  });
}
