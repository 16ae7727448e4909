import pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import { types } from './types.js';

/** The oldest version of PostgreSQL that the tests run on. */
const MIN_VERSION = 15;

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT = 5_000;

/** How long to wait for a reply before a connection counts as lost, in milliseconds. */
const REPLY_TIMEOUT = 20_000;

/** Settings with which both sides notice within seconds that the other is gone, also while one waits for a lock. */
const NOTICE_THE_END: Readonly<Record<string, string>> = {
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
};

/**
 * Settings of each session. A commit is flushed here, and on the standbys that `synchronous_standby_names` asks for. The
 * planner uses indexes although its figures of a queue are always old. The work of a receiver that is gone is taken up.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  ...NOTICE_THE_END,
  default_transaction_isolation: 'read committed',
  client_min_messages: 'warning',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/**
 * Settings of a session that runs what the handler writes: those of the server, except what is needed to keep what is
 * committed, and to notice that the other side is gone.
 */
const HANDLER_SETTINGS: Readonly<Record<string, string>> = {
  ...NOTICE_THE_END,
  client_min_messages: 'warning',
};

const prepareSession = (settings: Readonly<Record<string, string>>): string => `
  SELECT
    ${Object.entries(settings)
      .map(([name, value]) => `set_config('${name}', '${value}', false)`)
      .join(', ')},
    set_config(
      'synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
      false
    ),
    current_setting('server_version') AS version,
    current_setting('server_version_num')::int / 10000 AS major,
    pg_is_in_recovery() AS is_standby,
    current_setting('transaction_read_only') = 'on' AS is_read_only,
    current_setting('fsync') = 'on' AS flushes,
    current_setting('server_encoding') AS encoding`;

/** What a connection is for. */
interface ConnectionUse {
  readonly settings: Readonly<Record<string, string>>;
  readonly options: pg.ClientConfig;
}

const FOR_THE_INBOX: ConnectionUse = {
  settings: SESSION_SETTINGS,
  options: { application_name: 'plant-store-webhook', query_timeout: REPLY_TIMEOUT, pipeline: true, types },
};

/** The handler's own statements. The time of its attempt is their limit. */
export const FOR_THE_HANDLER: ConnectionUse = {
  settings: HANDLER_SETTINGS,
  options: { application_name: 'plant-store-webhook handler' },
};

interface SessionState {
  readonly version: string;
  readonly major: number;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly flushes: boolean;
  readonly encoding: string;
}

/** A connection, and the URL of its server. */
export interface Connected {
  readonly client: pg.Client;
  readonly url: string;
}

/**
 * Connects to the first server that can be written to.
 *
 * @throws ReceiverError `INBOX_UNUSABLE` with what is wrong with each server
 */
export async function connectToPrimary(
  { urls, location }: PostgresServers,
  use: ConnectionUse = FOR_THE_INBOX,
): Promise<Connected> {
  const faults: unknown[] = [];
  for (const url of urls) {
    try {
      return { client: await connect(url, use), url };
    } catch (fault) {
      faults.push(fault);
    }
  }
  throw unusable(location, faults);
}

/**
 * Connects to a server, and makes sure that it keeps what is committed.
 *
 * @throws Error that says what is wrong
 */
export async function connect(url: string, use: ConnectionUse = FOR_THE_INBOX): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...use.options,
  });
  // Whoever uses the connection learns from its queries, and from `end`, that it was lost.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<SessionState>(prepareSession(use.settings));
    requireUsable(rows[0]!);
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** Encodings of a database that take any text. */
const ENCODINGS: readonly string[] = ['UTF8', 'SQL_ASCII'];

function requireUsable(state: SessionState): void {
  const { version, major, is_standby, is_read_only, flushes, encoding } = state;
  if (major < MIN_VERSION)
    throw new Error(`it is PostgreSQL ${version}; version ${MIN_VERSION} or newer is required`);
  if (is_standby) throw new Error('it is a standby, which cannot be written to');
  if (is_read_only) throw new Error('it is read-only (default_transaction_read_only)');
  if (!flushes)
    throw new Error('its setting fsync is off, so that a power cut loses deliveries; set it to on');
  if (!ENCODINGS.includes(encoding))
    throw new Error(
      `its encoding is ${encoding}, which lacks characters of fields and errors; UTF8 is required`,
    );
}

/** What an operator can do about an error of PostgreSQL, by its SQLSTATE, or about one of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in INBOX_URL or PGPASSWORD',
  '28000': 'Check the user in INBOX_URL, and pg_hba.conf',
  '3D000': 'Create the database, or name another in INBOX_URL',
  '42501': 'Give the user the rights that docs/scaling.md lists under "Set it up"',
  '53300': 'Raise max_connections, or run fewer receivers',
  ECONNREFUSED: 'Check that PostgreSQL runs, and the host and port in INBOX_URL',
  ENOTFOUND: 'Check the host in INBOX_URL',
};

/** An inbox that can't be opened: one sentence for each server, and what to do. */
function unusable(location: string, faults: readonly unknown[]): ReceiverError {
  const reasons = faults.map((fault) => reasonOf(fault));
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

/** The message of an error. That of an aggregate, as for a host with several addresses, is empty. */
export function reasonOf(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: readonly Error[] };
  return message || (errors ?? []).map((each) => each.message).join(', ') || String(error);
}
