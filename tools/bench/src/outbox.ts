/**
 * `npm run bench outbox`: what recording a notification adds to a store's transaction, beside a bare INSERT of the same
 * bytes; then how many deliveries a second a relay makes, from an empty outbox and from one that keeps 1,000,000 entries,
 * without and with another session that holds a snapshot. Starts a PostgreSQL of its own on this machine, which flushes.
 * Takes about a minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createNewPlantSender, json } from '@plant-store/sdk';
import { createOutbox, createRelay, type Outbox } from '@plant-store/sdk/outbox';
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';
import pg from 'pg';
import { compare, type Figures, ratio } from './compare.js';

/** Everything is open in what is measured, whatever answers.ts requires. */
type Open = Readonly<Record<never, never>>;

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
const plant = { arbitrary: 'x'.repeat(1_000) };
const content = Buffer.from(JSON.stringify(plant));

/** Entries that are kept beside those that a relay sends. */
const KEPT = 1_000_000;

/** Entries that a relay sends in a round, and rounds. */
const ENTRIES = 5_000;
const ROUNDS = 4;

const cleanUps: (() => unknown)[] = [];
try {
  const programs = requirePostgres();
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const server = await PostgresServer.start({ programs, settings }, (undo) => cleanUps.push(undo));
  await measureEnqueue(await openDatabase(server));
  await measureRelay(server);
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}

interface Database {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly outbox: Outbox<object, Open>;
}

async function openDatabase(server: PostgresServer): Promise<Database> {
  const url = await server.createDatabase();
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  cleanUps.push(() => pool.end());
  const outbox = createOutbox({ database: pool, encode: json }) as unknown as Outbox<object, Open>;
  await outbox.migrate();
  return { name: new URL(url).pathname.slice(1), pool, outbox };
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
    { name: 'no notification', record: () => Promise.resolve() },
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
      rounds: 9,
      measure: ({ record }) => microseconds(() => transaction(record, times)),
      columns: {
        'µs each': ({ each }) => each.toFixed(0),
        'of a bare INSERT': ({ each }, [bare]) => ratio(each, bare.each),
      },
    });
  }
  client.release();
}

async function microseconds(run: () => Promise<void>): Promise<Figures<'each'>> {
  const start = performance.now();
  let count = 0;
  for (; performance.now() < start + 400; count += 1) await run();
  return { each: ((performance.now() - start) * 1_000) / count };
}

async function measureRelay(server: PostgresServer): Promise<void> {
  const receiver = fork(new URL('./sender-server.js', import.meta.url));
  cleanUps.push(() => receiver.disconnect());
  const [port] = (await once(receiver, 'message')) as [number];
  const options = {
    baseUrl: `http://127.0.0.1:${port}`,
    accessToken: 'arbitrary',
    method: 'POST',
    encode: json,
  };
  const sender = createNewPlantSender(options as never);
  const databases = [await openDatabase(server), await openDatabase(server), await openDatabase(server)];
  for (const { pool } of databases.slice(1)) {
    await pool.query(`INSERT INTO plant_store_outbox.entry (state, settled_at, attempts, content)
      SELECT 'delivered', now(), 1, convert_to(repeat('x', 200), 'UTF8') FROM generate_series(1, ${KEPT})`);
    await pool.query('VACUUM ANALYZE plant_store_outbox.entry');
  }
  const hold =
    'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM plant_store_outbox.relay; SELECT pg_sleep(3600)';
  // It ends with the server.
  server.psql(hold, databases[2]!.name).catch(() => undefined);
  while ((await server.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) === '0');
  const names = ['an empty outbox', '1,000,000 entries kept', 'and a snapshot is held'];
  const rates: number[][] = names.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { pool, outbox }] of databases.entries()) {
      await pool.query(
        'INSERT INTO plant_store_outbox.entry (media_type, content) SELECT $1, $2 FROM generate_series(1, $3)',
        ['application/json', content, ENTRIES],
      );
      const start = performance.now();
      const relay = createRelay({ outbox, sender });
      await relay.start();
      while ((await outbox.status()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await relay.stop();
      rates[index]!.push((ENTRIES * 1_000) / (performance.now() - start));
    }
  }
  console.log(`\nDeliveries a second of one relay, ${ENTRIES} entries of 1 kB in each of ${ROUNDS} rounds:`);
  for (const [index, name] of names.entries()) {
    console.log(
      `  ${name.padEnd(24)} ${rates[index]!.map((rate) => Math.round(rate).toLocaleString('en').padStart(7)).join('')}`,
    );
  }
  await sender.close();
}
