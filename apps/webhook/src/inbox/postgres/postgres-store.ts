import { once } from 'node:events';

import pg from 'pg';
import type { Logger } from 'pino';

import type { PostgresServers } from '../../config/postgres-url.js';
import { inboxClosed, inboxOpening, ReceiverError } from '../../errors.js';
import { DescribedError } from '../../logging/describe-error.js';
import type { KeyedDelivery } from '../delivery.js';
import type { OnUpgrade } from '../migrations.js';
import { raw, type Sql, sql } from '../sql.js';
import {
  type CycleInput,
  type CycleOutcome,
  type Dialect,
  nameReceiver,
  Room,
  type Row,
  type Store,
} from '../store.js';
import { Connections, openingError, queryAlone } from './connect.js';
import { NOW, withoutWarning } from './durable.js';
import { EXTEND_INTERVAL, isAbandoned, Lease } from './lease.js';
import { migrate, requireWhole } from './migrate.js';
import { fetchClaimed, runCycle } from './postgres-cycle.js';
import { catchUp, withSequences } from './sequences.js';

/** How long to wait for a reply before a connection counts as lost, in milliseconds. */
const REPLY_TIMEOUT = 20_000;

/** Key of the lock under which one receiver at a time changes many deliveries. */
const TURN = 0x706c6170;

/**
 * How many cycles are under way on as many connections, once one is on its way and waits for the disk for so long, in
 * milliseconds. Elsewhere each would only be smaller, and smaller ones cost more of the server.
 */
const MAX_CYCLES = 2;
const LONG_LATENCY = 4;

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

/** Is told once that PostgreSQL can't be written to any more, and once that it can. */
type StoreLog = Pick<Logger, 'warn' | 'info'>;

/**
 * Writes by several connections. If a write has failed, nobody knows whether the server still does it. So the receiver takes
 * a new lease before the next one, which waits for that to end.
 */
