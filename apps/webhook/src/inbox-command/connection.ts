import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { systemReason } from '@plant-store/command/system-reason';

import { inboxFolder } from '../config/inbox-folder.js';
import { postgresServers } from '../config/postgres-url.js';
import { RECEIVER_ERRORS, ReceiverError, type ReceiverErrorCode } from '../errors.js';
import type { Inbox } from '../inbox/inbox.js';
import { openInbox } from '../inbox/open-inbox.js';
import { INBOX_FILES } from '../inbox/sqlite/inbox-files.js';
import { openForReading, openingError } from '../inbox/sqlite/open-database.js';
import { deliveryRoutes } from '../operations/deliveries.js';
import { openSocketAddress, SOCKET_NAME } from '../operations/socket-address.js';
import { CommandError } from './terminal.js';

/** Asks an inbox by the routes of docs/reference/operations.md. */
export interface Connection {
  /** Whether a receiver has the inbox open. Undefined of a shared inbox, which several may have open. */
  readonly isRunning: boolean | undefined;
  /**
   * @param query of which what is undefined is left out, and lists are sent one by one
   * @throws ReceiverError, or CommandError for what the receiver has no code for
   */
  readonly get: <Result>(path: string, query?: object) => Promise<Result>;
  /** @throws the same */
  readonly post: <Result>(path: string, content: object) => Promise<Result>;
}

/** Sends one request, and resolves with the response. */
type Send = (
  method: 'GET' | 'POST',
  path: string,
  content?: object,
) => Promise<{ readonly statusCode: number; readonly body: string }>;

/**
 * Does something with an inbox. It is opened here, or if a receiver has it open, the receiver is asked. It is never
 * created, and tables are never updated.
 *
 * @param url of the inbox, as `INBOX_URL`
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`, or what `use` throws
 */
export async function withConnection<Result>(
  url: string,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  if (!url.startsWith('file:')) {
    // Imported late: who doesn't use it doesn't wait for it.
    const { requireTables } = await import('../inbox/postgres/migrate.js');
    await requireTables(postgresServers(url));
    return useHere(await openInbox(url), undefined, use);
  }
  const folder = embeddedFolder(url);
  openForReading(folder).close();
  const inbox = await openInbox(url).catch((error: unknown) => {
    if (error instanceof ReceiverError && error.code === 'INBOX_IN_USE') return undefined;
    throw error;
  });
  if (inbox !== undefined) return useHere(inbox, false, use);
  const address = openSocketAddress(folder);
  try {
    return await use(connectionTo(sendToReceiver(address.path, folder), true));
  } finally {
    address.close();
  }
}

async function useHere<Result>(
  inbox: Inbox,
  isRunning: false | undefined,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  try {
    const { fastify } = await import('fastify');
    const app = fastify();
    deliveryRoutes(app, inbox.operations);
    const send: Send = (method, url, payload) => app.inject({ method, url, ...(payload && { payload }) });
    return await use(connectionTo(send, isRunning));
  } finally {
    await inbox.close();
  }
}

/**
 * The folder of an embedded inbox that exists: opening it would create it.
 *
 * @throws ReceiverError `INBOX_UNUSABLE`
 */
export function embeddedFolder(url: string): string {
  const folder = inboxFolder(url);
  if (existsSync(join(folder, INBOX_FILES.database))) return folder;
  throw new ReceiverError(
    'INBOX_UNUSABLE',
    `There is no inbox in ${folder}, or only its owner may read it. Run the command as the user of the receiver, and name its inbox with --inbox or INBOX_URL.`,
  );
}

/** What is asked and responded, whoever carries it. */
export function connectionTo(send: Send, isRunning: boolean | undefined): Connection {
  const exchange = async (...sent: Parameters<Send>): Promise<unknown> => {
    const { statusCode, body } = await send(...sent);
    const result: unknown = body === '' ? undefined : JSON.parse(body);
    if (statusCode < 300) return result;
    const { code, message } = result as { readonly code: string; readonly message: string };
    if (Object.hasOwn(RECEIVER_ERRORS, code)) throw new ReceiverError(code as ReceiverErrorCode, message);
    throw new CommandError(message);
  };
  return {
    isRunning,
    get: (path, query = {}) => {
      const sent = new URLSearchParams();
      for (const [name, value] of Object.entries(query) as [string, string | number | string[] | undefined][])
        for (const one of [value].flat()) if (one !== undefined) sent.append(name, String(one));
      return exchange('GET', `${path}?${sent.toString()}`) as Promise<never>;
    },
    post: (path, content) => exchange('POST', path, content) as Promise<never>,
  };
}

/** How long a receiver may take to respond, in milliseconds. */
const RESPONSE_TIMEOUT = 60_000;

/**
 * Sends requests to the receiver that has an inbox open.
 *
 * @param folder of the inbox, for people
 * @returns throws ReceiverError `INBOX_IN_USE` if the receiver doesn't respond, `INBOX_UNUSABLE` if this user may not
 * ask it
 */
export function sendToReceiver(socketPath: string, folder: string): Send {
  return async (method, path, content) => {
    try {
      return await new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        // The receiver may close a kept connection just when it is used again.
        const options = { agent: false, socketPath, method, path, headers, timeout: RESPONSE_TIMEOUT };
        const sent = request(options, (response) => {
          text(response).then((body) => resolve({ statusCode: response.statusCode!, body }), reject);
        }).on('error', reject);
        sent.on('timeout', () => sent.destroy(new Error(`no response within ${RESPONSE_TIMEOUT / 1_000} s`)));
        sent.end(content && JSON.stringify(content));
      });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EACCES') throw openingError(folder, cause);
      throw new ReceiverError(
        'INBOX_IN_USE',
        `The inbox in ${folder} is in use, but no receiver responds on ${SOCKET_NAME} there: ${systemReason(cause)}. A receiver is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed.`,
        { cause },
      );
    }
  };
}
