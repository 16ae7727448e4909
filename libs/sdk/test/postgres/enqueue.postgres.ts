import { readFileSync } from 'node:fs';
import { MikroORM } from '@mikro-orm/postgresql';
import { exampleAnswers } from '@plant-store/example-answers';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import pg, { type PoolClient } from 'pg';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { afterThisTest, tableOf } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { bytes, InvalidOptionsError, json } from '../../src/index.js';
import {
  createOutbox,
  OutboxError,
  outboxErrorCodes,
  type OutboxStatement,
  type Transaction,
} from '../../src/outbox/index.js';
import { createOutboxUnder, type EnqueueOptionsUnder } from '../../src/outbox/outbox-under.js';
import { useClocks } from '../support/clocks.js';
import type { Open } from '../support/senders.js';
import {
  inTransaction,
  noDatabase,
  openOutbox,
  openOutboxUnder,
  openTestOutbox,
  RecordingSender,
  startRelay,
  type TestOutbox,
  untilSettled,
} from './outboxes.js';
import { openNewDatabase, openPool } from './server.js';
import { ofDrizzle, ofKnex, ofKysely, ofMikroOrm, ofPostgres, ofSequelize } from './transactions.js';

/** How a library runs a statement inside a transaction, which fails if the callback throws, and outside one. */
interface Library {
  readonly inside: (run: (transaction: Transaction) => Promise<unknown>) => Promise<unknown>;
  readonly outside: Transaction;
}

const libraries: readonly [name: string, open: (url: string) => Promise<Library>][] = [
  [
    'pg',
    async (url) => {
      const pool = openPool(url);
      return { inside: (run) => viaPg(pool, run), outside: pool };
    },
  ],
  [
    'Knex',
    async (url) => {
      const database = knex({ client: 'pg', connection: url });
      afterThisTest(() => database.destroy());
      return {
        inside: (run) => database.transaction((transaction) => run(ofKnex(transaction))),
        outside: ofKnex(database),
      };
    },
  ],
  [
    'Drizzle',
    async (url) => {
      const database = drizzle(openPool(url));
      return {
        inside: (run) => database.transaction((transaction) => run(ofDrizzle(transaction))),
        outside: ofDrizzle(database),
      };
    },
  ],
  [
    'TypeORM',
    async (url) => {
      const source = await new DataSource({ type: 'postgres', url }).initialize();
      afterThisTest(() => source.destroy());
      return {
        inside: (run) => source.transaction((manager) => run(manager)),
        outside: source,
      };
    },
  ],
  [
    'Kysely',
    async (url) => {
      const database = new Kysely<object>({
        dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
      });
      afterThisTest(() => database.destroy());
      return {
        inside: (run) => database.transaction().execute((transaction) => run(ofKysely(transaction))),
        outside: ofKysely(database),
      };
    },
  ],
  [
    'MikroORM',
    async (url) => {
      const options = { clientUrl: url, discovery: { warnWhenNoEntities: false }, entities: [] };
      const orm = await MikroORM.init(options);
      afterThisTest(() => orm.close());
      return {
        inside: (run) => orm.em.fork().transactional((em) => run(ofMikroOrm(em))),
        outside: ofMikroOrm(orm.em.fork()),
      };
    },
  ],
  [
    'Sequelize',
    async (url) => {
      const sequelize = new Sequelize(url, { logging: false });
      afterThisTest(() => sequelize.close());
      return {
        inside: (run) => sequelize.transaction((transaction) => run(ofSequelize(sequelize, transaction))),
        outside: ofSequelize(sequelize, null as never),
      };
    },
  ],
  [
    'postgres.js',
    async (url) => {
      const sql = postgres(url, { onnotice: () => {} });
      afterThisTest(() => sql.end());
      return {
        inside: (run) => sql.begin((transaction) => run(ofPostgres(transaction))),
        outside: ofPostgres(sql),
      };
    },
  ],
];

/** The URL of the database of a pool. */
const urlOf = ({ pool }: TestOutbox): string => pool.options.connectionString!;

