import { OutboxError, toOutboxError } from './outbox-error.js';

/** Gives connections to the database of the outbox: a `Pool` of `pg`. */
export interface OutboxDatabase {
  /** Gives a connection that nobody else uses until it is released. */
  connect(): Promise<OutboxConnection>;
}

/** A connection of its own, such as a `PoolClient` of `pg`. */
export interface OutboxConnection {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Tells that the connection was lost while no statement ran. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Gives the connection back, or closes it with `true`. */
  release(destroy?: boolean): void;
}

/** The oldest version of PostgreSQL that the tests run on. */
const MIN_VERSION = 15;

/** How long connecting or a statement may take until the connection counts as lost, in milliseconds. */
const PATIENCE = 20_000;

/** The server gives up before that: while a session waits for a lock, it doesn't notice that its client has gone. */
const STATEMENT_TIMEOUT = PATIENCE - 2_000;

/**
 * Settings of each session. The planner uses the indexes, although its figures about a queue are always old. Both sides
 * notice within seconds that the other is gone. The driver needs far longer for bytea in the format `escape`, and such
 * text may be longer than a string of Node.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  client_min_messages: 'warning',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  statement_timeout: String(STATEMENT_TIMEOUT),
  lock_timeout: '0',
  idle_session_timeout: '0',
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
};

const PREPARE = `
  SELECT
    ${Object.entries(SETTINGS)
      .map(([name, value]) => `set_config('${name}', '${value}', false)`)
      .join(', ')},
    current_setting('server_version') AS version,
    (current_setting('server_version_num')::int / 10000 < ${MIN_VERSION})::text AS is_old,
    current_setting('server_encoding') AS encoding,
    current_setting('transaction_read_only') AS read_only`;

interface ServerState {
  readonly version: string;
  readonly is_old: string;
  readonly encoding: string;
  readonly read_only: string;
}

/** A session of the outbox: one connection with its settings, and the values that it returns as text. */
export class Session {
  readonly #connection: OutboxConnection;

  private constructor(connection: OutboxConnection) {
    this.#connection = connection;
    // Whoever runs a statement learns that the connection was lost.
    connection.on('error', () => {});
  }

  /**
   * Opens a session.
   *
   * @throws OutboxError if there is no connection, or the database can't be used
   */
  static async open(database: OutboxDatabase): Promise<Session> {
    const session = new Session(await connect(database));
    try {
      const [state] = await session.query<ServerState>(PREPARE);
      const { version, is_old, encoding, read_only } = state!;
      if (is_old === 'true')
        throw unusable(`It is PostgreSQL ${version}. The outbox needs ${MIN_VERSION} or later.`);
      if (!['UTF8', 'SQL_ASCII'].includes(encoding))
        throw unusable(
          `Its encoding is ${encoding}. The outbox needs UTF8: the message of an error may have any character.`,
        );
      if (read_only === 'on') throw unusable('It is a standby or read-only.');
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  /**
   * Runs a statement.
   *
   * @returns the rows
   * @throws OutboxError
   */
  async query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    try {
      const result = await within(this.#connection.query(text, values));
      return result.rows as Row[];
    } catch (error) {
      throw toOutboxError(error);
    }
  }

  /** Runs statements in one transaction. If one fails, the session must be ended, which rolls it back. */
  async transaction<T>(run: () => Promise<T>): Promise<T> {
    await this.query('BEGIN');
    const result = await run();
    await this.query('COMMIT');
    return result;
  }

  /** Closes the connection: the next one who gets it from the pool must not have these settings. */
  end(): void {
    this.#connection.release(true);
  }
}

/** Runs something in a session of its own. */
export async function withSession<T>(
  database: OutboxDatabase,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await Session.open(database);
  try {
    return await run(session);
  } finally {
    session.end();
  }
}

async function connect(database: OutboxDatabase): Promise<OutboxConnection> {
  const connecting = Promise.resolve(database.connect());
  try {
    return await within(connecting);
  } catch (error) {
    // One that comes too late goes back.
    connecting.then((connection) => connection.release(true)).catch(() => {});
    throw toOutboxError(error);
  }
}

/** @throws OutboxError if it takes too long */
async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The database of the outbox did not reply within ${PATIENCE} ms.`;
      reject(new OutboxError('PLANT_STORE_OUTBOX_CONNECTION_LOST', message));
    }, PATIENCE);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function unusable(reason: string): OutboxError {
  return new OutboxError(
    'PLANT_STORE_OUTBOX_DATABASE_UNUSABLE',
    `The database of the outbox can't be used. ${reason}`,
  );
}
