import { OutboxError, toOutboxError } from './outbox-error.js';

/** The database of the outbox: a `Pool` of `pg`. It may reach PostgreSQL through PgBouncer in transaction mode. */
export interface OutboxDatabase {
  /** Runs one statement in a transaction of its own. */
  query(statement: OutboxStatement): Promise<{ rows: unknown[] }>;
  /** Gives a connection that nobody else uses until it is released. Only `migrate` takes one. */
  connect(): Promise<OutboxConnection>;
}

/** A statement, as `pg` takes it. */
export interface OutboxStatement {
  readonly text: string;
  readonly values: unknown[];
  /** Milliseconds after which the connection is closed. */
  readonly query_timeout: number;
  /** Parsers of what comes back, in place of those that the application may have set in `pg`. */
  readonly types: { getTypeParser(): (value: string | Uint8Array) => unknown };
}

/** A connection of its own, such as a `PoolClient` of `pg`. */
export interface OutboxConnection {
  /** Runs statements. */
  query(statement: Pick<OutboxStatement, 'text' | 'types'>): Promise<unknown>;
  /** Tells that the connection was lost while no statement ran. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Closes the connection. */
  release(destroy: true): void;
}

/** How long a statement may take until its connection counts as lost, in milliseconds. */
const PATIENCE = 20_000;

/** Every value comes as the text that PostgreSQL sends. It is in a `Buffer` if the application has set `binary` in `pg`. */
export const types: OutboxStatement['types'] = { getTypeParser: () => String };

/**
 * Runs a statement in a transaction of its own. Every column of its result is text.
 *
 * @returns the rows
 * @throws OutboxError, also if it takes too long to get a connection
 */
export async function query<Row extends Readonly<Record<keyof Row, string | null>>>(
  database: OutboxDatabase,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  let timer: NodeJS.Timeout | undefined;
  const gaveUp = new Promise<never>((_resolve, reject) => {
    const message = `The database of the outbox did not reply within ${PATIENCE} ms.`;
    const error = new OutboxError('PLANT_STORE_OUTBOX_DATABASE_FAILED', message);
    timer = setTimeout(() => reject(error), PATIENCE);
  });
  try {
    const running = database.query({ text, values, query_timeout: PATIENCE, types });
    const { rows } = await Promise.race([running, gaveUp]);
    return rows as Row[];
  } catch (error) {
    throw toOutboxError(error);
  } finally {
    clearTimeout(timer);
  }
}
