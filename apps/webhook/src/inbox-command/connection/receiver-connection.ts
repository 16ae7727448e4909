import { type IncomingMessage, request } from 'node:http';

import { z } from 'zod';

import { RECEIVER_ERRORS, ReceiverError, type ReceiverErrorCode } from '../../errors.js';
import { storableText } from '../../inbox/inbox.js';
import {
  type Batch,
  type BatchResult,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliverySummary,
  type InboxOperations,
  type InboxStats,
  type Page,
  type StoredDelivery,
} from '../../inbox/inbox-operations.js';
import type { SocketAddress } from '../../operations/socket-address.js';

/** Most deliveries of a part that a receiver does at a time. */
const MAX_PART = 500;

/** How long a receiver may take to respond, in milliseconds. */
const RESPONSE_TIMEOUT = 60_000;

/**
 * What an operator does with the inbox of a receiver that runs: requests to its operations listener, over the Unix
 * socket in the inbox's folder.
 */
export class ReceiverConnection implements InboxOperations {
  /**
   * @param address of the socket, which is closed with the connection
   * @param folder of the inbox, for people
   */
  constructor(
    private readonly address: SocketAddress,
    private readonly folder: string,
  ) {}

  /**
   * Whether a receiver listens.
   *
   * @throws what the system reports, if that can't be found out
   */
  async isOpen(): Promise<boolean> {
    try {
      await this.#send('GET', '/livez');
      return true;
    } catch (error) {
      if (NOBODY_LISTENS.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  }

  async list(filter: DeliveryFilter, { order, after, limit }: Page): Promise<readonly DeliverySummary[]> {
    const page = { order: order === 'newest first' ? 'newest' : 'oldest', after, limit };
    return (await this.#get('/deliveries', { ...filter, ...page }, LIST)).deliveries;
  }

  async find(id: number): Promise<StoredDelivery | undefined> {
    if (!Number.isSafeInteger(id) || id < 1) return undefined;
    const response = await this.#exchange('GET', `/deliveries/${id}`);
    return response.code === 'UNKNOWN_DELIVERY' ? undefined : parse(STORED, response);
  }

  async read(batch: Batch): Promise<z.infer<typeof PART>> {
    const { filter, after, limit } = partOf(batch);
    return this.#get('/deliveries/batch', { ...filter, after, limit }, PART);
  }

  async replay(batch: Batch): Promise<BatchResult> {
    return parse(CHANGED, await this.#exchange('POST', '/deliveries/replay', partOf(batch)));
  }

  async discard(batch: Batch, reason: string): Promise<BatchResult> {
    return parse(
      CHANGED,
      await this.#exchange('POST', '/deliveries/discard', { ...partOf(batch), reason: storableText(reason) }),
    );
  }

  async setPaused(isPaused: boolean): Promise<void> {
    requireSuccess(await this.#exchange('POST', isPaused ? '/handler/pause' : '/handler/resume', {}));
  }

  async stats(): Promise<InboxStats> {
    return this.#get('/stats', {}, STATS);
  }

  close(): void {
    this.address.close();
  }

  async #get<Result>(
    path: string,
    parameters: Readonly<Record<string, string | number | undefined>>,
    schema: z.ZodType<Result>,
  ): Promise<Result> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) query.set(name, `${value}`);
    return parse(schema, await this.#exchange('GET', `${path}?${query.toString()}`));
  }

  /** @throws ReceiverError if the receiver doesn't respond */
  async #exchange(method: string, path: string, body?: object): Promise<Response> {
    try {
      return await this.#send(method, path, body);
    } catch (cause) {
      throw new ReceiverError(
        'INBOX_UNUSABLE',
        `The receiver that has the inbox in ${this.folder} open has stopped or doesn't respond: ${(cause as Error).message}. Run the command again.`,
        { cause },
      );
    }
  }

  #send(method: string, path: string, body?: object): Promise<Response> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const options = {
        // The receiver may close a kept connection just when it is used again.
        agent: false,
        socketPath: this.address.path,
        method,
        path,
        timeout: RESPONSE_TIMEOUT,
        headers:
          content === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) },
      };
      const sent = request(options, (response) => void read(response).then(resolve, reject));
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${RESPONSE_TIMEOUT / 1_000} s`)));
      sent.on('error', reject);
      sent.end(content);
    });
  }
}

/** The last two of a receiver that ends just then. */
const NOBODY_LISTENS: readonly string[] = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

const partOf = (batch: Batch): Batch => ({ ...batch, limit: Math.min(batch.limit, MAX_PART) });

interface Response {
  readonly status: number;
  readonly content: unknown;
  /** Of a refusal. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

async function read(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const content = jsonIn(Buffer.concat(chunks).toString());
  const refusal = REFUSAL.safeParse(content).data;
  return { status: response.statusCode!, content, code: refusal?.code, message: refusal?.message };
}

/** Undefined if the text isn't JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireSuccess({ status, code = '', message }: Response): void {
  if (status < 300) return;
  const known = Object.hasOwn(RECEIVER_ERRORS, code) ? (code as ReceiverErrorCode) : 'INBOX_UNUSABLE';
  throw new ReceiverError(
    known,
    message ?? `The receiver refused the operation: it responded with ${status}.`,
  );
}

function parse<Result>(schema: z.ZodType<Result>, response: Response): Result {
  requireSuccess(response);
  const result = schema.safeParse(response.content);
  if (result.success) return result.data;
  throw new ReceiverError(
    'INBOX_UNUSABLE',
    `The receiver's response can't be read, at ${result.error.issues[0]!.path.join('.') || 'its start'}. Is the receiver of another version than this plant-inbox?`,
  );
}

const REFUSAL = z.object({ code: z.string(), message: z.string() });

const nullableText = z.string().nullable();

const SUMMARY = z.object({
  id: z.number(),
  state: z.enum(DELIVERY_STATES),
  receivedAt: z.number(),
  failures: z.number(),
  error: nullableText,
  dueAt: z.number().nullable(),
  eventId: nullableText,
  method: z.string(),
  mediaType: nullableText,
  contentEncoding: nullableText,
  bytes: z.number(),
  reason: nullableText,
});

const STORED = SUMMARY.extend({
  fields: z.array(z.tuple([z.string(), z.string()])),
  content: z.base64().transform((content): Uint8Array => Buffer.from(content, 'base64')),
});

const LIST = z.object({ deliveries: z.array(SUMMARY) });

const NEXT = z
  .number()
  .nullable()
  .transform((next) => next ?? undefined);

const PART = z.object({ deliveries: z.array(STORED), next: NEXT });

const CHANGED = z.object({ changed: z.number(), next: NEXT });

const STATS = z.object({
  waiting: z.number(),
  handled: z.number(),
  parked: z.number(),
  discarded: z.number(),
  oldestWaitingAt: z.number().nullable(),
  bytes: z.number(),
  isPaused: z.boolean(),
});