/** A client that has run statements. It ends with the test. */
async function openClient(pool: TestOutbox['pool'], ...statements: readonly string[]): Promise<PoolClient> {
  const client = await pool.connect();
  afterThisTest(() => client.release());
  for (const statement of statements) await client.query(statement);
  return client;
}

async function viaPg(pool: pg.Pool, run: (transaction: Transaction) => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await run(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const count = 'SELECT count(*)::int AS count FROM plant_store_outbox.entry';

withPostgres('enqueue', () => {
  test.each(libraries)(
    'shares the transaction of %s: its end, every byte, and its errors',
    async (_name, open) => {
      const test = await openTestOutbox();
      const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const encode = () => ({ content, mediaType: 'example/type' });
      const outbox = createOutboxUnder({ database: test.pool, encode }, { answers: {} });
      const { inside } = await open(urlOf(test));
      const failure = new Error('The caller gives up.');

      await test.pool.query('CREATE TABLE plant (content text)');
      const add = async (transaction: Transaction): Promise<void> => {
        await transaction.query('INSERT INTO plant VALUES ($1)', ['arbitrary']);
        await outbox.enqueue(transaction, 'arbitrary');
      };

      await inside(add);
      const rolledBack = inside(async (transaction) => {
        await add(transaction);
        throw failure;
      });

      await expect(rolledBack).rejects.toBe(failure);
      const { rows } = await test.pool.query(
        'SELECT content, media_type, event_id, state, attempts FROM plant_store_outbox.entry',
      );
      expect(rows).toEqual([
        { content, media_type: 'example/type', event_id: null, state: 'waiting', attempts: 0 },
      ]);
      await test.pool.query('DROP SCHEMA plant_store_outbox CASCADE');
      await expect(inside(add)).rejects.toMatchObject({
        name: 'OutboxError',
        code: 'PLANT_STORE_OUTBOX_MISSING',
        message: expect.stringContaining('plant-store outbox migrate') as string,
      });
    },
  );

  test('keeps the identifier of the event once the question is answered', async () => {
    const { pool, row } = await openTestOutbox();
    const outbox = openOutboxUnder({ 'event-identity': { header: 'example-id' } }, { database: pool });

    await inTransaction(pool, (client) => outbox.enqueue(client, 'arbitrary', { eventId: 'example-1' }));

    expect(await row('SELECT event_id FROM plant_store_outbox.entry')).toEqual({ event_id: 'example-1' });
    const withoutId = outbox as unknown as typeof outbox & { enqueue(...all: unknown[]): Promise<void> };
    const error: unknown = await withoutId.enqueue(pool, 'arbitrary').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidOptionsError);
  });

  test('encodes as the sender does under answers, and refuses what is too large', async () => {
    const { pool, row } = await openTestOutbox();
    const { payload, 'media-type': mediaType, 'size-limits': sizeLimit } = exampleAnswers;
    const given = { payload, 'media-type': mediaType, 'size-limits': sizeLimit };
    const outbox = createOutboxUnder({ database: pool }, { answers: given });

    await inTransaction(pool, (client) => outbox.enqueue(client, { arbitrary: 'content' }));

    expect(
      await row(`SELECT convert_from(content, 'UTF8') AS text, media_type FROM plant_store_outbox.entry`),
    ).toEqual({
      text: '{"plant":{"arbitrary":"content"}}',
      media_type: 'application/json',
    });
    await expect(outbox.enqueue(pool, 'x'.repeat(sizeLimit))).rejects.toMatchObject({
      code: 'PLANT_STORE_CONTENT_TOO_LARGE',
    });
  });

  test('says that the connection was lost', async () => {
    const { pool, outbox } = await openTestOutbox();
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);

    await expect(outbox.enqueue(client, 'arbitrary')).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED',
    });
    client.release(true);
  });

  test('says that the transaction had failed before', async () => {
    const { pool, outbox } = await openTestOutbox();
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('arbitrary').catch(() => {});

    const error: unknown = await outbox.enqueue(client, 'arbitrary').catch((reason: unknown) => reason);

    client.release(true);
    expect(error).toBeInstanceOf(OutboxError);
    expect(error).toMatchObject({ code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED' });
  });
});

