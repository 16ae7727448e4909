import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';

import { createInbox, openInbox } from '../../src/inbox/open-inbox.js';
import { Migrations } from '../../src/inbox/migrations.js';
import { migrate } from '../../src/inbox/postgres/migrate.js';
import { rejection } from '../rejection.js';

withPostgres('the tables of a shared inbox', () => {
  let url: string;
  const query = async (sql: string): Promise<string> =>
    (await postgresOfThisFile()).query(sql, new URL(url).pathname.slice(1));
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(url);
    await client.connect();
    afterThisTest(() => client.end());
    return client;
  };

  beforeEach(async () => {
    url = await (await postgresOfThisFile()).createDatabase();
  });

  test.each([
    [8, 'which is too old. Run "plant-inbox export" of the version that made them'],
    [99, 'and this receiver knows version 11. Start a receiver that is as new as the one that made them.'],
  ])('of version %d are refused: what to do', async (version, says) => {
    await query(`CREATE SCHEMA plant_store; CREATE TABLE plant_store.schema_version (version int PRIMARY KEY);
      INSERT INTO plant_store.schema_version VALUES (${version})`);

    expect(await rejection(openInbox(url))).toMatchObject({
      code: 'INBOX_UNUSABLE',
      message: expect.stringContaining(`has tables of version ${version}, ${says}`) as string,
    });
  });

  test('are brought to the next version once by receivers that start together', async () => {
    await (await openInbox(url)).close();
    const folder = makeFolder();
    for (const [version, sql] of [
      [11, ''],
      [12, 'CREATE TABLE plant_store.later (id int)'],
    ])
      writeFileSync(join(folder, `postgres-${version}.sql`), String(sql));
    const migrations = new Migrations('postgres', pathToFileURL(`${folder}/`));
    const upgrades: unknown[] = [];
    const bring = async (): Promise<void> =>
      migrate(
        await connect(),
        'arbitrary',
        (upgrade) => {
          upgrades.push(upgrade);
          return () => undefined;
        },
        migrations,
      );

    await Promise.all([bring(), bring(), bring()]);

    expect(upgrades[0]).toEqual({ from: 11, to: 12 });
    expect(await query('SELECT version FROM plant_store.schema_version')).toBe('12');
  });

  test('that another receiver makes are waited for; an opening that is closed then leaves nothing', async () => {
    // The lock under which tables are changed.
    const other = await connect();
    await other.query('SELECT pg_advisory_lock($1)', [0x706c616e]);
    const inbox = await createInbox(url);

    const opening = rejection(inbox.open());
    expect(await rejection(inbox.operations.stats())).toMatchObject({ code: 'INBOX_OPENING' });
    await inbox.close();

    expect(await opening).toMatchObject({ code: 'INBOX_CLOSED' });
    expect(await query(`SELECT count(*) FROM pg_tables WHERE schemaname = 'plant_store'`)).toBe('0');
    await other.query('SELECT pg_advisory_unlock_all()');
    const next = await openInbox(url);
    afterThisTest(() => next.close());
  });
});
