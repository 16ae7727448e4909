import { readFileSync } from 'node:fs';

import { afterThisTest } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';

import { createInbox, openInbox } from '../../src/inbox/open-inbox.js';
import { all } from '../open-inbox.js';
import { ATTEMPT_COLUMNS, COLUMNS, earlierInboxSuite, type Stored } from '../earlier/earlier-inbox.suite.js';
import { makeLatch } from '../make-latch.js';
import { rejection } from '../rejection.js';

const SQL = readFileSync(new URL('../earlier/postgres-4.sql', import.meta.url), 'utf8');
const STEP = readFileSync(new URL('../../migrations/postgres-5.sql', import.meta.url), 'utf8');

const query = async (url: string, sql: string): Promise<string> =>
  (await postgresOfThisFile()).query(sql, new URL(url).pathname.slice(1));

const readRows = async (url: string, select: string): Promise<unknown> =>
  JSON.parse(await query(url, `SELECT json_agg(r) FROM (${select} ORDER BY id) AS r`));

async function make(step = ''): Promise<string> {
  const url = await (await postgresOfThisFile()).createDatabase();
  await query(url, SQL);
  if (step !== '') await query(url, `BEGIN; ${step} COMMIT`);
  return url;
}

withPostgres('on PostgreSQL', () => {
  describe.each([
    [4, ''],
    [5, `${STEP} UPDATE plant_store.schema_version SET version = 5;`],
  ])('version %d', (version, step) =>
    earlierInboxSuite(`a shared inbox of version ${version}`, {
      make: () => make(step),
      read: async (url) =>
        ({
          deliveries: await readRows(
            url,
            `SELECT ${COLUMNS}, encode(content, 'hex') AS content FROM plant_store.delivery`,
          ),
          attempts: await readRows(url, `SELECT ${ATTEMPT_COLUMNS} FROM plant_store.attempt`),
        }) as Stored,
      setVersion: (url, version) => query(url, `UPDATE plant_store.schema_version SET version = ${version}`),
    }),
  );

  test('a shared inbox of version 4 is taken along once by receivers that start together', async () => {
    const url = await make();

    const inboxes = await Promise.all([1, 2, 3].map(() => openInbox(url)));
    for (const inbox of inboxes) afterThisTest(() => inbox.close());

    expect(await query(url, 'SELECT count(*), min(version) > 4 FROM plant_store.schema_version')).toBe('1|t');
  });

  test('what a receiver of version 6 stores meanwhile has a key', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const inbox = await openInbox(url);
    afterThisTest(() => inbox.close());
    const epoch = await query(
      url,
      `INSERT INTO plant_store.receiver (name, expires_at) VALUES ('version 6', now() + interval '15 s') RETURNING epoch`,
    );
    const results = Array.from({ length: 11 }, () => `'{}'`).join(', ');
    const arrivals = `'{POST,POST}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{[],[]}', '{1,2}', '{1,1}', 'ab'`;
    await query(
      url,
      `CALL plant_store.cycle_5('version 6', ${/^\d+/.exec(epoch)![0]}, 15000, 0, 1000, ${results}, ${arrivals},
        NULL, NULL, NULL, NULL, NULL, NULL)`,
    );

    const [first, second] = (await inbox.read(all())).deliveries;
    expect([first!.content.toString(), second!.content.toString()]).toEqual(['a', 'b']);
    for (const { key } of [first!, second!]) expect(key).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(second!.key).not.toBe(first!.key);
  });

  test('an opening that waits for another receiver ends when it is closed, and leaves the inbox as it was', async () => {
    const url = await make();
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    // The lock under which tables are changed.
    await other.query('SELECT pg_advisory_lock($1)', [0x706c616e]);
    const told = makeLatch();
    const inbox = await createInbox(url, {
      onUpgrade: ({ from }) => {
        if (from === 4) told.open();
        return () => undefined;
      },
    });

    const opening = rejection(inbox.open());
    await told.opened;
    expect(await rejection(inbox.stats())).toMatchObject({ code: 'INBOX_OPENING' });
    await inbox.close();

    expect(await opening).toMatchObject({ code: 'INBOX_CLOSED' });
    expect(await query(url, 'SELECT version FROM plant_store.schema_version')).toBe('4');
    await other.query('SELECT pg_advisory_unlock_all()');
    const next = await openInbox(url);
    afterThisTest(() => next.close());
  });
});
