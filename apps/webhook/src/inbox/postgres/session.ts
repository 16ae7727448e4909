import { hostname } from 'node:os';

import type pg from 'pg';

import type { PostgresServers } from '../../config/postgres-url.js';
import { connect, connectToPrimary, openingError } from './connect.js';
import { LOCK_CLASS, migrate } from './schema.js';

/**
 * A receiver's two connections to the primary. The lock of the receiver lives and dies with `writer`, and only `writer`
 * changes what the receiver owns: so whoever gets the lock knows that the receiver writes nothing more.
 */
export interface Session {
  /** The URL of the server. It has the password. */
  readonly url: string;
  /** Number of the receiver. Each session has another. */
  readonly receiver: number;
  /** The server's process of `writer`. */
  readonly pid: number;
  /** Commits, and claims from the backlog. */
  readonly writer: pg.Client;
  /** What doesn't wait for a flush: marks what is under way, and looks for work. */
  readonly reader: pg.Client;
  /** A third connection, opened when an operator needs it. */
  readonly operator: () => Promise<pg.Client>;
  /** Opens a further connection, which whoever opens it ends. */
  readonly connect: () => Promise<pg.Client>;
  /** All connections that are open. */
  readonly clients: ReadonlySet<pg.Client>;
  /** The part of the deliveries in which new ones are stored. */
  part: number;
  /** Whether it was lost or ended. No connection is opened any more. */
  isOver: boolean;
}

/**
 * Connects to the first server that can be written to, and registers a receiver.
 *
 * @param onLost called once, unless `closeSession` was called before. The session is of no use then.
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export async function openSession(
  servers: PostgresServers,
  onLost: (session: Session, reason: string) => void,
): Promise<Session> {
  const { client: writer, url } = await connectToPrimary(servers);
  let reader: pg.Client | undefined;
  try {
    await migrate(writer, servers.location);
    reader = await connect(url);
    const { receiver, pid } = await register(writer);
    const part = await currentPart(writer);
    const clients = new Set([writer, reader]);
    const connectToo = async (): Promise<pg.Client> => {
      const client = await connect(url);
      if (session.isOver) {
        destroy(client);
        throw new Error('the connection was closed');
      }
      clients.add(client);
      client.once('end', () => clients.delete(client));
      return client;
    };
    const operator = openWhenNeeded(connectToo);
    const session: Session = {
      url,
      receiver,
      pid,
      writer,
      reader,
      operator,
      connect: connectToo,
      clients,
      part,
      isOver: false,
    };
    watch(session, onLost);
    return session;
  } catch (error) {
    destroy(writer);
    if (reader !== undefined) destroy(reader);
    throw openingError(servers.location, error);
  }
}

/**
 * Ends both connections at once, if one is lost. A notice during a commit is a warning, such as that its wait for a
 * standby was cancelled: it may be only on this server. So it counts as failed, and the next session finds what became
 * of it.
 */
function watch(session: Session, onLost: (session: Session, reason: string) => void): void {
  const { writer, reader } = session;
  let isLost = false;
  const lose = (reason: string): void => {
    if (isLost) return;
    isLost = true;
    abandonSession(session);
    onLost(session, reason);
  };
  writer.on('notice', (notice: { readonly message?: string | undefined }) =>
    lose(notice.message ?? 'a warning'),
  );
  for (const client of [writer, reader]) {
    client.once('error', (error: Error) => lose(error.message));
    client.once('end', () => lose('the connection was closed'));
  }
}

/** Ends a session in order. */
export async function closeSession(session: Session): Promise<void> {
  session.isOver = true;
  await Promise.all([...session.clients].map((client) => client.end()));
}

/** Ends a session at once: whatever waits for the server fails. */
export function abandonSession(session: Session): void {
  session.isOver = true;
  for (const client of session.clients) destroy(client);
}

function openWhenNeeded(open: () => Promise<pg.Client>): () => Promise<pg.Client> {
  let opening: Promise<pg.Client> | undefined;
  return () => {
    opening ??= open().then((client) => client.once('end', () => (opening = undefined)));
    opening.catch(() => (opening = undefined));
    return opening;
  };
}

/** Ends a connection without waiting for the server, which may not reply. What is under way on it fails. */
export function destroy(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}

/** The lock comes before the row, so that nobody takes over a receiver that only begins. */
async function register(client: pg.Client): Promise<Pick<Session, 'receiver' | 'pid'>> {
  let row: { id: number; pid: number; is_locked: boolean };
  do {
    const { rows } = await client.query<typeof row>(
      `SELECT id, pg_backend_pid() AS pid, pg_try_advisory_lock($1, id) AS is_locked
       FROM (SELECT nextval('plant_store.receiver_id')::int AS id) n`,
      [LOCK_CLASS],
    );
    row = rows[0]!;
  } while (!row.is_locked);
  const name = `${hostname()} ${process.pid}`;
  await client.query('INSERT INTO plant_store.receiver (id, name) VALUES ($1, $2)', [row.id, name]);
  return { receiver: row.id, pid: row.pid };
}

/** The newest part. */
export async function currentPart(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ part: number }>('SELECT max(part) AS part FROM plant_store.part');
  return rows[0]!.part;
}

/** Several statements without parameters, in one round trip. */
export function queryAll(client: pg.Client, statements: string): Promise<pg.QueryResult[]> {
  return client.query(statements) as unknown as Promise<pg.QueryResult[]>;
}
