/** The outbox through PgBouncer in transaction mode, beside other clients of the same connections. */
import { afterThisTest } from '@plant-store/test-support';
import { hasPgBouncer, startPgBouncer } from '@plant-store/test-support/pgbouncer';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import type { Pool } from 'pg';
import { inTransaction, openOutbox, RecordingSender, startRelay, untilSettled } from './outboxes.js';
import { openPool } from './server.js';

const withPgBouncer = hasPgBouncer() ? withPostgres : describe.skip;

/** A pool of a new database. */
async function openPooled(): Promise<{ readonly pooled: Pool; readonly direct: Pool }> {
  const server = await postgresOfThisFile();
  const url = new URL(await server.createDatabase());
  const direct = openPool(url.href);
  url.port = String(await startPgBouncer(server, afterThisTest));
  return { pooled: openPool(url.href), direct };
}

const SETTINGS = `SELECT name, setting FROM pg_settings
  WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone')`;

withPgBouncer('an outbox behind PgBouncer in transaction mode', () => {
  test('sends each entry once by relays that share connections, and leaves nothing in a session', async () => {
    const { pooled, direct } = await openPooled();
    const outbox = openOutbox(pooled);
    await Promise.all([outbox.migrate(), outbox.migrate()]);
    const senders = [1, 2, 3, 4].map(() => new RecordingSender());
    for (const sender of senders) await startRelay({ outbox, sender, concurrency: 16 });

    await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        inTransaction(
          pooled,
          (client) => outbox.enqueue(client, String(index)),
          index % 4 === 0 ? 'ROLLBACK' : 'COMMIT',
        ),
      ),
    );
    await untilSettled(direct);

    const texts = senders.flatMap((sender) => sender.texts);
    expect(texts).toHaveLength(300);
    expect(new Set(texts).size).toBe(300);
    expect(texts.filter((text) => Number(text) % 4 === 0)).toEqual([]);
    const settings = await Promise.all(Array.from({ length: 8 }, () => pooled.query(SETTINGS)));
    expect(settings.flatMap(({ rows }) => rows as unknown[])).toEqual([]);
    expect((await direct.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).rows).toEqual([]);
  });

  test('refuses a plant outside a transaction', async () => {
    const { pooled, direct } = await openPooled();
    const outbox = openOutbox(pooled);
    await outbox.migrate();

    await expect(outbox.enqueue(pooled, 'arbitrary')).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_NO_TRANSACTION',
    });
    expect((await direct.query('SELECT 1 FROM plant_store_outbox.entry')).rows).toEqual([]);
  });
});
