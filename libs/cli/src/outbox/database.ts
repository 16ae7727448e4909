import { Socket } from 'node:net';
import { systemReason } from '@plant-store/command/system-reason';
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
  const connectionString = readAddress(environment[databaseVariable]);
  const stream = (): Socket => {
    const socket = new Socket();
    const destroy = (): void => void socket.destroy();
    signal.addEventListener('abort', destroy);
    // A relay runs for months, and opens a connection whenever the pool has closed an idle one.
    socket.once('close', () => signal.removeEventListener('abort', destroy));
    return socket;
  };
  const pool = new pg.Pool({ connectionString, max: 4, connectionTimeoutMillis: 10_000, stream });
  // Whoever runs a statement learns that the connection was lost.
  pool.on('error', () => {});
  const outbox = createOutbox({ database: pool, encode: () => ({ content: new Uint8Array() }) });
  return { outbox, close: () => pool.end() };
}

/** What sslmode may be. Under `allow` and `prefer`, clients of PostgreSQL go on without TLS; pg can't. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/**
 * Checks the address of a database. It may have a password, so it is in no message.
 *
 * @returns it, so that pg takes it as other clients of PostgreSQL do
 * @throws BadInput
 */
function readAddress(url: string | undefined): string {
  const example = 'such as postgres://user:password@host/database';
  if (url === undefined)
    throw new BadInput(`There is no database. Set ${databaseVariable} to a URL, ${example}.`);
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)([/?#].*)?$/s.exec(url) ?? [];
  const [host = '', ...user] = authority.split('@').toReversed();
  if (host + rest === '') throw new BadInput(`${databaseVariable} must be a URL, ${example}.`);
  // The value of a parameter may have an @. Any other one ends a password that isn't encoded.
  const isCut = rest.replace(/\?\w+=.*/s, '').includes('@');
  if (isCut || rest.includes('#') || !URL.canParse(url) || !isDecodable(user.join('@')))
    throw new BadInput(
      `${databaseVariable} must be a URL, ${example}. In the user and the password, write % as %25, # as %23, / as %2F and ? as %3F.`,
    );
  const { searchParams } = new URL(url);
  if (!SSL_MODES.includes(searchParams.get('sslmode') ?? 'disable'))
    throw new BadInput(`${databaseVariable}: sslmode must be one of ${SSL_MODES.join(', ')}.`);
  const connectionString = `${url}${rest.includes('?') ? '&' : '?'}uselibpqcompat=true`;
  try {
    // It reads the files that the parameters name.
    new pg.Client({ connectionString });
  } catch (error) {
    throw new BadInput(`${databaseVariable} can't be used: ${systemReason(error)}.`);
  }
  return connectionString;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An error of an outbox as one that the user of the command can do something about. Any other stays as it is. */
export function failureOf(error: unknown): unknown {
  if (!isOutboxError(error)) return error;
  const advice = error.code === 'PLANT_STORE_OUTBOX_DATABASE_FAILED' ? ` Check ${databaseVariable}.` : '';
  return new CommandFailed(`${error.message}${advice}`, { cause: error });
}