/** As an ORM does. */
const hiding = (client: PoolClient): Transaction => ({ query: (text, values) => client.query(text, values) });

withPostgres('enqueue outside a transaction that has written', () => {
  const outside: [name: string, open: (test: TestOutbox) => Promise<Transaction>][] = [
    ['the pool of the outbox', async ({ pool }) => pool],
    ['a client before BEGIN', ({ pool }) => openClient(pool)],
    ['a client after COMMIT', ({ pool }) => openClient(pool, 'BEGIN', 'COMMIT')],
    ['a client whose transaction has written nothing', ({ pool }) => openClient(pool, 'BEGIN', 'SELECT 1')],
    ['a client that hides what it is', async ({ pool }) => hiding(await openClient(pool))],
    ...libraries.map(([name, open]): (typeof outside)[number] => [
      `the database of ${name}`,
      async (test) => (await open(urlOf(test))).outside,
    ]),
  ];

  test.each(outside)('is refused: %s', async (_name, open) => {
    const test = await openTestOutbox();
    const transaction = await open(test);

    const error: unknown = await test.outbox
      .enqueue(transaction, 'arbitrary')
      .catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(OutboxError);
    expect(error).toMatchObject({
      code: 'PLANT_STORE_OUTBOX_NO_TRANSACTION',
      message: expect.stringContaining('Pass the client on which BEGIN has run'),
    });
    expect(await test.row(count)).toEqual({ count: 0 });
  });

  test('is not assumed after a savepoint', async () => {
    const { pool, outbox, row } = await openTestOutbox();

    await inTransaction(pool, async (client) => {
      await client.query('SAVEPOINT example');
      await outbox.enqueue(client, 'arbitrary');
    });

    expect(await row(count)).toEqual({ count: 1 });
  });

  test('is not assumed while BEGIN is on its way', async () => {
    const { pool, outbox, row } = await openTestOutbox();
    const client = await openClient(pool, 'SELECT 1');

    const begun = client.query('BEGIN; SELECT pg_current_xact_id()');
    await Promise.all([begun, outbox.enqueue(client, 'arbitrary'), client.query('ROLLBACK')]);

    expect(await row(count)).toEqual({ count: 0 });
  });
});

