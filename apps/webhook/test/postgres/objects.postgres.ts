import { readFileSync } from 'node:fs';

import type { PostgresServer } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { openInbox } from '../../src/inbox/open-inbox.js';
import { OBJECTS } from '../../src/inbox/postgres/objects.js';
import { act, Claims, incoming, PARKED } from '../open-inbox.js';
import { rejection } from '../rejection.js';
import { openShared } from './open-shared.js';

const NEEDED = readFileSync(new URL('../../migrations/postgres-objects.json', import.meta.url), 'utf8');

withPostgres('a shared inbox needs', () => {
  let server: PostgresServer;
  let database: string;
  let url: string;

  const sql = (text: string): Promise<string> => server.query(text, database);

  beforeEach(async () => {
    server = await postgresOfThisFile();
    url = await server.createDatabase();
    database = new URL(url).pathname.slice(1);
  });

  test('what its migrations make: after a change of them, write this into postgres-objects.json', async () => {
    await (await openInbox(url)).close();
    const objects = await sql(`SELECT object FROM (${OBJECTS}) AS made`);

    expect(NEEDED).toBe(`${JSON.stringify(objects.split('\n'), null, 2)}\n`);
  });

  test.each([
    ['DROP PROCEDURE plant_store.cycle_11', 'procedure cycle_11'],
    ['DROP FUNCTION plant_store.make_durable_11', 'function make_durable_11'],
    ['DROP SEQUENCE plant_store.delivery_id CASCADE', 'sequence delivery_id'],
    ['DROP TABLE plant_store.schema_version', 'table schema_version'],
    ['DELETE FROM plant_store.schema_version', 'the one row of schema_version'],
  ])('no "%s": it says so', async (text, object) => {
    await (await openInbox(url)).close();
    await sql(text);

    expect(await rejection(openInbox(url))).toMatchObject({
      code: 'INBOX_DAMAGED',
      message: expect.stringContaining(`it lacks ${object}`) as string,
    });
  });

  test('the rights to it', async () => {
    await (await openInbox(url)).close();
    await sql(`CREATE ROLE ${database} LOGIN PASSWORD 'arbitrary'; GRANT USAGE ON SCHEMA plant_store TO ${database};
      GRANT ALL ON ALL TABLES IN SCHEMA plant_store TO ${database};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA plant_store TO ${database};
      REVOKE DELETE ON plant_store.act FROM ${database}`);
    const mine = server.url(database, { name: database, password: 'arbitrary' });

    expect(await rejection(openInbox(mine))).toMatchObject({
      code: 'INBOX_UNUSABLE',
      message: expect.stringContaining('its user may not use table act.') as string,
    });
    await sql(`GRANT DELETE ON plant_store.act TO ${database}`);
    await openShared(mine);
  });

  describe('sequences that are not behind their rows', () => {
    const BEHIND = `SELECT setval('plant_store.delivery_id', 1, false), setval('plant_store.attempt_id_seq', 1, false),
      setval('plant_store.act_id_seq', 1, false)`;

    test('which it sets at the start', async () => {
      const inbox = await openInbox(url);
      await Promise.all([1, 2, 3].map(() => inbox.accept(incoming('arbitrary'))));
      await inbox.operations.setPaused(false);
      await inbox.close();
      await sql(BEHIND);

      const again = await openShared(url);

      expect(await again.accept(incoming('arbitrary'))).toBeGreaterThan(3);
      expect(await again.operations.setPaused(false)).toMatchObject({ id: 2 });
    });

    test('which it sets when a number is given again', async () => {
      const [inbox, other] = [await openShared(url), await openShared(url)];
      const claims = Claims.begin(inbox);
      await inbox.accept(incoming('arbitrary'));
      await claims.settle(PARKED);
      await act(inbox, 'replay');
      await sql(BEHIND);

      const ids = await Promise.all([inbox, other].map((each) => each.accept(incoming('arbitrary'))));
      await claims.settle(PARKED, PARKED);
      await act(inbox, 'replay');

      expect(Math.min(...ids)).toBeGreaterThan(1);
      expect(new Set(ids).size).toBe(2);
      await inbox.probe();
    });

    test('and says how they are set, if its user may not', async () => {
      const inbox = await openInbox(url);
      await inbox.accept(incoming('arbitrary'));
      await inbox.close();
      await sql(`${BEHIND}; CREATE ROLE ${database} LOGIN PASSWORD 'arbitrary';
        GRANT USAGE ON SCHEMA plant_store TO ${database}; GRANT ALL ON ALL TABLES IN SCHEMA plant_store TO ${database};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA plant_store TO ${database}`);

      expect(
        await rejection(openInbox(server.url(database, { name: database, password: 'arbitrary' }))),
      ).toMatchObject({
        code: 'INBOX_UNUSABLE',
        message: expect.stringContaining(`SELECT setval('plant_store.delivery_id', 1)`) as string,
      });
    });
  });
});
