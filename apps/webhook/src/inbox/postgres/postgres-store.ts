import pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { inboxClosed, ReceiverError } from '../../errors.js';
import { raw, type Sql, sql } from '../sql.js';
import {
  type CycleInput,
  type CycleOutcome,
  type Dialect,
  markOfOnePart,
  nameReceiver,
  Room,
  type Row,
  type Store,
} from '../store.js';
import { Connections, openingError, reasonOf } from './connect.js';
import { NOW, withoutWarning } from './durable.js';
import { beginWithLease, isAbandoned } from './lease.js';
import { fetchClaimed, runCycle } from './postgres-cycle.js';
import { Writer, type WriterLog } from './writer.js';

/** How long to wait for a reply before a connection counts as lost, in milliseconds. */
const REPLY_TIMEOUT = 20_000;

/** Errors of one row, of which the others may be written: its data, a constraint, a limit, or a lock that it waits for. */
const OF_ONE_ROW = /^(22|23|40|54|55P03)/;

/** Numbers of PostgreSQL's types (pg_type.oid). */
const INT8 = 20;
const INT8_ARRAY = 1016;

interface Parsers {
  getTypeParser(type: number, format?: string): (value: string) => unknown;
}
const others: Parsers = pg.types;

/** How values of PostgreSQL are read: 64-bit numbers as numbers, since ids, counts and times fit. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) => {
    if (type === INT8) return Number;
    if (type === INT8_ARRAY) return (text: string) => JSON.parse(`[${text.slice(1, -1)}]`) as number[];
    return others.getTypeParser(type, format);
  },
};

const OPTIONS: pg.PoolConfig = { query_timeout: REPLY_TIMEOUT, types };

/**
 * Opens the database of a shared inbox, on the first server that can be written to, and brings its tables to the version of
 * this receiver.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`; nothing is then left open
 */
export async function openPostgresStore(servers: PostgresServers, log: WriterLog): Promise<Store> {
  const store = new PostgresStore(servers, log);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    throw openingError(servers.location, error);
  }
}

class PostgresStore implements Store {
  readonly location: string;
  readonly receiver = nameReceiver();
  readonly dialect: Dialect = {
    schema: sql`plant_store.`,
    now: () => raw(NOW),
    lock: sql`FOR UPDATE`,
    lockFree: sql`FOR UPDATE SKIP LOCKED`,
    isAbandoned: raw(isAbandoned(this.receiver)),
    // With `IN`, a table that has no statistics yet is read as a whole, and every cycle waits.
    isAmong: (selection) => sql`= ANY (ARRAY(${selection}))`,
    position: (column, value) => sql`position(${value} in ${column})`,
  };
  readonly room = new Room();
  readonly pollInterval = 1_000;
  /** Each renews the lease, so two would wait for each other. */
  readonly maxCycles = 1;
  readonly #writer: Writer;
  readonly #readers: Connections;
  #isClosed = false;

  constructor(servers: PostgresServers, log: WriterLog) {
    this.location = servers.location;
    this.#writer = new Writer(servers, this.receiver, log, OPTIONS);
    this.#readers = new Connections(servers, { ...OPTIONS, max: 2 });
  }

  open(): Promise<void> {
    return this.#writer.open();
  }

  async cycle(input: CycleInput): Promise<CycleOutcome> {
    this.#requireOpen();
    const outcome = await this.#writer.write(async (client, lease) => {
      let committed;
      try {
        committed = await runCycle(client, lease, this.room.free, input);
      } catch (error) {
        if (!OF_ONE_ROW.test((error as { code?: string }).code ?? '')) throw error;
        return markOfOnePart(this.#writer.failure(error));
      }
      return committed && { ...committed, claimed: await fetchClaimed(client, committed.claimed) };
    });
    if (outcome instanceof Error) throw outcome;
    this.room.add(-outcome.claimed.length - outcome.stored.filter(({ runs }) => runs).length);
    return outcome;
  }

  async run(...statements: readonly Sql[]): Promise<readonly Row[]> {
    this.#requireOpen();
    return this.#writer.write(async (client, lease) => {
      if (!(await beginWithLease(client, lease))) return undefined;
      let rows: readonly Row[] = [];
      for (const { text, values } of statements)
        ({ rows } = await client.query<Record<string, unknown>>(text, [...values]));
      await withoutWarning(client, () => client.query('COMMIT'));
      return rows;
    });
  }

  async read({ text, values }: Sql): Promise<readonly Row[]> {
    this.#requireOpen();
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#readers.connect();
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      client.release();
      return rows;
    } catch (cause) {
      client?.release(true);
      const message = `The inbox at ${this.location} cannot be read: ${reasonOf(cause)}.`;
      throw new ReceiverError('INBOX_UNUSABLE', message, { cause });
    }
  }

  async size(): Promise<{ onDisk: number; inUse: number }> {
    const [row] = await this.read(sql`
      SELECT sum(pg_total_relation_size('plant_store.' || name))::bigint AS bytes
      FROM unnest(ARRAY['delivery', 'attempt', 'event']) AS t (name)`);
    const bytes = row!['bytes'] as number;
    return { onDisk: bytes, inUse: bytes };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#writer.close(), this.#readers.close()]);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw inboxClosed(this.location);
  }
}
