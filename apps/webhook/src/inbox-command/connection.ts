import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { inboxFolder } from '../config/inbox-folder.js';
import { postgresServers } from '../config/postgres-url.js';
import { RECEIVER_ERRORS, ReceiverError, type ReceiverErrorCode } from '../errors.js';
import type { DeliverySummary, InboxOperations, StoredDelivery } from '../inbox/inbox-operations.js';
import { INBOX_FILES } from '../inbox/sqlite/open-database.js';
import { openInbox } from '../inbox/open-inbox.js';
import { openSocketAddress, SOCKET_NAME } from '../operations/socket-address.js';

/** An inbox, and what can be done with it. */
export interface OpenOperations {
  readonly operations: InboxOperations;
  /** Whether a receiver has the inbox open. Undefined of a shared inbox, which several may have open. */
  readonly isRunning: boolean | undefined;
}

/**
 * Does something with an inbox. If a receiver has an embedded inbox open, the receiver is asked to do it. If none has, the
 * inbox is opened here. It is never created, and tables are never updated.
 *
 * @param url of the inbox, as `INBOX_URL`
 * @throws ReceiverError `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`, or what `use` throws
 */
export async function withOperations<Result>(
  url: string,
  use: (opened: OpenOperations) => Promise<Result>,
): Promise<Result> {
  if (!url.startsWith('file:')) {
    // Imported late: who doesn't use it doesn't wait for it.
    const { requireTables } = await import('../inbox/postgres/schema.js');
    await requireTables(postgresServers(url));
    return withOpenInbox(url, undefined, use);
  }
  const folder = embeddedFolder(url);
  const address = openSocketAddress(folder);
  try {
    if (await isServed(address.path))
      return await use({ operations: operationsOf(address.path, folder), isRunning: true });
  } finally {
    address.close();
  }
  return withOpenInbox(url, false, use);
}

async function withOpenInbox<Result>(
  url: string,
  isRunning: false | undefined,
  use: (opened: OpenOperations) => Promise<Result>,
): Promise<Result> {
  const inbox = await openInbox(url).catch((error: unknown) => {
    if (!(error instanceof ReceiverError) || error.code !== 'INBOX_IN_USE') throw error;
    throw new ReceiverError(
      'INBOX_IN_USE',
      `The inbox is in use, but no receiver responds on ${SOCKET_NAME} in its folder: one is starting or stopping, or another plant-inbox is at work. Run the command again in a moment. If that goes on, restart the receiver: its socket may have been removed.`,
      { cause: error },
    );
  });
  try {
    return await use({ operations: inbox, isRunning });
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

/** Errors of a connection if no receiver listens. The last two are of a receiver that ends just then. */
const NOBODY_LISTENS: readonly unknown[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/**
 * Whether a receiver listens on a socket.
 *
 * @throws what the system reports, if that can't be found out
 */
export async function isServed(socketPath: string): Promise<boolean> {
  try {
    (await send(socketPath, 'GET', '/livez')).resume();
    return true;
  } catch (error) {
    if (NOBODY_LISTENS.includes((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

/** In JSON the content is in base64. */
type StoredAsJson = Omit<StoredDelivery, 'content'> & { readonly content: string };

const withContent = (delivery: StoredAsJson): StoredDelivery => ({
  ...delivery,
  content: Buffer.from(delivery.content, 'base64'),
});

/** The part of a response that says where the next batch begins; null after the last one. */
interface NextAsJson {
  readonly next: number | null;
}

/**
 * The operations of a receiver that runs, by the routes of docs/operations.md.
 *
 * @param folder of the inbox, for people
 */
export function operationsOf(socketPath: string, folder: string): InboxOperations {
  const get = <Result>(path: string, query: object = {}): Promise<Result> => {
    const text = new URLSearchParams(query as Record<string, string>).toString();
    return exchange(folder, () => send(socketPath, 'GET', `${path}?${text}`));
  };
  const post = <Result>(path: string, content: object): Promise<Result> =>
    exchange(folder, () => send(socketPath, 'POST', path, JSON.stringify(content)));
  return {
    async list(filter, { order, ...page }) {
      const query = { ...filter, ...page, order: order === 'newest first' ? 'newest' : 'oldest' };
      return (await get<{ deliveries: DeliverySummary[] }>('/deliveries', query)).deliveries;
    },
    count: (filter) => get('/deliveries/count', filter),
    async find(id) {
      try {
        return withContent(await get(`/deliveries/${id}`));
      } catch (error) {
        if (((error as Error).cause as Fault | undefined)?.code === 'UNKNOWN_DELIVERY') return undefined;
        throw error;
      }
    },
    async read({ filter, ...part }) {
      const query = { ...filter, ...part };
      const found = await get<NextAsJson & { deliveries: StoredAsJson[] }>('/deliveries/batch', query);
      return { deliveries: found.deliveries.map(withContent), next: found.next ?? undefined };
    },
    async change(batch, { kind, ...reason }) {
      const content = { ...batch, ...reason };
      const result = await post<NextAsJson & { changed: number }>(`/deliveries/${kind}`, content);
      return { changed: result.changed, next: result.next ?? undefined };
    },
    setPaused: (isPaused) => post(isPaused ? '/handler/pause' : '/handler/resume', {}),
    stats: () => get('/stats'),
  };
}

/** An error that a receiver responds with. */
interface Fault {
  readonly code: string;
  readonly message: string;
}

/** @throws ReceiverError if the receiver refuses it, or doesn't respond */
async function exchange<Result>(folder: string, ask: () => Promise<IncomingMessage>): Promise<Result> {
  let status: number;
  let result: unknown;
  try {
    const response = await ask();
    status = response.statusCode!;
    result = status === 204 ? undefined : await json(response);
  } catch (cause) {
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `The receiver that has the inbox in ${folder} open has stopped or doesn't respond: ${(cause as Error).message}. Run the command again.`,
      { cause },
    );
  }
  if (status < 300) return result as Result;
  const { code, message } = result as Fault;
  const known = Object.hasOwn(RECEIVER_ERRORS, code) ? (code as ReceiverErrorCode) : 'INBOX_UNUSABLE';
  throw new ReceiverError(known, message, { cause: result });
}

/** How long a receiver may take to respond, in milliseconds. */
const RESPONSE_TIMEOUT = 60_000;

function send(socketPath: string, method: string, path: string, content?: string): Promise<IncomingMessage> {
  const headers = content === undefined ? {} : { 'Content-Type': 'application/json' };
  // The receiver may close a kept connection just when it is used again.
  const options = { agent: false, socketPath, method, path, headers, timeout: RESPONSE_TIMEOUT };
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve).on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${RESPONSE_TIMEOUT / 1_000} s`)));
    sent.end(content);
  });
}