withPostgres('the tables of the outbox', () => {
  test('are created once, although several create them at once, and are never created silently', async () => {
    const pool = await openNewDatabase();
    const outbox = createOutboxUnder({ database: pool, encode: json }, { answers: {} });

    await expect(outbox.status()).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_MISSING',
      message: expect.stringMatching(/^The database has no outbox\. .* Create it with: /),
    });
    const versions = await Promise.all([outbox.migrate(), outbox.migrate(), outbox.migrate()]);

    expect(versions.toSorted()).toEqual([0, 1, 1]);
    expect(await outbox.status()).toEqual({ waiting: 0, sending: 0, parked: 0, waitingSince: undefined });
  });

  test('are used with the rights that docs/outbox.md lists, and with fewer they say so', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(`
      CREATE ROLE store LOGIN PASSWORD 'arbitrary';
      CREATE ROLE relay LOGIN PASSWORD 'arbitrary';
      GRANT USAGE ON SCHEMA plant_store_outbox TO store, relay;
      GRANT INSERT ON plant_store_outbox.entry TO store;
      GRANT SELECT, UPDATE, DELETE ON plant_store_outbox.entry TO relay;
      GRANT SELECT ON plant_store_outbox.schema_version TO relay`);
    const [store, relay] = ['store', 'relay'].map((user) => {
      const url = new URL(pool.options.connectionString!);
      url.username = user;
      url.password = 'arbitrary';
      return openPool(url.href);
    });
    const sender = new RecordingSender();

    await inTransaction(store!, (client) => outbox.enqueue(client, 'arbitrary'));
    await startRelay({ outbox: openOutbox(relay!), sender });
    await sender.count(1);
    await untilSettled(pool);

    expect(await openOutbox(relay!).listParked()).toEqual([]);
    const unusable = { code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED' };
    await expect(openOutbox(store!).status()).rejects.toMatchObject(unusable);
    await pool.query('REVOKE INSERT ON plant_store_outbox.entry FROM store');
    const refused = inTransaction(store!, (client) => outbox.enqueue(client, 'arbitrary'));
    await expect(refused).rejects.toMatchObject(unusable);
  });

  test('are created by a user who may create nothing but in their schema', async () => {
    const pool = await openNewDatabase();
    await pool.query(
      `CREATE ROLE migrates LOGIN PASSWORD 'arbitrary'; CREATE SCHEMA plant_store_outbox AUTHORIZATION migrates`,
    );
    const url = new URL(pool.options.connectionString!);
    url.username = 'migrates';
    url.password = 'arbitrary';

    expect(await openOutbox(openPool(url.href)).migrate()).toBe(0);
  });

  test('without the procedure that this package calls are of another version', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query('DROP PROCEDURE plant_store_outbox.enqueue');

    const enqueuing = inTransaction(pool, (client) => outbox.enqueue(client, 'arbitrary'));

    await expect(enqueuing).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_VERSION',
      message: expect.stringContaining('Run: outbox.migrate(), or plant-store outbox migrate.'),
    });
  });

  test('are refused in a database whose encoding lacks characters', async () => {
    const server = await postgresOfThisFile();
    const template = `ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`;
    await openPool(server.url('postgres')).query(`CREATE DATABASE latin1 ${template}`);

    await expect(openOutbox(openPool(server.url('latin1'))).migrate()).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED',
      message: expect.stringContaining('a database in UTF8'),
    });
  });

  test('are not reached while the server has no connection for their user', async () => {
    const server = await postgresOfThisFile();
    await openPool(server.url('postgres')).query(
      "CREATE ROLE crowded LOGIN PASSWORD 'arbitrary' CONNECTION LIMIT 0",
    );
    const url = new URL(server.url('postgres'));
    url.username = 'crowded';
    url.password = 'arbitrary';

    await expect(openOutbox(openPool(url.href)).status()).rejects.toMatchObject({
      code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED',
      message: 'The database of the outbox failed: too many connections for role "crowded".',
    });
  });

  test('of a later version are refused', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query('UPDATE plant_store_outbox.schema_version SET version = 2');

    const refused = {
      code: 'PLANT_STORE_OUTBOX_VERSION',
      message: expect.stringContaining('have version 2'),
    };
    await expect(startRelay({ outbox, sender: new RecordingSender() })).rejects.toMatchObject(refused);
    await expect(outbox.migrate()).rejects.toMatchObject(refused);
  });

  test.each([
    [
      'a database that does not exist',
      'PLANT_STORE_OUTBOX_DATABASE_FAILED',
      { database: 'no_such_database' },
    ],
    ['a wrong password', 'PLANT_STORE_OUTBOX_DATABASE_FAILED', { password: 'wrong' }],
    ['a port that nobody listens on', 'PLANT_STORE_OUTBOX_DATABASE_FAILED', { port: 1 }],
    [
      'a server that can only be read',
      'PLANT_STORE_OUTBOX_DATABASE_FAILED',
      { options: '-c default_transaction_read_only=on' },
    ],
  ])('are not created in %s', async (_case, code, change) => {
    const server = await postgresOfThisFile();
    const { hostname: host, port, username: user, password } = new URL(server.url('postgres'));
    const pool = openPool('', { host, port: Number(port), user, password, database: 'postgres', ...change });
    const outbox = createOutboxUnder({ database: pool, encode: json }, { answers: {} });

    const error = (await outbox.migrate().catch((reason: unknown) => reason)) as OutboxError;

    expect(error).toMatchObject({ name: 'OutboxError', code });
    expect(error.message).toMatch(/^[^\n]+\.$/);
    expect(error.message).not.toContain(password);
  });
});

