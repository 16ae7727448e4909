import { Socket } from 'node:net';
import { createOutbox, isOutboxError, type Outbox } from '@plant-store/sdk/outbox';
import pg from 'pg';
import { BadInput, type CommandContext, CommandFailed, databaseVariable } from '../context.js';

/** An outbox in which nothing is enqueued, and what closes its connections. */
export interface OpenOutbox {
  readonly outbox: Outbox<unknown>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the outbox that the environment names. It connects when it is used.
 *
 * @param signal Destroys the connections, so that nobody waits for PostgreSQL. What that has begun, it may still commit.
 * @throws BadInput if there is no valid address
 */
export function openOutbox({ environment }: CommandContext, signal: AbortSignal): OpenOutbox {
  const url = environment[databaseVariable] ?? '';
  const example = 'such as postgres://user:password@host/database';
  if (url === '') throw new BadInput(`There is no database. Set ${databaseVariable} to a URL, ${example}.`);
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new BadInput(
      `${databaseVariable} is not a URL of a database, ${example}. In a user and a password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25.`,
    );
  const stream = (): Socket => {
    const socket = new Socket();
    const destroy = (): void => void socket.destroy();
    signal.addEventListener('abort', destroy);
    // A relay runs for months, and opens a connection whenever the pool has closed an idle one.
    socket.once('close', () => signal.removeEventListener('abort', destroy));
    return socket;
  };
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000, stream });
  // Whoever runs a statement learns that the connection was lost.
  pool.on('error', () => {});
  const outbox = createOutbox({ database: pool, encode: () => ({ content: new Uint8Array() }) });
  return { outbox, close: () => pool.end() };
}

/** An error of an outbox as one that the user of the command can do something about. Any other stays as it is. */
export function failureOf(error: unknown): unknown {
  if (!isOutboxError(error)) return error;
  const advice = error.code === 'PLANT_STORE_OUTBOX_DATABASE_FAILED' ? ` Check ${databaseVariable}.` : '';
  return new CommandFailed(`${error.message}${advice}`, { cause: error });
}
