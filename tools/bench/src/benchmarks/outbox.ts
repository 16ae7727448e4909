/**
 * `npm run bench outbox`: what recording a notification adds to a store's transaction, beside a bare INSERT of the same
 * bytes; then how many deliveries a second a relay makes, from an empty outbox and from one that keeps 1,000,000 entries,
 * without and with another session that holds a snapshot. Starts a PostgreSQL of its own on this machine, which flushes.
 * Takes about a minute.
 */
import { createNewPlantSender, json } from '@plant-store/sdk';
import { createOutboxUnder, type OutboxUnder } from '@plant-store/sdk/internal';
import { createRelay, type RelayOptions } from '@plant-store/sdk/outbox';
import type { PostgresServer } from '@plant-store/test-support/postgres';
import pg from 'pg';
import { compare, count, type Figures, ratio } from '../compare.js';
import { drive } from '../drive.js';
import { accessToken, plant, startPeer, startPostgres } from '../servers.js';

/** Everything is open in what is measured, whatever answers.ts requires. */
type Open = Readonly<Record<never, never>>;

const content = Buffer.from(JSON.stringify(plant));

/** Entries that are kept beside those that a relay sends. */
const KEPT = 1_000_000;

/** Entries that a relay sends in a round. */
const ENTRIES = 5_000;

export default async function run(): Promise<void> {
  const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  await measureEnqueue(await openDatabase(server));
  await measureRelay(server);
}

interface Database {
  readonly pool: pg.Pool;
  readonly outbox: OutboxUnder<object, Open>;
}

async function openDatabase(server: PostgresServer): Promise<Database> {
  const pool = new pg.Pool({ connectionString: await server.createDatabase() });
  pool.on('error', () => undefined);
  const outbox = createOutboxUnder<Open, object>({ database: pool, encode: json }, { answers: {} });
  await outbox.migrate();
  return { pool, outbox };
}

async function measureEnqueue({ pool, outbox }: Database): Promise<void> {
  await pool.query(`CREATE TABLE plant (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text NOT NULL);
    CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, media_type text, content bytea NOT NULL)`);
  const client = await pool.connect();
  const contenders = [
    {
      name: 'a bare INSERT',
      record: () =>
        client.query('INSERT INTO bare (content, media_type) VALUES ($1, $2)', [content, 'application/json']),
    },
    { name: 'outbox.enqueue', record: () => outbox.enqueue(client, plant) },
  ];
  const transaction = async (record: () => Promise<unknown>, times: number): Promise<void> => {
    await client.query('BEGIN');
    await client.query('INSERT INTO plant (content) VALUES ($1)', [plant.arbitrary]);
    for (let time = 0; time < times; time += 1) await record();
    await client.query('COMMIT');
  };
  for (const times of [1, 100]) {
    await compare({
      title: `A transaction that adds a plant, with ${times} × 1 kB of`,
      contenders,
      rounds: 7,
      measure: ({ record }) => drive(() => transaction(record, times), 1, 300),
      columns: {
        'µs each': ({ perSecond }) => count(1_000_000 / perSecond),
        'of a bare INSERT': ({ perSecond }, [bare]) => ratio(bare.perSecond, perSecond),
      },
    });
  }
  client.release();
}

async function measureRelay(server: PostgresServer): Promise<void> {
  const { origin } = await startPeer('the receiver', 'http');
  const options = { baseUrl: origin, accessToken, method: 'POST', encode: json };
  const sender = createNewPlantSender(options as never);
  await compare({
    title: `One relay, ${count(ENTRIES)} entries of 1 kB`,
    contenders: [
      { name: 'an empty outbox', database: await openDatabase(server) },
      { name: `${count(KEPT)} entries are kept`, database: await openFullDatabase(server) },
    ],
    rounds: 8,
    measure: ({ database }) => deliver(database, sender),
    columns: {
      'deliveries/s': ({ perSecond }) => count(perSecond),
      'of an empty outbox': ({ perSecond }, [empty]) => ratio(perSecond, empty.perSecond),
    },
  });
  await sender.close();
}

async function openFullDatabase(server: PostgresServer): Promise<Database> {
  const database = await openDatabase(server);
  await database.pool.query(`INSERT INTO plant_store_outbox.entry (state, settled_at, attempts, content)
    SELECT 'delivered', now(), 1, convert_to(repeat('x', 200), 'UTF8') FROM generate_series(1, ${KEPT})`);
  await database.pool.query('VACUUM ANALYZE plant_store_outbox.entry');
  return database;
}

/** Lets a relay deliver entries. */
async function deliver(
  { pool, outbox }: Database,
  sender: RelayOptions['sender'],
): Promise<Figures<'perSecond'>> {
  await pool.query(
    'INSERT INTO plant_store_outbox.entry (media_type, content) SELECT $1, $2 FROM generate_series(1, $3::int)',
    ['application/json', content, ENTRIES],
  );
  const relay = createRelay({ outbox, sender, retry: () => undefined });
  const start = performance.now();
  await relay.start();
  while ((await outbox.status()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await relay.stop();
  return { perSecond: (ENTRIES * 1_000) / (performance.now() - start) };
}
