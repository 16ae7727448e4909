import { type PostgresServer } from '@plant-store/test-support/postgres';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

import { act, Claims, HANDLED, incoming } from '../open-inbox.js';
import { openShared } from './open-shared.js';

/** The server refuses to change a row of a published table without a primary key. */
const PUBLICATION = 'CREATE PUBLICATION everything FOR ALL TABLES';

withPostgres('a shared inbox whose database publishes all tables', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ wal_level: 'logical' });
  });

  test('accepts, handles, pauses and is ready', async () => {
    const url = await server.createDatabase();
    await server.query(PUBLICATION, new URL(url).pathname.slice(1));

    const inbox = await openShared(url);
    await inbox.probe();
    await inbox.operations.setPaused(false);
    const claims = Claims.begin(inbox);
    const id = await inbox.accept(incoming('arbitrary', { eventId: 'an event' }));
    await claims.settle(
      ...(await inbox.operations.list({}, { order: 'newest first', limit: 100 })).map(() => HANDLED),
    );
    await inbox.operations.setPaused(true);

    expect(await inbox.operations.find(id)).toMatchObject({ state: 'handled' });
    expect(await act(inbox, 'replay', { ids: [id] })).toMatchObject({ changed: 1 });
    expect(
      await inbox.operations.removeExpired({ maxAge: 1, maxBytes: undefined, maxEventAge: 1 }),
    ).toBeGreaterThanOrEqual(0);
    expect(await inbox.operations.stats()).toMatchObject({ isPaused: true });
  });
});
