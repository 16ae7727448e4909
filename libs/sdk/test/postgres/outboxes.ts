import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AnswerValues } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';
import type pg from 'pg';
import { bytes, type EncodedPlant, NotAcknowledgedError, PlantStoreError } from '../../src/index.js';
import {
  createRelay,
  type OutboxDatabase,
  type OutboxDiagnosticsMessages,
  type Relay,
  type RelayRetry,
} from '../../src/outbox/index.js';
import { createOutboxUnder, type OutboxUnder } from '../../src/outbox/outbox-under.js';
import type { RelayBaseOptions } from '../../src/outbox/relay-options.js';
import type { Open } from '../support/senders.js';
import { openNewDatabase } from './server.js';

/** An outbox of text with every question open, and its tables in a database of its own. */
export interface TestOutbox {
  readonly pool: pg.Pool;
  readonly outbox: OutboxUnder<string, Open>;
  /** Enqueues each text in a transaction of its own. */
  readonly enqueue: (...texts: string[]) => Promise<void>;
  /** Runs a query, and returns its first row's columns. */
  readonly row: (sql: string) => Promise<Record<string, unknown>>;
}

export async function openTestOutbox(): Promise<TestOutbox> {
  const pool = await openNewDatabase();
  const outbox = openOutbox(pool);
  await outbox.migrate();
  return {
    pool,
    outbox,
    enqueue: async (...texts) => {
      for (const text of texts) await inTransaction(pool, (client) => outbox.enqueue(client, text));
    },
    row: async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows[0]!,
  };
}

/** A database that can't be reached. */
export const noDatabase: OutboxDatabase = {
  query: () => Promise.reject(new Error('Not needed.')),
  connect: () => Promise.reject(new Error('Not needed.')),
};

/** An outbox of text with every question open. */
export function openOutbox(database: OutboxDatabase): OutboxUnder<string, Open> {
  return createOutboxUnder<Open, string>({ database, encode: bytes() }, { answers: {} });
}

/** An outbox under a set of answers. */
export function openOutboxUnder<const Given extends AnswerValues>(
  given: Given,
  options: { readonly database: pg.Pool },
): OutboxUnder<string, Given> {
  return createOutboxUnder<Given, never>({ encode: bytes(), ...options } as never, { answers: given });
}

/** Runs a function in a transaction that has written before. */
export async function inTransaction(
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<unknown>,
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SELECT pg_current_xact_id()');
    await run(client);
    await client.query(end);
  } finally {
    client.release();
  }
}

/** A database whose statements, with their values, wait for functions, one before and one after. They fail if those throw. */
export function intercepting(
  pool: OutboxDatabase,
  before: (text: string) => Promise<void>,
  after: (text: string) => Promise<void> = async () => {},
): OutboxDatabase {
  return {
    connect: () => pool.connect(),
    async query(statement) {
      const text = [statement.text, ...statement.values].join(' ');
      await before(text);
      const result = await pool.query(statement);
      await after(text);
      return result;
    },
  };
}

/** A database of which one statement fails when it is told so: before it ran, or after that. */
export function failingOnce(pool: OutboxDatabase): {
  readonly database: OutboxDatabase;
  fail: (part: string, when?: 'before' | 'after') => Promise<void>;
} {
  let failing: { part: string; when: string; done: () => void } | undefined;
  const check = (when: string) => async (text: string) => {
    if (failing === undefined || failing.when !== when || !text.includes(failing.part)) return;
    failing.done();
    failing = undefined;
    throw Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' });
  };
  return {
    database: intercepting(pool, check('before'), check('after')),
    fail: (part, when = 'before') => new Promise<void>((done) => (failing = { part, when, done })),
  };
}

/** What a channel tells until the test ends. */
export function watchChannel(name: keyof OutboxDiagnosticsMessages): unknown[] {
  const told: unknown[] = [];
  const listener = (notice: unknown): void => void told.push(notice);
  subscribe(name, listener);
  afterThisTest(() => unsubscribe(name, listener));
  return told;
}

/** A database of relays that look at the attempts of others again and again, without the time between two looks. */
export function openInHaste(pool: OutboxDatabase): OutboxDatabase {
  const skip = setClock();
  let hasLooked = false;
  return intercepting(pool, async (text) => {
    if (hasLooked) skip(5_001);
    hasLooked = text.includes('.hold(');
  });
}

/** Lets the clock of this process run. @returns lets it skip so many milliseconds */
export function setClock(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  afterThisTest(() => (performance.now = now));
  let skipped = 0;
  performance.now = () => now() + skipped;
  return (milliseconds) => void (skipped += milliseconds);
}

/** Records what relays send, and responds as it is told. */
export class RecordingSender {
  readonly sent: EncodedPlant[] = [];
  /** What relays gave beside it. */
  readonly given: unknown[] = [];
  #onSent: (() => void)[] = [];

  constructor(readonly respond: (text: string, index: number) => unknown = () => undefined) {}

  async sendEncoded(encoded: EncodedPlant, ...others: readonly unknown[]): Promise<unknown> {
    this.given.push(...others);
    const index = this.sent.push(encoded) - 1;
    for (const check of this.#onSent) check();
    return this.respond(Buffer.from(encoded.content).toString(), index);
  }

  get texts(): string[] {
    return this.sent.map(({ content }) => Buffer.from(content).toString());
  }

  /** Resolves once so many were sent. */
  async count(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.sent.length >= count) resolve();
      };
      this.#onSent.push(check);
      check();
    });
  }
}

/** Starts a relay that ends with the test. By default, it has no policy. */
export async function startRelay(
  options: RelayBaseOptions & { readonly retry?: RelayRetry | false },
): Promise<Relay> {
  const relay = createRelay({ pollInterval: 10, retry: false, ...options });
  afterThisTest(() => relay.stop());
  await relay.start();
  return relay;
}

/** The error of a delivery to which the receiver responded with a status. */
export function refusal(status: number): Error {
  const response = { status, headers: {}, content: new Uint8Array(), truncated: false };
  return new NotAcknowledgedError(response, 'http://127.0.0.1');
}

/** The error of a delivery of which nobody knows whether it arrived. */
export function lost(): Error {
  return new PlantStoreError('PLANT_STORE_CONNECTION_LOST', 'The connection was lost.', {
    outcome: 'unknown',
  });
}

/** Resolves once a query returns no row. */
export async function untilNone(pool: pg.Pool, sql: string): Promise<void> {
  while ((await pool.query(sql)).rows.length > 0);
}

/** Resolves once no entry waits or is being sent. */
export function untilSettled(pool: pg.Pool): Promise<void> {
  return untilNone(
    pool,
    `SELECT 1 FROM plant_store_outbox.entry WHERE state IN ('waiting', 'sending') LIMIT 1`,
  );
}
