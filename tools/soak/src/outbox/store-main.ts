/**
 * The store of the kill loop: adds plants and records their notifications, each in one transaction, until it is killed
 * or told to stop. One in four transactions is rolled back. Arguments: the URL of the database.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { bytes } from '@plant-store/sdk';
import { createOutbox, type Outbox } from '@plant-store/sdk/outbox';
import pg from 'pg';

/** Transactions at the same time. */
const CONCURRENCY = 4;

/** How long each waits for the next one, in milliseconds, so that relays and receiver keep up. */
const PAUSE = 10;

const pool = new pg.Pool({
  connectionString: process.argv[2]!,
  max: CONCURRENCY,
  connectionTimeoutMillis: 5_000,
});
pool.on('error', () => undefined);
// A connection that is lost while a transaction has it.
pool.on('connect', (client) => client.on('error', () => undefined));
// Under the answers of the kill loop, which the compiler doesn't know.
const outbox = createOutbox({ database: pool, encode: bytes('text/plain') } as never) as unknown as Outbox<
  string,
  { 'event-identity': { header: string } }
>;

let isStopping = false;
process.on('SIGTERM', () => (isStopping = true));
await Promise.all(Array.from({ length: CONCURRENCY }, add));
await pool.end();

async function add(): Promise<void> {
  while (!isStopping) {
    await pause(PAUSE);
    const id = randomUUID();
    const client = await pool.connect().catch(() => undefined);
    if (client === undefined) continue;
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO plant (id) VALUES ($1)', [id]);
      await outbox.enqueue(client, id, { eventId: id });
      await client.query(Math.random() < 0.25 ? 'ROLLBACK' : 'COMMIT');
      client.release();
    } catch {
      // The table of the plants knows whether it was committed.
      client.release(true);
    }
  }
}