test.each<[unknown, string]>([
  [{ headers: { 'example-header': 'arbitrary' } }, 'headers'],
  [{ signal: AbortSignal.abort() }, 'signal'],
  [{ eventid: 'example-1' }, 'eventid'],
  ['example-1', 'options'],
  [null, 'options'],
])('enqueue does not take the options %p', async (options, option) => {
  const enqueuing = openOutbox(noDatabase).enqueue(
    noDatabase as never,
    'arbitrary',
    options as EnqueueOptionsUnder<Open>,
  );

  await expect(enqueuing).rejects.toMatchObject({
    code: 'PLANT_STORE_INVALID_OPTIONS',
    faults: [{ option }],
  });
});

test('enqueue refuses what runs no statement', async () => {
  const outbox = createOutboxUnder({ database: noDatabase, encode: json }, { answers: {} });
  const problem = '`transaction` must be a client of pg, or have `query(text, values)`';

  for (const transaction of [undefined, {}, () => {}]) {
    await expect(outbox.enqueue(transaction as never, {})).rejects.toThrow(problem);
  }
});

test('enqueue refuses a content that a relay could not read, before the statement', async () => {
  const outbox = createOutboxUnder({ database: noDatabase, encode: bytes() }, { answers: {} });
  const statements: string[] = [];
  const transaction = { query: async (text: string) => statements.push(text) };
  const largest = Buffer.alloc(128 * 1_048_576 + 1);

  await expect(outbox.enqueue(transaction, largest)).rejects.toMatchObject({
    code: 'PLANT_STORE_CONTENT_TOO_LARGE',
    outcome: 'not-sent',
    message: 'The content has 134217729 bytes. The limit of an outbox is 134217728.',
  });
  expect(statements).toEqual([]);
  await outbox.enqueue(transaction, largest.subarray(1));
  expect(statements).toHaveLength(1);
});

test('a database that does not answer is given up, and its connection is closed', async () => {
  const statements: OutboxStatement[] = [];
  const query = (statement: OutboxStatement): Promise<never> => {
    statements.push(statement);
    return new Promise(() => {});
  };
  const { runOut } = useClocks(20_000);

  const status = createOutboxUnder(
    { database: { ...noDatabase, query }, encode: json },
    { answers: {} },
  ).status();
  runOut();

  await expect(status).rejects.toMatchObject({
    code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED',
    message: 'The database of the outbox did not reply within 20000 ms.',
  });
  // The driver of pg closes it.
  expect(statements).toMatchObject([{ query_timeout: 20_000 }]);
});

test('an error of several addresses has the reason of the first one', async () => {
  const place = { code: 'ECONNREFUSED', address: '::1', port: 5432 };
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:5432'), place);
  const database = { ...noDatabase, query: () => Promise.reject(new AggregateError([refused])) };

  await expect(createOutboxUnder({ database, encode: json }, { answers: {} }).status()).rejects.toMatchObject(
    {
      code: 'PLANT_STORE_OUTBOX_DATABASE_FAILED',
      message: 'The database of the outbox failed: connection refused ([::1]:5432).',
    },
  );
});

test('createOutbox lists all faults of its options', () => {
  const options = { databases: 1 } as never;

  expect(() => createOutbox(options)).toThrow('`database` is missing. Pass a Pool of pg.');
  expect(() => createOutbox(options)).toThrow('`databases` is not an option of an outbox.');
  expect(() => createOutbox(null as never)).toThrow('`options` must be an object.');
});

test('docs/outbox.md has every code', () => {
  const page = readFileSync(new URL('../../docs/outbox.md', import.meta.url), 'utf8');

  expect(tableOf(page, 'Code').map(([code, meaning]) => [code!.replaceAll('`', ''), meaning!])).toEqual(
    Object.entries(outboxErrorCodes).map(([code, meaning]) => [code, meaning]),
  );
});
