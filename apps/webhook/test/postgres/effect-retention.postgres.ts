import { afterThisTest } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { postgresServers } from '../../src/config/postgres-url.js';
import { openPostgresInbox } from '../../src/inbox/postgres/postgres-inbox.js';
import { PostgresTransactions } from '../../src/inbox/postgres/postgres-transactions.js';
import { HANDLED, incoming, setClock } from '../open-inbox.js';
import { recordLog } from '../record-log.js';

const DAY = 86_400_000;

withPostgres('rows of effect', () => {
  test('are deleted once their delivery is, and kept before', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const inbox = await openPostgresInbox(postgresServers(url), recordLog().logger);
    afterThisTest(() => inbox.close());
    const transactions = new PostgresTransactions(postgresServers(url));
    afterThisTest(() => transactions.close());
    const effects = (): Promise<string> =>
      server.psql(
        "SELECT string_agg(delivery_id::text, ' ' ORDER BY delivery_id) FROM plant_store.effect",
        new URL(url).pathname.slice(1),
      );
    for (let id = 1; id <= 4; id += 1) await inbox.accept(incoming('arbitrary'));
    const { deliveries } = await inbox.claim(4);
    for (const { id } of deliveries)
      await transactions.run(id, () => Promise.resolve(), new AbortController().signal);
    // The last one still waits.
    for (const delivery of deliveries.slice(0, 3)) await inbox.settle(delivery, HANDLED);
    const retention = { maxAge: DAY / 2, maxBytes: undefined, maxEventAge: DAY / 2 };

    expect(await inbox.removeExpired(retention)).toBe(0);
    expect(await effects()).toBe('1 2 3 4');
    setClock(DAY);
    while ((await inbox.removeExpired(retention)) > 0);

    expect(await effects()).toBe('4');
    expect(await inbox.find(4)).toMatchObject({ state: 'waiting' });
    expect(await inbox.find(3)).toBeUndefined();
  });
});
