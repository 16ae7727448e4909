import { systemReason } from '@plant-store/command/system-reason';
import pg from 'pg';

import type { PostgresParameters } from '../../config/postgres-parameters.js';
import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { DescribedError } from '../../logging/describe-error.js';
import { clientFor, hasNoTls, mayTryOtherWay, waysTo } from './client.js';
import { BEGIN_BRIEFLY, DURABLE_SESSION } from './durable.js';

/** The oldest version of PostgreSQL that the tests run on. */
const MIN_VERSION = 15;

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

interface ServerState {
  readonly version: string;
  readonly major: number;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly flushes: boolean;
  readonly encoding: string;
  readonly isolation: string;
  readonly reads_nulls: boolean;
  readonly pid: number;
}

/** Those whose role has another default than `read committed`, or for which null in an array is a text. */
const needBegin = new WeakSet<pg.ClientBase>();

/** Runs a statement that is a transaction of its own. */
export async function queryAlone<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<Row>> {
  if (!needBegin.has(client)) return client.query<Row>(text, values);
  await client.query(`${BEGIN_BRIEFLY}; SET LOCAL array_nulls = on`);
  try {
    const result = await client.query<Row>(text, values);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** The connections to one server by one way. */
interface Way {
  readonly isSecure: boolean;
  readonly pool: pg.Pool;
}

/**
 * Connections to whichever of the servers can be written to. Behind a pooler they set nothing for their session, so that
 * PgBouncer may pool them by transaction.
 */
export class Connections {
  /** For each server. */
  readonly #ways: readonly (readonly Way[])[];
  /** The server that was the last that could be written to. */
  #current = 0;

  /**
   * @param onLost called when a connection ends that nobody uses
   */
  constructor(
    private readonly servers: PostgresServers,
    options: pg.PoolConfig,
    onLost: (error: Error) => void = () => undefined,
  ) {
    const { parameters } = servers;
    this.#ways = servers.addresses.map((address) =>
      waysTo(address, parameters).map((isSecure) => {
        const pool = new pg.Pool({
          ...poolOptions(parameters),
          Client: clientFor(servers, address, isSecure),
          ...options,
        });
        // An error of a connection that is in use comes to its query, too.
        pool.on('connect', (client) => client.on('error', () => undefined));
        return { isSecure, pool: pool.on('error', onLost) };
      }),
    );
  }

  /**
   * Connects to the first server that can be written to, beginning with the one of the last time.
   *
   * @throws ReceiverError `INBOX_UNUSABLE` with what is wrong with each server
   */
  async connect(): Promise<pg.PoolClient> {
    const faults: unknown[] = [];
    const first = this.#current;
    for (let offset = 0; offset < this.#ways.length; offset += 1) {
      const index = (first + offset) % this.#ways.length;
      const client = await connectBy(this.#ways[index]!, faults);
      if (client === undefined) continue;
      this.#current = index;
      return client;
    }
    throw unusable(this.servers.location, faults);
  }

  async close(): Promise<void> {
    await Promise.all(this.#ways.flat().map(({ pool }) => pool.end()));
  }
}

function poolOptions({
  application_name: name,
  fallback_application_name: otherwise = 'plant-store-webhook',
  connect_timeout: timeout,
  keepalives = '1',
  keepalives_idle: idle = '5',
  options,
}: PostgresParameters): pg.PoolConfig {
  return {
    application_name: name ?? otherwise,
    connectionTimeoutMillis: timeout === undefined ? CONNECT_TIMEOUT : Number(timeout) * 1_000,
    keepAlive: keepalives === '1',
    keepAliveInitialDelayMillis: Number(idle) * 1_000,
    idleTimeoutMillis: 0,
    ...(options !== undefined && { options }),
  };
}

/**
 * Connects to a server by the way by which it is connected, in the order of the calls, or else by the first that it takes.
 *
 * @param faults get what is wrong with each way
 * @returns undefined if it takes none
 */
async function connectBy(ways: readonly Way[], faults: unknown[]): Promise<pg.PoolClient | undefined> {
  const isOpen = ({ pool }: Way): boolean => pool.totalCount > 0;
  const tried = [...ways.filter(isOpen), ...ways.filter((way) => !isOpen(way))];
  for (const [index, { isSecure, pool }] of tried.entries()) {
    try {
      return await connectUsable(pool);
    } catch (fault) {
      const isLast = index === tried.length - 1 || !mayTryOtherWay(isSecure, fault);
      // Where clear text will do, it is no fault that there is no TLS.
      if (isLast || !hasNoTls(fault)) faults.push(fault);
      if (isLast) return undefined;
    }
  }
  return undefined;
}

/** Those whose server can be written to, and keeps what is committed. */
const usable = new WeakSet<pg.ClientBase>();

/**
 * Connects by a pool, and checks the server of each new connection. Not as the pool's `verify`: if that takes longer than the
 * wait for a connection, the pool keeps the connection and gives it to nobody.
 */
async function connectUsable(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  if (usable.has(client)) return client;
  try {
    await requireUsable(client);
  } catch (fault) {
    client.release(true);
    throw fault;
  }
  usable.add(client);
  return client;
}

/** Makes sure that a server can be written to, and keeps what is committed. */
async function requireUsable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<ServerState>(`
    SELECT
      current_setting('server_version') AS version,
      current_setting('server_version_num')::int / 10000 AS major,
      pg_is_in_recovery() AS is_standby,
      current_setting('transaction_read_only') = 'on' AS is_read_only,
      current_setting('fsync') = 'on' AS flushes,
      current_setting('server_encoding') AS encoding,
      current_setting('default_transaction_isolation') AS isolation,
      current_setting('array_nulls') = 'on' AS reads_nulls,
      pg_backend_pid() AS pid`);
  const { version, major, is_standby, is_read_only, flushes, encoding, isolation, reads_nulls, pid } =
    rows[0]!;
  if (isolation !== 'read committed' || !reads_nulls) needBegin.add(client);
  if (major < MIN_VERSION)
    throw new Error(`it is PostgreSQL ${version}; version ${MIN_VERSION} or newer is required`);
  if (is_standby) throw new Error('it is a standby, which cannot be written to');
  if (is_read_only) throw new Error('it is read-only (default_transaction_read_only)');
  if (!flushes)
    throw new Error('its setting fsync is off, so that a power cut loses deliveries; set it to on');
  if (!['UTF8', 'SQL_ASCII'].includes(encoding))
    throw new Error(
      `its encoding is ${encoding}, which lacks characters of fields and errors; UTF8 is required`,
    );
  // A pooler such as PgBouncer says another process, and gives the session to others.
  if ((client as pg.ClientBase & { readonly processID: number }).processID === pid)
    await client.query(DURABLE_SESSION);
}

const NAME_AUTHORITY = 'Name the certificate authority of the server with sslrootcert in INBOX_URL';

/** What an operator can do about an error of PostgreSQL, by its SQLSTATE, or about one of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in INBOX_URL or PGPASSWORD',
  '28000': 'Check the user in INBOX_URL, and pg_hba.conf',
  '3D000': 'Create the database, or name another in INBOX_URL',
  '42501': 'Give the user the rights that docs/how-to/share-an-inbox.md lists under "Set it up"',
  '53300': 'Raise max_connections, or run fewer receivers',
  DEPTH_ZERO_SELF_SIGNED_CERT: NAME_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: NAME_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NAME_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NAME_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Write the host that the certificate is for into INBOX_URL',
  ECONNREFUSED: 'Check that PostgreSQL runs, and the host and port in INBOX_URL',
  ENOTFOUND: 'Check the host in INBOX_URL',
};

/** An inbox that can't be opened: one sentence for each server, and what to do. */
function unusable(location: string, faults: readonly unknown[]): ReceiverError {
  const reasons = faults
    .flatMap((fault) => (fault instanceof AggregateError ? (fault.errors as unknown[]) : [fault]))
    .map((fault) =>
      (fault as NodeJS.ErrnoException).errno === undefined
        ? new DescribedError(fault).message
        : systemReason(fault),
    );
  const codes = faults.map((fault) => (fault as { code?: string }).code ?? '');
  const advice = codes.map((code) => ADVICE[code]).find((text) => text !== undefined);
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `The inbox at ${location} cannot be used: ${[...new Set(reasons)].join('; ')}.${advice === undefined ? '' : ` ${advice}.`}`,
    { cause: faults.length === 1 ? faults[0] : new AggregateError(faults) },
  );
}

/** What an opening that failed throws. */
export function openingError(location: string, error: unknown): ReceiverError {
  return error instanceof ReceiverError ? error : unusable(location, [error]);
}
