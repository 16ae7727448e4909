/**
 * A store, two relays and PostgreSQL, with PgBouncer in front of it if it is installed. In each round, one of the first
 * three is killed and started again. KILLS says how many rounds: `KILLS=200 npx nx postgres sdk -- kill-loop`.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterThisTest } from '@plant-store/test-support';
import { hasPgBouncer, startPgBouncer } from '@plant-store/test-support/pgbouncer';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';
import type pg from 'pg';
import { withEverythingOpen } from '../support/documented.js';
import { acknowledge, startRawServer } from '../support/raw-server.js';
import { type Running, startProcess } from '../support/run-process.js';
import { openOutbox, untilSettled } from './outboxes.js';
import { openPool } from './server.js';

const KILLS = Number(process.env['KILLS'] ?? 9);
const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

withPostgres(`an outbox whose store, relays and PostgreSQL are killed ${KILLS} times`, () => {
  test(
    'delivers every plant that was committed and no other',
    async () => {
      const server = await startPostgres();
      const url = new URL(await server.createDatabase());
      const pool = openPool(url.href, { max: 1 });
      await openOutbox(pool).migrate();
      await pool.query('CREATE TABLE plant (id text PRIMARY KEY)');
      const receiver = await startRawServer(acknowledge);
      // The store and the relays share few connections, which belong to nobody.
      if (hasPgBouncer()) url.port = String(await startPgBouncer(server, afterThisTest, 4));
      const env = { PLANT_STORE_OUTBOX_URL: url.href, RECEIVER_URL: receiver.url, RETRY_MS: '50' };
      const start = (fixture: string): Running =>
        startProcess(process.execPath, withEverythingOpen(`${FIXTURES}${fixture}.mjs`), { env });
      let store = start('store');
      const relays = [start('relay'), start('relay')];

      for (let round = 0; round < KILLS; round += 1) {
        await untilOneMore(pool);
        await pause(Math.random() * 300);
        const [turn, relay] = [round % 3, round % 2];
        if (turn === 0) {
          await end(store, 'SIGKILL');
          store = start('store');
        } else if (turn === 1) {
          await end(relays[relay]!, 'SIGKILL');
          relays[relay] = start('relay');
        } else {
          await (relay === 0 ? server.crash() : server.kill());
          await server.startAgain();
        }
      }
      await untilOneMore(pool);
      await end(store, 'SIGTERM');
      await untilSettled(pool);
      for (const relay of relays) await end(relay, 'SIGTERM');

      const { rows } = await pool.query<{ id: string }>('SELECT id FROM plant ORDER BY id');
      const received = receiver.requests.map(({ content }) => String(content));
      expect([...new Set(received)].sort()).toEqual(rows.map(({ id }) => id).sort());
      expect(
        (await pool.query("SELECT 1 FROM plant_store_outbox.entry WHERE state <> 'delivered'")).rowCount,
      ).toBe(0);
    },
    60_000 + KILLS * 10_000,
  );
});

async function end({ child }: Running, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Resolves once the store has committed a plant: on a busy machine, it would else be killed each time before that. */
async function untilOneMore(pool: pg.Pool): Promise<void> {
  const count = async (): Promise<number> =>
    (await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM plant')).rows[0]!.count;
  // The connection may be from before the last kill.
  const before = await count().catch(count);
  while ((await count()) <= before) await pause(20);
}
