import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { inboxFolder } from '../../config/inbox-folder.js';
import { postgresServers } from '../../config/postgres-url.js';
import { ReceiverError } from '../../errors.js';
import type { InboxOperations } from '../../inbox/inbox-operations.js';
import { INBOX_FILES } from '../../inbox/open-database.js';
import { openInbox } from '../../inbox/open-inbox.js';
import { openSocketAddress, SOCKET_NAME } from '../../operations/socket-address.js';
import { ReceiverConnection } from './receiver-connection.js';

/** An inbox, and what can be done with it. */
export interface OpenOperations {
  readonly operations: InboxOperations;
  /** Whether a receiver has the inbox open. Undefined of a shared inbox, which several may have open. */
  readonly isRunning: boolean | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Opens what an operator does with an inbox. If a receiver has an embedded inbox open, it is asked to do it, because it
 * holds state in memory. If none has, the inbox is opened here. It is never created, and tables are never updated.
 *
 * @param url of the inbox, as `INBOX_URL`
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`
 */
export async function openOperations(url: string): Promise<OpenOperations> {
  if (!url.startsWith('file:')) return openShared(url);
  const folder = inboxFolder(url);
  requireFolder(folder);
  const connection = await connectTo(folder);
  if (connection !== undefined)
    return { operations: connection, isRunning: true, close: async () => connection.close() };
  requireFiles(folder);
  try {
    return await openHere(url, false);
  } catch (error) {
    throw isOf(error, 'INBOX_IN_USE') ? unreachable(folder, error) : error;
  }
}

async function openShared(url: string): Promise<OpenOperations> {
  // Imported late: who doesn't use it doesn't wait for it.
  const { requireTables } = await import('../../inbox/postgres/schema.js');
  await requireTables(postgresServers(url));
  return openHere(url, undefined);
}

async function openHere(url: string, isRunning: boolean | undefined): Promise<OpenOperations> {
  const inbox = await openInbox(url);
  return { operations: inbox, isRunning, close: () => inbox.close() };
}

/** Undefined if no receiver listens. */
async function connectTo(folder: string): Promise<ReceiverConnection | undefined> {
  let connection: ReceiverConnection | undefined;
  try {
    connection = new ReceiverConnection(openSocketAddress(folder), folder);
    if (await connection.isOpen()) return connection;
    connection.close();
    return undefined;
  } catch (cause) {
    connection?.close();
    throw notAllowed(folder, cause);
  }
}

/**
 * Throws if a folder has no embedded inbox. Nothing is created.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export function requireEmbeddedInbox(folder: string): void {
  requireFolder(folder);
  requireFiles(folder);
}

function requireFolder(folder: string): void {
  let isFolder;
  try {
    isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  } catch (cause) {
    throw notAllowed(folder, cause);
  }
  if (isFolder !== true) throw noInbox(folder);
}

/** Opening would create what is missing. */
function requireFiles(folder: string): void {
  const names = [INBOX_FILES.database, `${INBOX_FILES.database}-wal`, INBOX_FILES.lastAccepted];
  if (!names.some((name) => existsSync(join(folder, name)))) throw noInbox(folder);
}

const isOf = (error: unknown, code: string): boolean => error instanceof ReceiverError && error.code === code;

function noInbox(folder: string): ReceiverError {
  return new ReceiverError(
    'INBOX_UNUSABLE',
    `There is no inbox in ${folder}. Name the one that the receiver uses with --inbox or INBOX_URL.`,
  );
}

function notAllowed(folder: string, cause: unknown): ReceiverError {
  const message = `The inbox in ${folder} can't be reached: ${(cause as Error).message}.`;
  const isForbidden = ['EACCES', 'EPERM'].includes((cause as NodeJS.ErrnoException).code ?? '');
  const advice = isForbidden
    ? ' It belongs to another user: run the command as the user of the receiver.'
    : '';
  return new ReceiverError('INBOX_UNUSABLE', `${message}${advice}`, { cause });
}

function unreachable(folder: string, cause: unknown): ReceiverError {
  return new ReceiverError(
    'INBOX_IN_USE',
    `The inbox in ${folder} is in use, but no receiver responds on ${SOCKET_NAME} there: one is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed.`,
    { cause },
  );
}