export class PostgresStore implements Store {
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
    // Not a lock to wait for: nothing could be written here while another receiver that has it stands still. A statement
    // sees what was committed before it began, so the next one sees all that those before have done in their turn.
    takeTurn: sql`SELECT set_config('plant_store.has_turn', pg_try_advisory_xact_lock(${TURN})::text, true)`,
    hasTurn: sql`current_setting('plant_store.has_turn') = 'true'`,
    withPart: (selection, ...changes) => {
      const last = changes.at(-1)!;
      const others = changes
        .slice(0, -1)
        .map((change, index) => sql`, ${raw(`change_${index}`)} AS (${change})`)
        .reduce((all, change) => sql`${all}${change}`, sql``);
      return [sql`WITH part AS MATERIALIZED (${selection})${others} ${last}`];
    },
    position: (column, value) => sql`position(${value} in ${column})`,
  };
  readonly room = new Room();
  readonly pollInterval = 1_000;
  readonly #writer: Connections;
  readonly #readers: Connections;
  /** Is being taken, or was; undefined before the next write takes one. */
  #lease: Promise<Lease> | undefined;
  #extending: NodeJS.Timeout | undefined;
  /** A cycle is under way that may let a suspect run. Another one doesn't see which. */
  #maySuspect = false;
  #lastRun: Promise<unknown> = Promise.resolve();
  /** Of the last cycle, in milliseconds. */
  #latency = 0;
  #isLost = false;
  #isOpen = false;
  #closed: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(
    servers: PostgresServers,
    private readonly log: StoreLog,
    private readonly onUpgrade: OnUpgrade,
  ) {
    this.location = servers.location;
    this.#writer = new Connections(servers, { ...OPTIONS, max: MAX_CYCLES + 2 }, (error) =>
      this.#noteLoss(error),
    );
    this.#readers = new Connections(servers, { ...OPTIONS, max: 2 });
  }

  /** On the first server that can be written to. When it is closed meanwhile, PostgreSQL undoes what it has begun. */
  async open(): Promise<void> {
    const { signal } = this.#closing;
    const closed = once(signal, 'abort').then(() => Promise.reject(inboxClosed(this.location)));
    try {
      const client = await Promise.race([closed, this.#writer.connect()]);
      try {
        await Promise.race([closed, this.#prepare(client)]);
      } finally {
        client.release(signal.aborted);
      }
      this.#isOpen = true;
      this.#extendLater();
    } catch (error) {
      if (!signal.aborted) await this.close();
      throw openingError(this.location, error);
    }
  }

  /** Brings the tables to the version of this receiver, and takes its lease. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    await migrate(client, this.location, this.onUpgrade);
    await requireWhole(client, this.location);
    await catchUp(client, this.location);
    this.#lease = Lease.take(client, this.receiver);
    await this.#lease;
  }

  /** Again and again, whatever becomes of the last time: its connection may have gone silent. */
  #extendLater(): void {
    this.#extending = setTimeout(() => {
      this.#extendLater();
      this.#write((client, lease) => lease.extend(client).then((isHeld) => isHeld || undefined)).catch(
        () => undefined,
      );
    }, EXTEND_INTERVAL).unref();
  }

  get maxCycles(): number {
    return this.#latency < LONG_LATENCY ? 1 : MAX_CYCLES;
  }

  async cycle(input: CycleInput): Promise<CycleOutcome> {
    const places = this.room.take(input.polls ? Infinity : input.arrivals.length);
    const suspect = !this.#maySuspect;
    if (suspect) this.#maySuspect = true;
    let taken = 0;
    try {
      const outcome = await this.#write(async (client, lease) => {
        const committed = await withSequences(client, this.location, () =>
          runCycle(client, lease, { places, suspect }, input),
        );
        if (committed === undefined) return undefined;
        this.#latency = committed.latency;
        return { ...committed, claimed: await fetchClaimed(client, committed.claimed) };
      });
      taken = outcome.claimed.length + outcome.stored.filter(({ runs }) => runs).length;
      // The cycle knows only of the places that it was given.
      return { ...outcome, isStarved: outcome.isStarved && this.room.free + places <= taken };
    } finally {
      // Whatever a cycle that failed has let run is released.
      this.room.add(places - taken);
      if (suspect) this.#maySuspect = false;
    }
  }

  run(...statements: readonly Sql[]): Promise<readonly Row[]> {
    const rows = this.#lastRun.then(() => this.#run(statements));
    this.#lastRun = rows.catch(() => undefined);
    return rows;
  }

  #run(statements: readonly Sql[]): Promise<readonly Row[]> {
    return this.#transact(async (client, lease) => {
      if (!(await lease.begin(client))) return undefined;
      let rows: readonly Row[] = [];
      for (const { text, values } of statements)
        ({ rows } = await client.query<Record<string, unknown>>(text, [...values]));
      await withoutWarning(client, () => client.query('COMMIT'));
      return rows;
    });
  }

  async read({ text, values }: Sql): Promise<readonly Row[]> {
    const { rows } = await this.#read((client) => client.query<Record<string, unknown>>(text, [...values]));
    return rows;
  }

  async #read<Result>(step: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    this.#requireOpen();
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#readers.connect();
      const result = await step(client);
      client.release();
      return result;
    } catch (cause) {
      client?.release(true);
      if (cause instanceof ReceiverError) throw cause;
      const message = `The inbox at ${this.location} cannot be read: ${new DescribedError(cause).message}.`;
      throw new ReceiverError('INBOX_UNUSABLE', message, { cause });
    }
  }

  async check(): Promise<void> {
    await this.#read((client) => requireWhole(client, this.location));
  }

  async probeWrite(arrival: KeyedDelivery): Promise<void> {
    const input = { arrivals: [arrival], results: [], polls: false };
    const nothing = { places: 0, suspect: false };
    await this.#transact(async (client, lease) => {
      if (!(await lease.begin(client))) return undefined;
      await client.query('SAVEPOINT probe');
      await runCycle(client, lease, nothing, input, (_, text, values) => client.query(text, values));
      await client.query('SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK TO SAVEPOINT probe');
      await client.query(`UPDATE plant_store.inbox_state SET probed_at = ${NOW}`);
      await withoutWarning(client, () => client.query('COMMIT'));
      return 'fine';
    });
  }

  async size(): Promise<{ onDisk: number; inUse: number; free: number }> {
    const [row] = await this.read(sql`
      SELECT sum(pg_total_relation_size('plant_store.' || name))::bigint AS bytes
      FROM unnest(ARRAY['delivery', 'attempt', 'event', 'act']) AS t (name)`);
    const bytes = row!['bytes'] as number;
    return { onDisk: bytes, inUse: bytes, free: 0 };
  }

  /** PostgreSQL decides itself how long it keeps its log. */
  async emptyLog(): Promise<boolean> {
    return true;
  }

  /** Gives the lease back, so that others needn't wait for its end. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#extending);
    const text = 'DELETE FROM plant_store.receiver WHERE name = $1';
    const returned =
      this.#lease &&
      this.#write((client) => queryAlone(client, text, [this.receiver])).catch(() => undefined);
    this.#closing.abort();
    await returned;
    const ended = Promise.all([this.#writer.close(), this.#readers.close()]);
    // A connection that is being made ends when its server replies, or never does.
    if (this.#isOpen) await ended;
  }

  /** Runs a transaction. If the database refuses a statement, it is known that nothing is written: the lease stays. */
  async #transact<Result>(
    transaction: (client: pg.ClientBase, lease: Lease) => Promise<Result | undefined>,
  ): Promise<Result> {
    const outcome = await this.#write(async (client, lease) => {
      try {
        return await withSequences(client, this.location, () => transaction(client, lease));
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        await client.query('ROLLBACK');
        return this.#failure(error);
      }
    });
    if (outcome instanceof ReceiverError) throw outcome;
    return outcome;
  }

  /**
   * Does a step after those that were called before.
   *
   * @param step returns undefined if the lease was lost and nothing written, as if the database is an older copy
   * @throws ReceiverError `INBOX_WRITE_FAILED`; nobody knows what was written
   */
  async #write<Result>(
    step: (client: pg.ClientBase, lease: Lease) => Promise<Result | undefined>,
  ): Promise<Result> {
    this.#requireOpen();
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#writer.connect();
      let result: Result | undefined;
      while (result === undefined) {
        const taken = (this.#lease ??= Lease.take(client, this.receiver));
        const lease = await taken;
        // What is claimed by a lease that may be lost would only be given back.
        if (lease.isHeld()) result = await step(client, lease);
        if (result === undefined) {
          if (this.#lease === taken) this.#lease = undefined;
          this.#requireOpen();
        }
      }
      client.release();
      if (this.#isLost) this.log.info('the inbox can be written to again');
      this.#isLost = false;
      return result;
    } catch (error) {
      this.#lease = undefined;
      client?.release(true);
      if (!this.#closing.signal.aborted) this.#noteLoss(error);
      throw this.#failure(error);
    }
  }

  #failure(cause: unknown): ReceiverError {
    const message =
      cause instanceof ReceiverError
        ? cause.message
        : `The inbox at ${this.location} could not write: ${new DescribedError(cause).message}.`;
    return new ReceiverError('INBOX_WRITE_FAILED', message, { cause });
  }

  #noteLoss(err: unknown): void {
    if (!this.#isLost) this.log.warn({ err }, 'the inbox cannot be written to');
    this.#isLost = true;
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw inboxClosed(this.location);
    if (!this.#isOpen) throw inboxOpening(this.location);
  }
}
