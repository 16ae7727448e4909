import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';
import { POSTGRES_PASSWORD } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { readInbox } from '../support/inbox.js';
import { plantInbox } from '../support/plant-inbox.js';
import { poisonSettings, sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import { startReceiver } from '../support/receiver.js';

withPostgres('moving from the embedded inbox to PostgreSQL', () => {
  test('copies what waits and what is parked, as docs/how-to/share-an-inbox.md says', async () => {
    const folder = makeFolder();
    const embedded = await startReceiver({
      folder,
      settings: { ...poisonSettings, HANDLER_CONCURRENCY: '8' },
    });
    await sendAll(embedded, ['show 1', 'throw an error', 'wait for ever 1', 'wait for ever 2']);
    while (!readInbox(embedded.inbox).some(({ state }) => state === 'parked')) await soon();
    await embedded.process.kill();

    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const file = join(folder, 'deliveries.ndjson');
    expect(await plantInbox('export', '--inbox', embedded.inbox, file)).toMatchObject({ code: 0 });
    expect(await plantInbox('import', '--inbox', url, file)).toMatchObject({ code: 0 });

    const contents = `SELECT convert_from(content, 'UTF8') FROM plant_store.delivery ORDER BY id`;
    const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));
    expect((await query(contents)).split('\n')).toEqual([
      'throw an error',
      'wait for ever 1',
      'wait for ever 2',
    ]);
    await startReceiver({ settings: { INBOX_URL: url } });
    const isLeft = "SELECT count(*) FROM plant_store.delivery WHERE state <> 'handled'";
    while ((await query(isLeft)) !== '0') await soon();
  });
});

withPostgres('plant-inbox', () => {
  test('makes and updates no tables', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const query = (sql: string): Promise<string> => server.query(sql, new URL(url).pathname.slice(1));

    const withoutTables = await plantInbox('list', '--inbox', url);

    expect(withoutTables).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plant-inbox: There is no inbox at postgres:/) as string,
    });
    expect(await query("SELECT count(*) FROM pg_namespace WHERE nspname = 'plant_store'")).toBe('0');

    await startReceiver({ settings: { INBOX_URL: url } });
    expect(await plantInbox('list', '--inbox', url)).toMatchObject({ code: 0 });
    await query('UPDATE plant_store.schema_version SET version = 4');

    const withOldTables = await plantInbox('list', '--inbox', url);

    expect(withOldTables).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        / has tables of version 4, which is too old\. Run "plant-inbox export" /,
      ) as string,
    });
    expect(await query('SELECT version FROM plant_store.schema_version')).toBe('4');
  });

  test('says in one line that its user has no rights, or that a table is missing', async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    await startReceiver({ settings: { INBOX_URL: url } });
    await server.query(`CREATE ROLE guest LOGIN PASSWORD '${POSTGRES_PASSWORD}'`);
    const asGuest = server.url(name, { name: 'guest' });

    expect(await plantInbox('list', '--inbox', asGuest)).toEqual({
      code: 1,
      stdout: '',
      stderr: `plant-inbox: The inbox at ${withoutPassword(asGuest)} cannot be used: permission denied for schema plant_store. Give the user the rights that docs/how-to/share-an-inbox.md lists under "Set it up". [INBOX_UNUSABLE]\n`,
    });

    await server.query(
      `GRANT ALL ON SCHEMA plant_store TO guest;
       GRANT ALL ON ALL TABLES IN SCHEMA plant_store TO guest;
       GRANT ALL ON ALL SEQUENCES IN SCHEMA plant_store TO guest;
       REVOKE ALL ON plant_store.receiver FROM guest`,
      name,
    );
    expect(await plantInbox('list', '--inbox', asGuest)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^plant-inbox: The inbox at .* cannot be used: its user may not use table receiver\. .*\n$/,
      ) as string,
    });

    await server.query('DROP TABLE plant_store.delivery CASCADE', name);
    for (const args of [['list'], ['import', '/dev/null']])
      expect(await plantInbox(...args, '--inbox', url)).toEqual({
        code: 1,
        stdout: '',
        stderr: `plant-inbox: The inbox at ${withoutPassword(url)} is damaged: it lacks table delivery. Restore the schema plant_store from a backup. [INBOX_DAMAGED]\n`,
      });
  });
});

const withoutPassword = (url: string): string => url.replace(`:${POSTGRES_PASSWORD}@`, '@');
