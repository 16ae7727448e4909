/**
 * `npm run bench outbox`: what recording a notification adds to a store's transaction, beside a bare INSERT of the same
 * bytes; then how many deliveries a second a relay makes, from an empty outbox and from one that keeps 1,000,000 entries,
 * without and with another session that holds a snapshot. Starts a PostgreSQL of its own on this machine, which flushes.
 * Takes about a minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createNewPlantSender, json } from '@plant-store/sdk';
import { createOutbox, createRelay, type Outbox, type RelayOptions } from '@plant-store/sdk/outbox';
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
const ROUNDS = 3;
const ROUNDS_WHILE_HELD = 8;

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
      rounds: 7,
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
  for (; performance.now() < start + 300; count += 1) await run();
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
  const empty = await openDatabase(server);
  const full = await openDatabase(server);
  await full.pool.query(`INSERT INTO plant_store_outbox.entry (state, settled_at, attempts, content)
    SELECT 'delivered', now(), 1, convert_to(repeat('x', 200), 'UTF8') FROM generate_series(1, ${KEPT})`);
  await full.pool.query('VACUUM ANALYZE plant_store_outbox.entry');
  const rates = { empty: [] as number[], full: [] as number[], held: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.empty.push(await deliver(empty, sender));
    rates.full.push(await deliver(full, sender));
  }
  await holdSnapshot(server, full);
  for (let round = 0; round < ROUNDS_WHILE_HELD; round += 1) rates.held.push(await deliver(full, sender));
  console.log(`\nDeliveries a second of one relay, in rounds of ${ENTRIES} entries of 1 kB:`);
  print('an empty outbox', rates.empty);
  print('1,000,000 entries are kept', rates.full);
  print('and a snapshot is held', rates.held);
  await sender.close();
}

/** Lets a relay deliver entries. @returns how many a second */
async function deliver({ pool, outbox }: Database, sender: RelayOptions['sender']): Promise<number> {
  await pool.query(
    'INSERT INTO plant_store_outbox.entry (media_type, content) SELECT $1, $2 FROM generate_series(1, $3::int)',
    ['application/json', content, ENTRIES],
  );
  const relay = createRelay({ outbox, sender });
  const start = performance.now();
  await relay.start();
  while ((await outbox.status()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await relay.stop();
  return (ENTRIES * 1_000) / (performance.now() - start);
}

/** Another session holds a snapshot until the server ends, so that no row that is dead from now on can be removed. */
async function holdSnapshot(server: PostgresServer, { name }: Database): Promise<void> {
  const hold =
    'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM plant_store_outbox.relay; SELECT pg_sleep(3600)';
  server.psql(hold, name).catch(() => undefined);
  while ((await server.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) === '0');
}

function print(name: string, rates: readonly number[]): void {
  const cells = rates.map((rate) => Math.round(rate).toLocaleString('en').padStart(7));
  console.log(`  ${name.padEnd(28)}${cells.join('')}`);
}
