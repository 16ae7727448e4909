import { fileURLToPath } from 'node:url';

import { afterThisFile } from '@plant-store/test-support';
import { findPostgres } from '@plant-store/test-support/postgres';
import { PostgresCluster } from '@plant-store/test-support/postgres-cluster';

import { openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { ARBITRARY, delivery, message, POST, RIGHT } from '../support/messages.js';
import { soon } from '../support/port.js';
import { startReceiver } from '../support/receiver.js';

const programs = findPostgres(process.env);
const EVENTS_IDENTIFIED = fileURLToPath(new URL('events-identified.mjs', import.meta.url));
const withPostgres = programs === undefined ? describe.skip : describe;

withPostgres('while no standby is there', () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await PostgresCluster.start(programs!, afterThisFile);
  });

  test('nothing is acknowledged, and a commit whose wait is cancelled is refused', async () => {
    const receiver = await startReceiver({ settings: { INBOX_URL: cluster.url, HANDLER_CONCURRENCY: '0' } });
    await Promise.all(cluster.standbys.map((standby) => standby.stop()));

    const connection = await openConnection(receiver.port);
    connection.write(delivery('arbitrary'));
    // Without a handler, nothing else is written.
    await untilWaiting(cluster, 1);
    expect(await cluster.query(`SELECT count(pg_cancel_backend(pid)) FROM ${WAITING}`)).toBe('1');
    expectResponse(await connection.response(), { status: 503 });
    expect(await cluster.query('SELECT count(*) FROM plant_store.delivery')).toBe('1');

    await Promise.all(cluster.standbys.map((standby) => standby.start()));
    await receiver.process.logged('the inbox can be written to again');
    const again = await openConnection(receiver.port);
    again.write(delivery('arbitrary'));
    expectResponse(await again.response(), { status: 204 });
  });

  test('a repeated event waits until the first delivery of it is replicated', async () => {
    const settings = {
      INBOX_URL: cluster.url,
      HANDLER_CONCURRENCY: '0',
      NODE_OPTIONS: `--import=${EVENTS_IDENTIFIED}`,
    };
    const [one, other] = [await startReceiver({ settings }), await startReceiver({ settings })];
    await Promise.all(cluster.standbys.map((standby) => standby.stop()));
    const event = message(POST, [RIGHT, 'Webhook-ID: one'], ARBITRARY);

    const first = await openConnection(one.port);
    first.write(event);
    await untilWaiting(cluster, 1);
    const second = await openConnection(other.port);
    second.write(event);
    let isAcknowledged = false;
    const response = second.response().finally(() => (isAcknowledged = true));
    // It waits for the row of the first one, or for a standby.
    while ((await cluster.query(BUSY)) !== '2') await soon();
    expect(isAcknowledged).toBe(false);

    await Promise.all(cluster.standbys.map((standby) => standby.start()));
    expectResponse(await first.response(), { status: 204 });
    expectResponse(await response, { status: 204 });
    expect(await cluster.query('SELECT count(*) FROM plant_store.delivery WHERE event_id IS NOT NULL')).toBe(
      '1',
    );
  });
});

/** How many connections of receivers carry out a statement that writes. */
const BUSY = `SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'plant-store%'
  AND query LIKE '%INSERT%'`;

const WAITING = `pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'plant-store%'`;

/** Waits until so many commits of receivers wait for a standby. */
async function untilWaiting(cluster: PostgresCluster, count: number): Promise<void> {
  while (Number(await cluster.query(`SELECT count(*) FROM ${WAITING}`)) < count) await soon();
}
